//! The reference page: blocks, functions, filters and faults, from the tables that also make the errors.

use std::fmt::Write as _;

use crate::content::{
    Argument, COMMON_ARGUMENTS, COMMON_PARAMETERS, FILTERS, FUNCTIONS, Function, KINDS, Kind,
    Parameter, Type,
};
use crate::diag::{Code, Report};
use crate::figure::markup::escape;
use crate::output::Door;
use crate::site::address;
use crate::text::{self, Lang, Language};

use super::in_parallel;
use super::lists::{self, generated_seat};
use super::press::Press;
use super::view::{HeadingView, PageView};

/// Renders the reference in every language; returns how many pages that were.
pub(super) fn render(press: &Press<'_>, door: &Door, report: &mut Report) -> usize {
    let languages = &press.site.languages;
    in_parallel(languages, report, |lang, report| {
        page(press, lang, door, report);
    })
    .len()
}

fn page(press: &Press<'_>, lang: &Lang, door: &Door, report: &mut Report) {
    let language = press.language(lang);
    let seat = generated_seat(press, lang, |lang| address::of_generated("reference", lang));
    let mut sheet = Sheet {
        language,
        html: String::new(),
        headings: Vec::new(),
    };
    sheet.blocks();
    sheet.functions();
    sheet.filters();
    sheet.faults();
    let view = PageView {
        kind: "page",
        title: language.message("reference").to_owned(),
        description: language.message("reference-about").to_owned(),
        breadcrumbs: lists::home_crumb(press, &seat),
        body_html: sheet.html,
        headings: sheet.headings,
        ..PageView::default()
    };
    lists::put(press, &seat, "page.html", view, door, report);
}

struct Sheet<'a> {
    language: &'a Language,
    html: String,
    headings: Vec<HeadingView>,
}

