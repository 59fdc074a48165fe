//! From tokens to an expression: a Pratt parser with Tera's binding strengths.

use std::ops::Range;

use super::expression::{Argument, Binary, Expression, Node, Unary};
use super::token::{Kind, Token, tokens};
use crate::diag::{Code, Diagnostic, Report, Span};

/// Parentheses, calls and lists inside each other.
const DEPTH: usize = 48;
/// Operators, filters and fields in one expression: keeps the tree flat enough for recursion.
const OPERATORS: usize = 256;

/// Words that Tera knows and that have no use in an expression that gives one value.
const UNUSED: &[(&str, &str)] = &[
    ("in", "compare with `==` and join with `or`"),
    ("is", "compare with `==`"),
    ("if", "an article states one value; choose in the prose"),
    ("else", "an article states one value; choose in the prose"),
    ("for", "a `table` block shows many values"),
];

pub(super) struct Parser<'a> {
    span: &'a Span,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    operators: usize,
    report: &'a mut Report,
}

impl<'a> Parser<'a> {
    pub(super) fn new(span: &'a Span, report: &'a mut Report) -> Option<Self> {
        let tokens = tokens(span, report)?;
        Some(Self {
            span,
            tokens,
            at: 0,
            depth: 0,
            operators: 0,
            report,
        })
    }

    pub(super) fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn peek_after(&self) -> &Kind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn range(&self) -> Range<usize> {
        self.tokens[self.at].range.clone()
    }

    fn place(&self, range: Range<usize>) -> Span {
        self.span.within(range)
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Steps over a sign if it is next.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.peek().is(sign);
        if found {
            self.advance();
        }
        found
    }

