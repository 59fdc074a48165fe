//! What stands above a page's text: TOML between `+++` or YAML between `---`.

use std::ops::Range;
use std::sync::Arc;

use super::front_keys::Reader;
use super::tree::{self, Fault};
use crate::diag::{Code, Diagnostic, Report, Source, Span};

/// A page's front matter, as typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// Title (required).
    pub title: String,
    /// One or two sentences for lists, feeds and previews.
    pub description: Option<String>,
    /// Date of publication, `2026-11-30`.
    pub date: Option<String>,
    /// Date of the last change of substance.
    pub updated: Option<String>,
    /// Left out unless drafts are asked for.
    pub draft: bool,
    /// Last part of the address, instead of the file's name.
    pub slug: Option<String>,
    /// Place in its section: smaller first, then newer first.
    pub weight: Option<i64>,
    /// Tags.
    pub tags: Vec<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// Earlier addresses that lead here, relative to the language's root.
    pub aliases: Vec<String>,
    /// Keys of the experiments it speaks of; the first is the default of blocks and expressions.
    pub experiments: Vec<String>,
    /// Digest of the original this translation was made from.
    pub translated_from: Option<String>,
    /// Name of the template instead of the default for its place.
    pub template: Option<String>,
    /// Inline values as headline figures: expressions with a label (`[[headline]]`), as text.
    pub headlines: Vec<Headline>,
    /// Where the value of each known key stands, for error messages.
    pub spans: Vec<(String, Span)>,
    /// The whole front matter with its fences.
    pub span: Option<Span>,
}

impl FrontMatter {
    /// Takes over what a translation leaves out because it is the same in every language.
    pub fn take_over(&mut self, original: &Self) {
        self.date = self.date.take().or_else(|| original.date.clone());
        self.updated = self.updated.take().or_else(|| original.updated.clone());
        self.weight = self.weight.or(original.weight);
        self.template = self.template.take().or_else(|| original.template.clone());
        for (own, theirs) in [
            (&mut self.tags, &original.tags),
            (&mut self.authors, &original.authors),
            (&mut self.experiments, &original.experiments),
        ] {
            if own.is_empty() {
                own.clone_from(theirs);
            }
        }
    }

    /// Where the value of a key stands.
    pub fn span_of(&self, key: &str) -> Option<&Span> {
        self.spans
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, span)| span)
    }

    /// Where a text stands in the value of a key, which may be a list.
    pub fn span_of_item(&self, key: &str, item: &str) -> Option<Span> {
        self.span_of(key).map(|span| span.narrowed(item))
    }
}

/// A figure shown large above an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// An expression, as inside `{{ … }}`.
    pub value: String,
    /// What it is, in the page's language.
    pub label: String,
    /// Where the expression stands.
    pub span: Span,
}

/// Where a front matter stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fences {
    /// Whether it is YAML.
    pub(super) yaml: bool,
    /// What stands between the fences.
    pub(super) inner: Range<usize>,
    /// From the first fence to the end of the last one's line.
    pub(super) whole: Range<usize>,
}

/// Finds the fences; `None` without an opening one, an error without a closing one.
pub(super) fn fences(text: &str) -> Option<Result<Fences, Range<usize>>> {
    let first = text.split_inclusive('\n').next()?;
    let fence = first.trim_end();
    if !matches!(fence, "+++" | "---") {
        return None;
    }
    let start = first.len();
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == fence {
            let yaml = fence == "---";
            return Some(Ok(Fences {
                yaml,
                inner: start..at,
                whole: 0..end,
            }));
        }
        at = end;
    }
    Some(Err(0..fence.len()))
}

/// What reading a front matter gave.
pub(super) struct Read {
    /// What it says; `None` when it can't be used.
    pub(super) front: Option<FrontMatter>,
    /// Where the body begins.
    pub(super) body: usize,
}

/// Reads the front matter of a page. `None` when it has no end, so that no body can be told.
pub(super) fn read(source: &Arc<Source>, report: &mut Report) -> Option<Read> {
    let fences = match fences(&source.text) {
        None => {
            let end = source.text.find(['\r', '\n']).unwrap_or(source.text.len());
            report.push(
                Diagnostic::new(Code::BadFrontMatter, "a page has no front matter")
                    .at(Span::new(source, 0..end), "")
                    .help("begin it with a line `+++`, then `title = \"…\"`, then a line `+++`"),
            );
            return Some(Read {
                front: None,
                body: 0,
            });
        }
        Some(Err(opening)) => {
            let fence = source.text[opening.clone()].to_owned();
            report.push(
                Diagnostic::new(Code::UnclosedFrontMatter, "a front matter isn't closed")
                    .at(Span::new(source, opening), "opened here")
                    .help(format!("put a line `{fence}` after its last key")),
            );
            return None;
        }
        Some(Ok(fences)) => fences,
    };
    let inner = &source.text[fences.inner.clone()];
    let (entries, faults) = if fences.yaml {
        match tree::yaml(inner) {
            Ok(entries) => (entries, Vec::new()),
            Err(fault) => (Vec::new(), vec![fault]),
        }
    } else {
        tree::toml(inner)
    };
    let code = if fences.yaml {
        Code::BadYaml
    } else {
        Code::BadToml
    };
    let broken = !faults.is_empty();
    let span = Span::new(source, fences.inner.clone());
    for fault in faults {
        let Fault {
            message,
            range,
            help,
        } = fault;
        let mut diagnostic = Diagnostic::new(code, message).at(span.within(range), "");
        diagnostic.help.extend(help);
        report.push(diagnostic);
    }
    let mut reader = Reader::new(span, broken, report);
    for entry in &entries {
        reader.entry(entry);
    }
    let mut front = reader.finish();
    let whole = Span::new(source, fences.whole.clone());
    if front.title.is_empty() && !broken && !entries.iter().any(|entry| entry.key == "title") {
        let end = source.text.find(['\r', '\n']).unwrap_or(source.text.len());
        report.push(
            Diagnostic::new(Code::BadFrontMatter, "a page needs a title")
                .at(whole.within(0..end), "this front matter has none")
                .help(if fences.yaml {
                    "add `title: …`"
                } else {
                    "add `title = \"…\"`"
                }),
        );
    }
    front.span = Some(whole);
    Some(Read {
        front: (!broken).then_some(front),
        body: fences.whole.end,
    })
}
