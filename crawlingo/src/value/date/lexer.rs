//! A text cut into numbers, words and signs.

/// A piece of a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Digits.
    Number(String),
    /// Letters, with what belongs to a word in their scripts.
    Word(String),
    /// Anything else but white space and points between letters.
    Sign(char),
    /// White space.
    Space,
}

fn is_word(c: char) -> bool {
    // Vowel signs of Indic and other scripts are marks, and belong to the word.
    c.is_alphabetic()
        || c == '\''
        || ('\u{300}'..='\u{36f}').contains(&c)
        || (('\u{900}'..='\u{11ff}').contains(&c) && !c.is_ascii_digit() && !matches!(c, '।' | '॥'))
}

/// Letters that follow digits and mean a unit of a date are a word of their own each.
fn is_unit(c: char) -> bool {
    matches!(
        c,
        '年' | '月'
            | '日'
            | '号'
            | '號'
            | '时'
            | '時'
            | '点'
            | '點'
            | '分'
            | '秒'
            | '년'
            | '월'
            | '일'
            | '시'
            | '분'
            | '초'
    )
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let start = at;
        if c.is_ascii_digit() {
            while at < chars.len() && chars[at].is_ascii_digit() {
                at += 1;
            }
            tokens.push(Token::Number(chars[start..at].iter().collect()));
        } else if is_unit(c) && matches!(tokens.last(), Some(Token::Number(_) | Token::Space)) {
            at += 1;
            tokens.push(Token::Word(c.to_string()));
        } else if is_word(c) {
            // A point between letters is part of an abbreviation: `a.m.`
            while at < chars.len()
                && (is_word(chars[at])
                    || (chars[at] == '.' && at - start <= 2 && chars.get(at + 1).is_some_and(|next| is_word(*next))))
            {
                at += 1;
            }
            let word: String = chars[start..at].iter().collect();
            tokens.push(Token::Word(word.trim_matches('\'').to_owned()));
            if chars.get(at) == Some(&'.') {
                at += 1;
                // The point of an abbreviation separates, where no space does.
                if chars.get(at).is_some_and(|next| !next.is_whitespace()) {
                    tokens.push(Token::Space);
                }
            }
        } else if c.is_whitespace() {
            at += 1;
            tokens.push(Token::Space);
        } else {
            at += 1;
            tokens.push(Token::Sign(c));
        }
    }
    tokens
}

/// The words and numbers alone; `{0}` stays as it is.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in text.split("{0}").enumerate().flat_map(|(at, part)| (at > 0).then_some("{0}").into_iter().chain([part]))
    {
        if part == "{0}" {
            words.push(part.to_owned());
            continue;
        }
        words.extend(tokens(part).into_iter().filter_map(|token| match token {
            Token::Number(text) | Token::Word(text) => Some(text),
            _ => None,
        }));
    }
    words
}