    fn word(&self) -> Option<&str> {
        match self.peek() {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    fn fault(&mut self, message: impl Into<String>, help: &str) {
        let mut diagnostic =
            Diagnostic::new(Code::BadExpression, message).at(self.place(self.range()), "");
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report.push(diagnostic);
    }

    /// Says what was expected where something else stands.
    pub(super) fn expected(&mut self, what: &str) {
        let found = self.peek().described();
        let help = match self.peek() {
            Kind::Sign("=") => "`=` gives an argument its value; use `==` to compare",
            Kind::Sign("[") => "elements are not picked by number; use a field such as `.low`",
            Kind::Name(word) => UNUSED
                .iter()
                .find(|(unused, _)| unused == word)
                .map_or("", |(_, help)| help),
            _ => "",
        };
        let message = match self.word() {
            Some(word) if !help.is_empty() => format!("`{word}` is not used here"),
            _ => format!("expected {what}, found {found}"),
        };
        self.fault(message, help);
    }

    /// One more operator; too many in one expression are refused.
    fn count(&mut self) -> Option<()> {
        self.operators += 1;
        if self.operators > OPERATORS {
            self.fault("the expression is too long", "split it into several");
            return None;
        }
        Some(())
    }

    /// An expression whose operators bind at least as strongly as `least`.
    pub(super) fn expression(&mut self, least: u8) -> Option<Expression> {
        if self.depth >= DEPTH {
            self.fault("the expression is nested too deeply", "");
            return None;
        }
        self.depth += 1;
        let expression = self.operators(least);
        self.depth -= 1;
        expression
    }

    fn operators(&mut self, least: u8) -> Option<Expression> {
        let start = self.range().start;
        let mut left = self.operand()?;
        let mut compared = false;
        loop {
            if self.peek().is("|") {
                if FILTER < least {
                    break;
                }
                self.count()?;
                self.advance();
                let name = self.name("the name of a filter")?;
                let arguments = if self.peek().is("(") {
                    self.arguments()?
                } else {
                    Vec::new()
                };
                let node = Node::Filter {
                    value: Box::new(left),
                    name,
                    arguments,
                };
                left = self.node(node, start);
                continue;
            }
            let Some((operator, strength)) = self.binary() else {
                break;
            };
            if strength < least {
                break;
            }
            self.count()?;
            if operator.compares() && compared {
                self.fault(
                    "comparisons can't be chained",
                    "join two of them with `and`",
                );
                return None;
            }
            self.advance();
            let ends = matches!(self.peek(), Kind::End | Kind::Sign("," | ")" | "]"));
            if ends {
                self.at -= 1;
                let help = if operator == Binary::Modulo {
                    "write 5 % as 0.05"
                } else {
                    ""
                };
                let sign = operator.sign();
                self.fault(format!("expected a value after `{sign}`"), help);
                return None;
            }
            let right = self.expression(strength + 1)?;
            left = self.node(
                Node::Binary(operator, Box::new(left), Box::new(right)),
                start,
            );
            compared = operator.compares();
        }
        Some(left)
    }

    fn binary(&self) -> Option<(Binary, u8)> {
        let text = match self.peek() {
            Kind::Name(name) => name.as_str(),
            Kind::Sign(sign) => sign,
            _ => return None,
        };
        Some(match text.as_bytes() {
            b"or" => (Binary::Or, 1),
            b"and" => (Binary::And, 3),
            b"==" => (Binary::Equal, 7),
            b"!=" => (Binary::NotEqual, 7),
            b"<" => (Binary::Less, 7),
            b"<=" => (Binary::LessOrEqual, 7),
            b">" => (Binary::Greater, 7),
            b">=" => (Binary::GreaterOrEqual, 7),
            b"+" => (Binary::Plus, 11),
            b"-" => (Binary::Minus, 11),
            b"*" => (Binary::Times, 13),
            b"/" => (Binary::Divided, 13),
            b"%" => (Binary::Modulo, 13),
            _ => return None,
        })
    }

    /// The expression from `start` to the token before the current one.
    fn node(&self, node: Node, start: usize) -> Expression {
        let end = self.tokens[self.at.saturating_sub(1)].range.end;
        Expression {
            node,
            span: self.place(start..end.max(start)),
        }
    }

    fn operand(&mut self) -> Option<Expression> {
        let start = self.range().start;
        let mut value = match self.peek().clone() {
            Kind::Number(value, places) => {
                self.advance();
                self.node(Node::Number { value, places }, start)
            }
            Kind::Text(text) => {
                self.advance();
                self.node(Node::Text(text), start)
            }
            Kind::Sign("-") => return self.unary(Unary::Minus, 20),
            Kind::Name(name) if name == "not" => return self.unary(Unary::Not, 5),
            Kind::Name(name) => self.named(name)?,
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expression(0)?;
                if !self.take(")") {
                    self.expected("`)`");
                    return None;
                }
                // The parentheses belong to the place, so that a mark covers what was typed.
                self.node(inner.node, start)
            }
            Kind::Sign("[") => self.list()?,
            Kind::Sign(".") => {
                self.fault("expected a value, found `.`", "write `0.5`, not `.5`");
                return None;
            }
            _ => {
                self.expected("a value");
                return None;
            }
        };
        while self.peek().is(".") {
            self.count()?;
            self.advance();
            let field = self.name("the name of a field")?;
            value = self.node(Node::Field(Box::new(value), field), start);
        }
        Some(value)
    }

    fn unary(&mut self, operator: Unary, strength: u8) -> Option<Expression> {
        let start = self.range().start;
        self.advance();
        if self.peek().is("-") || self.word() == Some("not") {
            self.fault("`-` and `not` can't follow each other", "use parentheses");
            return None;
        }
        let value = self.expression(strength)?;
        Some(self.node(Node::Unary(operator, Box::new(value)), start))
    }

    fn named(&mut self, name: String) -> Option<Expression> {
        let start = self.range().start;
        if UNUSED.iter().any(|(unused, _)| *unused == name) || name == "and" || name == "or" {
            self.expected("a value");
            return None;
        }
        let place = self.place(self.range());
        self.advance();
        let node = match name.as_str() {
            "true" | "True" => Node::Flag(true),
            "false" | "False" => Node::Flag(false),
            _ if self.peek().is("(") => {
                let arguments = self.arguments()?;
                Node::Call {
                    name: (name, place),
                    arguments,
                }
            }
            _ => Node::Name(name),
        };
        Some(self.node(node, start))
    }

    fn name(&mut self, what: &str) -> Option<(String, Span)> {
        let Some(name) = self.word().map(str::to_owned) else {
            self.expected(what);
            return None;
        };
        let place = self.place(self.range());
        self.advance();
        Some((name, place))
    }

    fn list(&mut self) -> Option<Expression> {
        let start = self.range().start;
        self.advance();
        let mut items = Vec::new();
        while !self.take("]") {
            if !items.is_empty() {
                if !self.take(",") {
                    self.expected("`,` or `]`");
                    return None;
                }
                if self.take("]") {
                    break;
                }
            }
            items.push(self.expression(0)?);
        }
        Some(self.node(Node::List(items), start))
    }

    /// `(…)` after a function or filter.
    fn arguments(&mut self) -> Option<Vec<Argument>> {
        self.advance();
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                if !self.take(",") {
                    self.expected("`,` or `)`");
                    return None;
                }
                if self.take(")") {
                    break;
                }
            }
            let argument = if matches!(self.peek(), Kind::Name(_)) && self.peek_after().is("=") {
                self.option(&arguments)?
            } else {
                self.positional(&arguments)?
            };
            arguments.push(argument);
        }
        Some(arguments)
    }

    fn positional(&mut self, before: &[Argument]) -> Option<Argument> {
        let start = self.at;
        let value = self.expression(0)?;
        if self.peek().is("=") && self.tokens[start].kind != Kind::End {
            let given = value.span.text();
            let message = format!("`{given}` can't be the name of an argument");
            let help = "names are letters, digits and `_`; a quoted name goes without its quotes";
            let place = value.span.clone();
            self.report.push(
                Diagnostic::new(Code::BadExpression, message)
                    .at(place, "")
                    .help(help),
            );
            return None;
        }
        if !before.is_empty() {
            self.report.push(
                Diagnostic::new(
                    Code::BadExpression,
                    "only the first argument may stand without a name",
                )
                .at(value.span.clone(), "")
                .help(format!("write `name={}`", value.span.text())),
            );
            return None;
        }
        Some((None, value))
    }

    /// `name = value`, for arguments and for the options of claims.
    pub(super) fn option(&mut self, before: &[Argument]) -> Option<Argument> {
        let (name, place) = self.name("`name=value`")?;
        if !self.take("=") {
            self.expected(&format!("`=` after `{name}`"));
            return None;
        }
        let value = self.expression(0)?;
        let earlier = before.iter().find_map(|(given, _)| {
            given
                .as_ref()
                .filter(|(given, _)| *given == name)
                .map(|(_, place)| place.clone())
        });
        if let Some(earlier) = earlier {
            self.report.push(
                Diagnostic::new(
                    Code::BadArgument,
                    format!("the argument `{name}` is given twice"),
                )
                .at(place, "again here")
                .at(earlier, "first here"),
            );
            return None;
        }
        Some((Some((name, place)), value))
    }
}

/// Tighter than every operator between values, looser than `-x`: `-1.2 | abs` is `(-1.2) | abs`.
const FILTER: u8 = 17;
