//! Fenced data blocks: which words are taken, and what arguments each takes.

use super::place::text_within;
use crate::diag::Span;

/// What an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A text.
    Text,
    /// A text, or a list of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a list of them.
    Choices(&'static [&'static str]),
    /// A table of factor and level, or list of levels (`where = { plan = "balanced" }`).
    Levels,
}

/// An argument of a block, for reading, error texts and the reference page.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its key.
    pub name: &'static str,
    /// What it takes.
    pub kind: Type,
    /// Whether it must be given.
    pub required: bool,
    /// What holds when it isn't given, as written by an author; empty for nothing.
    pub default: &'static str,
    /// What it is for, in English; translated by the message `argument-<block>-<name>`, else
    /// `argument-<name>`.
    pub meaning: &'static str,
}

/// A kind of block.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The reserved first word of the fence.
    pub name: &'static str,
    /// What it shows, in English; translated by the message `block-<name>`.
    pub meaning: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// Whether rows of CSV may follow a `---` line.
    pub takes_rows: bool,
}

/// A block as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Name of its kind, one of [`KINDS`](super::KINDS).
    pub kind: &'static str,
    /// What was given.
    pub arguments: Arguments,
    /// Whether all of it could be read; if not, what is wrong has been reported.
    pub whole: bool,
    /// CSV rows after the `---` line, with their place. Inside a list or quote the place holds the
    /// container's marks too: read the rows from `row_lines`.
    pub rows: Option<Span>,
    /// The place of each line of the rows, without line ends and without the marks of lists and
    /// quotes around the block.
    pub row_lines: Vec<Span>,
    /// The whole fence.
    pub span: Span,
}

/// The arguments given, in order, checked against the kind's table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments {
    /// Name, value, place of the name and place of the value.
    pub given: Vec<Given>,
}

/// One argument as given.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// Its key.
    pub name: String,
    /// Its value.
    pub value: toml::Value,
    /// Where the key stands.
    pub name_span: Span,
    /// Where the value stands.
    pub value_span: Span,
}

impl Given {
    /// The place of a text without its quotes, for reading it as an expression or as Markdown; the
    /// place of the whole value when it isn't a text, or is written with escapes.
    pub fn text_span(&self) -> Span {
        let text = self.value.as_str().unwrap_or_default();
        text_within(&self.value_span, text).unwrap_or_else(|| self.value_span.clone())
    }
}

impl Arguments {
    /// The argument with this name.
    pub fn get(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.name == name)
    }

    /// A text argument (its type was checked when it was read).
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.value.as_str()
    }
}
