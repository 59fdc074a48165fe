//! The templates: the built-in theme with a site's overrides, set up once.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use tera::{Context, ErrorKind, Kwargs, State, Tera, TeraResult};

use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::figure::markup::escape;
use crate::source::Files;
use crate::text::{Argument, Language};

/// Every template of a site.
#[derive(Debug)]
pub(super) struct Templates {
    tera: Tera,
    sources: BTreeMap<String, Arc<Source>>,
}

/// Prefix under which an override reaches the built-in template of the same name.
const BUILT_IN: &str = "built-in/";

impl Templates {
    /// Reads the built-in templates and a site's own; faults of the latter go to the report, and
    /// then the built-in ones stand alone.
    pub(super) fn new(
        built_in: &[(String, Arc<Source>)],
        files: &Files,
        languages: &BTreeMap<String, Arc<Language>>,
        report: &mut Report,
    ) -> Self {
        let mut sources = BTreeMap::new();
        for (name, source) in built_in {
            sources.insert(format!("{BUILT_IN}{name}"), Arc::clone(source));
        }
        let mut own = BTreeMap::new();
        for (path, file) in files.below("templates") {
            let name = path.strip_prefix("templates/").unwrap_or(path);
            if let Some(source) = file.text().filter(|_| is_template(name)) {
                own.insert(name.to_owned(), Arc::clone(source));
            }
        }
        let mut all = sources.clone();
        all.extend(own);
        match set_up(&all, languages) {
            Ok(tera) => Self { tera, sources: all },
            Err(error) => {
                report.push(fault(&all, &error));
                let tera = set_up(&sources, languages).unwrap_or_default();
                Self { tera, sources }
            }
        }
    }

    /// Whether there is a template of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.sources.contains_key(name) || self.sources.contains_key(&format!("{BUILT_IN}{name}"))
    }

    /// Every name, as pages may ask for it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.sources
            .keys()
            .map(|name| name.strip_prefix(BUILT_IN).unwrap_or(name))
    }

    /// Renders a template over a view; a fault goes to the report.
    pub(super) fn render(
        &self,
        name: &str,
        view: &impl Serialize,
        report: &mut Report,
    ) -> Option<String> {
        let rendered =
            Context::from_serialize(view).and_then(|context| self.tera.render(name, &context));
        match rendered {
            Ok(text) => Some(text),
            Err(error) => {
                report.push(fault(&self.sources, &error));
                None
            }
        }
    }
}

fn is_template(name: &str) -> bool {
    [".html", ".xml", ".txt"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

fn set_up(
    sources: &BTreeMap<String, Arc<Source>>,
    languages: &BTreeMap<String, Arc<Language>>,
) -> TeraResult<Tera> {
    let mut tera = Tera::new();
    // One way of escaping for templates and figures: it also drops what neither HTML nor XML allows.
    tera.set_escape_fn(|text, out| out.write_all(escape(text).as_bytes()));
    tera.set_fallback_prefixes([BUILT_IN])?;
    let languages = languages.clone();
    tera.register_filter(
        "message",
        move |key: &str, arguments: Kwargs, state: &State<'_>| {
            message(&languages, key, &arguments, state)
        },
    );
    tera.add_raw_templates(
        sources
            .iter()
            .map(|(name, source)| (name.as_str(), source.text.as_str())),
    )?;
    Ok(tera)
}

/// `{{ "key" | message(name = value) }}`: interface words in the page's language.
fn message(
    languages: &BTreeMap<String, Arc<Language>>,
    key: &str,
    arguments: &Kwargs,
    state: &State<'_>,
) -> TeraResult<String> {
    let lang = state.get::<String>("lang")?.unwrap_or_default();
    let Some(language) = languages.get(&lang) else {
        return Ok(key.to_owned());
    };
    let mut words: Vec<(String, Result<u64, String>)> = Vec::new();
    for (name, value) in arguments.iter() {
        let value = match value.as_number().and_then(|number| number.as_integer()) {
            Some(number) => Ok(u64::try_from(number).unwrap_or_default()),
            None => Err(value.to_string()),
        };
        words.push((name.to_string(), value));
    }
    let arguments: Vec<(&str, Argument<'_>)> = words
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Ok(count) => Argument::Count(*count),
                Err(text) => Argument::Text(text),
            };
            (name.as_str(), value)
        })
        .collect();
    Ok(language.message_with(key, &arguments))
}

/// A template's fault with its place.
fn fault(sources: &BTreeMap<String, Arc<Source>>, error: &tera::Error) -> Diagnostic {
    let (ErrorKind::SyntaxError(report) | ErrorKind::RenderingError(report)) = error.kind() else {
        if let ErrorKind::MissingParent { current, parent } = error.kind() {
            let fault = Diagnostic::new(
                Code::TemplateError,
                format!("there is no template `{parent}`"),
            );
            let names = sources
                .keys()
                .map(|name| name.strip_prefix(BUILT_IN).unwrap_or(name));
            let fault = fault.suggest(parent, names);
            return match sources.get(current) {
                Some(source) => {
                    fault.at(Span::new(source, 0..source.text.len()).narrowed(parent), "")
                }
                None => fault.in_file(current),
            };
        }
        return plain_fault(sources, &error.to_string());
    };
    let place = sources
        .get(report.filename())
        .or_else(|| sources.get(&format!("{BUILT_IN}{}", report.filename())))
        .map(|source| Span::new(source, report.span().range.clone()));
    let diagnostic = in_words(report.message(), place.as_ref().map_or("", Span::text));
    match place {
        Some(span) => diagnostic.at(span, ""),
        None => diagnostic.in_file(format!("templates/{}", report.filename())),
    }
}

/// What Tera says, with the nearest of the names it lists.
fn in_words(message: &str, under: &str) -> Diagnostic {
    let message = message.trim().trim_end_matches('.').replace('\n', " ");
    let (said, names) = match message.split_once(". Available ") {
        Some((said, rest)) => (
            said.to_owned(),
            rest.split_once(": ").map(|(_, names)| names),
        ),
        None => (message.clone(), None),
    };
    let mut letters = said.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    let fault = Diagnostic::new(
        Code::TemplateError,
        first.chain(letters).collect::<String>(),
    );
    match names {
        Some(names) => fault.suggest(under, names.split(", ")),
        None => fault,
    }
}

/// A fault that Tera tells only as a finished excerpt: `error: Unknown filter …  --> page.html:1:21`.
/// Each of its lines that names a place is read back; without one, the whole folder is named.
fn plain_fault(sources: &BTreeMap<String, Arc<Source>>, told: &str) -> Diagnostic {
    let mut lines = told.lines().map(str::trim);
    let message = lines.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let place = lines
        .find_map(|line| line.strip_prefix("--> "))
        .and_then(|place| {
            let mut parts = place.rsplitn(3, ':');
            let column: usize = parts.next()?.parse().ok()?;
            let line = parts.next()?.parse().ok()?;
            let name = parts.next()?;
            let source = sources
                .get(name)
                .or_else(|| sources.get(&format!("{BUILT_IN}{name}")))?;
            let line = Span::line(source, line);
            let start: usize = line
                .text()
                .chars()
                .take(column.saturating_sub(1))
                .map(char::len_utf8)
                .sum();
            let word = line.text()[start..]
                .find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let length = word.unwrap_or(line.text().len() - start).max(1);
            Some(line.within(start..start + length))
        });
    let fault = in_words(message, place.as_ref().map_or("", Span::text));
    match place {
        Some(span) => fault.at(span, ""),
        None => fault.in_file("templates"),
    }
}
