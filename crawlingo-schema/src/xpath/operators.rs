//! Operators: their precedence, and the tree that they make.

use super::ast::{BinaryOp, Expr};
use super::lexer::Token;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Op {
    Or,
    And,
    Binary(BinaryOp),
}

impl Op {
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Binary(BinaryOp::Equal | BinaryOp::NotEqual) => 2,
            Self::Binary(BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual) => 3,
            Self::Binary(BinaryOp::Add | BinaryOp::Subtract) => 4,
            Self::Binary(BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo) => 5,
        }
    }

    pub(super) fn of(token: Token<'_>) -> Option<Self> {
        Some(match token {
            Token::Equal => Self::Binary(BinaryOp::Equal),
            Token::NotEqual => Self::Binary(BinaryOp::NotEqual),
            Token::Less => Self::Binary(BinaryOp::Less),
            Token::LessOrEqual => Self::Binary(BinaryOp::LessOrEqual),
            Token::Greater => Self::Binary(BinaryOp::Greater),
            Token::GreaterOrEqual => Self::Binary(BinaryOp::GreaterOrEqual),
            Token::Plus => Self::Binary(BinaryOp::Add),
            Token::Minus => Self::Binary(BinaryOp::Subtract),
            Token::Star => Self::Binary(BinaryOp::Multiply),
            Token::Name { prefix: None, local } => match local {
                "or" => Self::Or,
                "and" => Self::And,
                "div" => Self::Binary(BinaryOp::Divide),
                "mod" => Self::Binary(BinaryOp::Modulo),
                _ => return None,
            },
            _ => return None,
        })
    }
}

pub(super) fn reduce(operands: &mut Vec<Expr>, operators: &mut Vec<Op>) {
    let (Some(op), Some(right), Some(left)) = (operators.pop(), operands.pop(), operands.pop()) else { return };
    operands.push(match (op, left) {
        (Op::Or, Expr::Or(mut all)) => {
            all.push(right);
            Expr::Or(all)
        }
        (Op::Or, left) => Expr::Or(vec![left, right]),
        (Op::And, Expr::And(mut all)) => {
            all.push(right);
            Expr::And(all)
        }
        (Op::And, left) => Expr::And(vec![left, right]),
        // What is on the left is evaluated first in any case, whatever its operators were.
        (Op::Binary(op), Expr::Binary { first, mut rest }) => {
            rest.push((op, right));
            Expr::Binary { first, rest }
        }
        (Op::Binary(op), left) => Expr::Binary { first: Box::new(left), rest: vec![(op, right)] },
    });
}
