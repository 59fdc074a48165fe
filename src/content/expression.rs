//! Expressions in Tera's syntax, read into a tree that keeps the place of every part.
//!
//! The tree is evaluated in [`crate::render`], where numbers carry their uncertainty; Tera itself
//! would return bare values, and a claim could not be called undecided.

use std::fmt::Write as _;

use super::parser::Parser;
use super::token::Kind;
use crate::diag::{Code, Diagnostic, Report, Span};

/// An argument: its name (if given) with its place, and its value.
pub type Argument = (Option<(String, Span)>, Expression);

/// An expression with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub node: Node,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A number as written, with its count of decimal places.
    Number {
        /// Its value.
        value: f64,
        /// Digits after the point, as written.
        places: u8,
    },
    /// A text in quotes.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// A bare name.
    Name(String),
    /// `function(name = value, …)`; the first argument may stand without a name.
    Call {
        /// The function's name and its place.
        name: (String, Span),
        /// Arguments: name (if given) with its place, and value.
        arguments: Vec<Argument>,
    },
    /// `object.field`.
    Field(Box<Expression>, (String, Span)),
    /// `value | filter(name = value, …)`.
    Filter {
        /// What is filtered.
        value: Box<Expression>,
        /// The filter's name and its place.
        name: (String, Span),
        /// Arguments, as for calls.
        arguments: Vec<Argument>,
    },
    /// `-value` or `not value`.
    Unary(Unary, Box<Expression>),
    /// `a operator b`.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `[a, b]`.
    List(Vec<Expression>),
}

/// Operators before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

/// Operators between values, binding in Tera's order:
/// `or` < `and` < `not` < comparisons < `+ -` < `* / %` < filters < `-x` < fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divided,
    /// `%`
    Modulo,
}

impl Binary {
    /// Whether it compares two values.
    pub fn compares(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessOrEqual
                | Self::Greater
                | Self::GreaterOrEqual
        )
    }

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divided => "/",
            Self::Modulo => "%",
        }
    }
}

/// A claim's options after its condition, by name, in order.
pub type Options = Vec<(String, Expression)>;

impl Expression {
    /// Reads the text under a span as one expression; faults go to the report.
    pub fn parse(span: &Span, report: &mut Report) -> Option<Self> {
        let mut parser = Parser::new(span, report)?;
        if *parser.peek() == Kind::End {
            report.push(
                Diagnostic::new(Code::BadExpression, "an expression is empty")
                    .at(span.clone(), "")
                    .help("write a value between the braces, or `\\{{` for the braces themselves"),
            );
            return None;
        }
        let expression = parser.expression(0)?;
        if *parser.peek() != Kind::End {
            parser.expected("an operator or the end");
            return None;
        }
        Some(expression)
    }

    /// Reads what stands between `{% claim` and `%}`: a condition, then options `name=value`.
    pub fn parse_claim(span: &Span, report: &mut Report) -> Option<(Self, Options)> {
        let mut parser = Parser::new(span, report)?;
        let condition = parser.expression(0)?;
        let mut options: Vec<Argument> = Vec::new();
        while parser.take(",") && *parser.peek() != Kind::End {
            let option = parser.option(&options)?;
            options.push(option);
        }
        if *parser.peek() != Kind::End {
            parser.expected("`,` or the end");
            return None;
        }
        if !condition.decides() {
            report.push(
                Diagnostic::new(Code::BadExpression, "a claim's condition compares nothing")
                    .at(condition.span.clone(), "this is a value, not a statement")
                    .help("compare it with `<`, `<=`, `==`, `!=`, `>=` or `>`"),
            );
            return None;
        }
        let options = options
            .into_iter()
            .filter_map(|(name, value)| name.map(|(name, _)| (name, value)))
            .collect();
        Some((condition, options))
    }

    /// Whether it is true or false rather than a value.
    fn decides(&self) -> bool {
        match &self.node {
            Node::Flag(_) => true,
            Node::Unary(Unary::Not, value) => value.decides(),
            Node::Binary(Binary::And | Binary::Or, left, right) => {
                left.decides() && right.decides()
            }
            Node::Binary(operator, ..) => operator.compares(),
            _ => false,
        }
    }

    /// The same text for equal expressions, however they are spaced or their named arguments
    /// ordered, without filters: what translations are compared by.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match &self.node {
            Node::Number { value, places } => {
                let _ = write!(out, "{value:.*}", usize::from(*places));
            }
            Node::Text(text) => {
                let _ = write!(out, "{text:?}");
            }
            Node::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Node::Name(name) => out.push_str(name),
            Node::Call { name, arguments } => {
                out.push_str(&name.0);
                write_arguments(arguments, out);
            }
            Node::Field(value, field) => {
                value.write(out);
                out.push('.');
                out.push_str(&field.0);
            }
            Node::Filter { value, .. } => value.write(out),
            Node::Unary(operator, value) => {
                out.push_str(match operator {
                    Unary::Minus => "(-",
                    Unary::Not => "(not ",
                });
                value.write(out);
                out.push(')');
            }
            Node::Binary(operator, left, right) => {
                out.push('(');
                left.write(out);
                let _ = write!(out, " {} ", operator.sign());
                right.write(out);
                out.push(')');
            }
            Node::List(items) => {
                let items: Vec<String> = items.iter().map(Self::canonical).collect();
                let _ = write!(out, "[{}]", items.join(", "));
            }
        }
    }
}

fn write_arguments(arguments: &[Argument], out: &mut String) {
    let mut written: Vec<String> = arguments
        .iter()
        .map(|(name, value)| match name {
            Some((name, _)) => format!("{name}={}", value.canonical()),
            None => value.canonical(),
        })
        .collect();
    let named = arguments
        .iter()
        .take_while(|(name, _)| name.is_none())
        .count();
    written[named..].sort();
    let _ = write!(out, "({})", written.join(", "));
}