impl Sheet<'_> {
    /// A section: its heading, which the table of contents names, and links to its entries.
    fn section(&mut self, id: &str, entry: &str, names: &[&str]) {
        let words = escape(self.language.message(&format!("reference-{id}")));
        let _ = writeln!(self.html, "<h2 id=\"{id}\">{words}</h2>");
        if !names.is_empty() {
            let links: Vec<String> = names
                .iter()
                .map(|name| format!("<a href=\"#{entry}-{name}\"><code>{name}</code></a>"))
                .collect();
            let _ = writeln!(self.html, "<p>{}</p>", links.join(" "));
        }
        self.headings.push(HeadingView {
            level: 2,
            id: id.to_owned(),
            html: words,
        });
    }

    /// Entries are many, so only their section stands in the table of contents.
    fn entry(&mut self, prefix: &str, name: &str, meaning: &str) {
        let own = self.words(&[format!("{prefix}-{name}")], meaning);
        let _ = writeln!(
            self.html,
            "<h3 id=\"{prefix}-{name}\"><code>{name}</code></h3>\n<p>{own}</p>"
        );
    }

    fn example(&mut self, example: &str) {
        let _ = writeln!(
            self.html,
            "<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>",
            escape(example)
        );
    }

    /// A translated sentence of a table, else the table's own.
    fn words(&self, keys: &[String], own: &str) -> String {
        let known = keys.iter().find_map(|key| self.language.known(key));
        with_code(known.unwrap_or(own))
    }

    fn paragraph(&mut self, key: &str) {
        let words = with_code(self.language.message(key));
        let _ = writeln!(self.html, "<p>{words}</p>");
    }

    /// The arguments that are explained elsewhere, by name.
    fn also(&mut self, names: &[&str]) {
        if names.is_empty() {
            return;
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let names = self.language.list(&names);
        let words = self
            .language
            .message_with("reference-also", &[("names", text::Argument::Text(&names))]);
        let _ = writeln!(self.html, "<p>{}</p>", with_code(&words));
    }

    fn list(&mut self, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        self.html.push_str("<dl class=\"terms\">\n");
        for item in items {
            let id = match &item.id {
                Some(id) => format!(" id=\"{id}\""),
                None => String::new(),
            };
            let notes = match item.notes.join(" · ") {
                notes if notes.is_empty() => notes,
                notes => format!(" <span class=\"takes\">{notes}</span>"),
            };
            let _ = writeln!(
                self.html,
                "<div{id}><dt><code>{}</code></dt><dd>{}{notes}</dd></div>",
                escape(item.name),
                item.meaning
            );
        }
        self.html.push_str("</dl>\n");
    }

    fn blocks(&mut self) {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        self.section("blocks", "block", &names);
        self.paragraph("reference-blocks-about");
        let items: Vec<Item> = COMMON_ARGUMENTS
            .iter()
            .map(|argument| self.argument("", argument))
            .collect();
        self.list(&items);
        for kind in KINDS {
            self.kind(kind);
        }
    }

    fn kind(&mut self, kind: &Kind) {
        self.entry("block", kind.name, kind.meaning);
        let common = |argument: &&Argument| {
            COMMON_ARGUMENTS
                .iter()
                .any(|it| (it.name, it.meaning) == (argument.name, argument.meaning))
        };
        let items: Vec<Item> = kind
            .arguments
            .iter()
            .filter(|argument| !common(argument))
            .map(|argument| self.argument(kind.name, argument))
            .collect();
        self.list(&items);
        let also: Vec<&str> = kind
            .arguments
            .iter()
            .filter(common)
            .map(|argument| argument.name)
            .collect();
        self.also(&also);
    }

    fn argument(&self, block: &str, argument: &Argument) -> Item {
        let meaning = self.words(
            &[
                format!("argument-{block}-{}", argument.name),
                format!("argument-{}", argument.name),
            ],
            argument.meaning,
        );
        let mut notes = vec![format!(
            "{}: {}",
            escape(self.language.message("reference-takes")),
            self.takes(argument.kind)
        )];
        if argument.required {
            notes.push(self.required());
        } else if !argument.default.is_empty() {
            notes.push(format!(
                "{}: <code>{}</code>",
                escape(self.language.message("default")),
                escape(argument.default)
            ));
        }
        Item {
            id: None,
            name: argument.name,
            meaning,
            notes,
        }
    }

    fn required(&self) -> String {
        let word = escape(self.language.message("reference-required"));
        format!("<strong>{word}</strong>")
    }

    /// What an argument takes, in the page's language.
    fn takes(&self, kind: Type) -> String {
        let one_of = |key: &str, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            let words = words.join(", ");
            let arguments = [("words", text::Argument::Text(&words))];
            with_code(&self.language.message_with(key, &arguments))
        };
        let key = match kind {
            Type::Choice(words) => return one_of("type-choice", words),
            Type::Choices(words) => return one_of("type-choices", words),
            Type::Text => "type-text",
            Type::Texts => "type-texts",
            Type::Flag => "type-flag",
            Type::Number => "type-number",
            Type::Levels => "type-levels",
        };
        with_code(self.language.message(key))
    }

    fn functions(&mut self) {
        let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        self.section("functions", "function", &names);
        self.paragraph("reference-functions-about");
        let items: Vec<Item> = COMMON_PARAMETERS
            .iter()
            .map(|parameter| self.parameter("", parameter))
            .collect();
        self.list(&items);
        for function in FUNCTIONS {
            self.function(function, "function");
        }
    }

    fn filters(&mut self) {
        let names: Vec<&str> = FILTERS.iter().map(|filter| filter.name).collect();
        self.section("filters", "filter", &names);
        for filter in FILTERS {
            self.function(filter, "filter");
        }
    }

    fn function(&mut self, function: &Function, prefix: &str) {
        self.entry(prefix, function.name, function.meaning);
        self.example(function.example);
        let common = |parameter: &&Parameter| {
            COMMON_PARAMETERS
                .iter()
                .any(|it| (it.name, it.meaning) == (parameter.name, parameter.meaning))
        };
        let items: Vec<Item> = function
            .parameters
            .iter()
            .filter(|parameter| !common(parameter))
            .map(|parameter| self.parameter(function.name, parameter))
            .collect();
        self.list(&items);
        let also: Vec<&str> = function
            .parameters
            .iter()
            .filter(common)
            .map(|parameter| parameter.name)
            .collect();
        self.also(&also);
    }

    fn parameter(&self, function: &str, parameter: &Parameter) -> Item {
        Item {
            id: None,
            name: parameter.name,
            meaning: self.words(
                &[
                    format!("parameter-{function}-{}", parameter.name),
                    format!("parameter-{}", parameter.name),
                ],
                parameter.meaning,
            ),
            notes: match parameter.required {
                true => vec![self.required()],
                false => Vec::new(),
            },
        }
    }

    fn faults(&mut self) {
        self.section("faults", "fault", &[]);
        let items: Vec<Item> = Code::ALL
            .iter()
            .map(|code| {
                let severity = format!("severity-{}", code.severity().name());
                Item {
                    id: Some(format!("fault-{}", code.name())),
                    name: code.name(),
                    meaning: self.words(&[format!("fault-{}", code.name())], code.meaning()),
                    notes: vec![escape(self.language.message(&severity))],
                }
            })
            .collect();
        self.list(&items);
    }
}

/// A name with its meaning; the notes stand below.
struct Item {
    id: Option<String>,
    name: &'static str,
    /// As HTML.
    meaning: String,
    /// As HTML.
    notes: Vec<String>,
}

/// Words as HTML, with what stands between backticks as code.
fn with_code(words: &str) -> String {
    let mut html = String::new();
    for (index, part) in words.split('`').enumerate() {
        match index % 2 {
            0 => html.push_str(&escape(part)),
            _ => {
                let _ = write!(html, "<code>{}</code>", escape(part));
            }
        }
    }
    html
}
