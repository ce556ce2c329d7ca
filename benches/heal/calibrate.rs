//! Fits the curve that turns the trees' sum into a probability, on sums that were made without the row's own site.

use crawlingo::heal::training::curve;

/// Newton's method on the logistic likelihood of `c · curve(x)`.
pub(crate) fn fit(logits: &[f32], answers: &[bool], weights: &[f64]) -> [f32; 4] {
    let parts: Vec<[f64; 4]> = logits.iter().map(|&logit| curve(logit).map(f64::from)).collect();
    let mut c = [0.0, 1.0, 0.0, 0.0];
    for _ in 0..50 {
        let mut gradient = [0.0; 4];
        let mut hessian = [[0.0; 4]; 4];
        for i in 0..4 {
            let start = if i == 1 { 1.0 } else { 0.0 };
            gradient[i] = 0.5 * (c[i] - start);
            hessian[i][i] = 0.5;
        }
        for ((part, &answer), &weight) in parts.iter().zip(answers).zip(weights) {
            let x: f64 = part.iter().zip(&c).map(|(part, c)| part * c).sum();
            let p = 1.0 / (1.0 + (-x).exp());
            for i in 0..4 {
                gradient[i] += weight * (p - f64::from(u8::from(answer))) * part[i];
                for j in 0..4 {
                    hessian[i][j] += weight * (p * (1.0 - p)).max(1e-9) * part[i] * part[j];
                }
            }
        }
        let step = solve(hessian, gradient);
        let size: f64 = step.iter().map(|part| part.abs()).sum();
        // Half steps where the curve is steep.
        let scale = if size > 2.0 { 2.0 / size } else { 1.0 };
        c.iter_mut().zip(step).for_each(|(c, step)| *c -= scale * step);
        if size < 1e-9 {
            break;
        }
    }
    c.map(|c| c as f32)
}

fn solve(mut a: [[f64; 4]; 4], mut b: [f64; 4]) -> [f64; 4] {
    for pivot in 0..4 {
        let best = (pivot..4).max_by(|&x, &y| a[x][pivot].abs().total_cmp(&a[y][pivot].abs())).unwrap_or(pivot);
        a.swap(pivot, best);
        b.swap(pivot, best);
        for row in pivot + 1..4 {
            let factor = a[row][pivot] / a[pivot][pivot];
            let above = a[pivot];
            a[row].iter_mut().zip(above).for_each(|(here, above)| *here -= factor * above);
            b[row] -= factor * b[pivot];
        }
    }
    let mut x = [0.0; 4];
    for row in (0..4).rev() {
        let rest: f64 = (row + 1..4).map(|column| a[row][column] * x[column]).sum();
        x[row] = (b[row] - rest) / a[row][row];
    }
    x
}
