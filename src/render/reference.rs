//! The reference page: blocks, functions, filters and faults, from the tables that also make the errors.

use std::fmt::Write as _;

use crate::content::{FILTERS, FUNCTIONS, Function, KINDS, Kind, Type};
use crate::diag::{Code, Report};
use crate::figure::markup::escape;
use crate::output::Artifacts;
use crate::site::address;
use crate::text::{Lang, Language};

use super::Tally;
use super::lists::{self, generated_seat};
use super::press::Press;
use super::view::{HeadingView, PageView};

/// Renders the reference in every language.
pub(super) fn render(
    press: &Press<'_>,
    artifacts: &mut Artifacts,
    tally: &mut Tally,
    report: &mut Report,
) {
    for lang in &press.site.languages {
        page(press, lang, artifacts, report);
        tally.pages += 1;
    }
}

fn page(press: &Press<'_>, lang: &Lang, artifacts: &mut Artifacts, report: &mut Report) {
    let language = press.language(lang);
    let seat = generated_seat(press, lang, |lang| address::of_generated("reference", lang));
    let mut sheet = Sheet {
        language,
        html: String::new(),
        headings: Vec::new(),
    };
    sheet.heading("blocks", "reference-blocks");
    for kind in KINDS {
        sheet.kind(kind);
    }
    sheet.heading("functions", "reference-functions");
    for function in FUNCTIONS {
        sheet.function(function, "function");
    }
    sheet.heading("filters", "reference-filters");
    for filter in FILTERS {
        sheet.function(filter, "filter");
    }
    sheet.heading("faults", "reference-faults");
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
    lists::put(press, &seat, "page.html", view, artifacts, report);
}

struct Sheet<'a> {
    language: &'a Language,
    html: String,
    headings: Vec<HeadingView>,
}

impl Sheet<'_> {
    fn heading(&mut self, id: &str, key: &str) {
        let words = escape(self.language.message(key));
        let _ = writeln!(self.html, "<h2 id=\"{id}\">{words}</h2>");
        self.headings.push(HeadingView {
            level: 2,
            id: id.to_owned(),
            html: words,
        });
    }

    /// A translated sentence of a table, else the table's own.
    fn words(&self, keys: &[String], own: &str) -> String {
        let known = keys.iter().find_map(|key| self.language.known(key));
        escape(known.unwrap_or(own))
    }

    fn sub_heading(&mut self, prefix: &str, name: &str) {
        let words = format!("<code>{}</code>", escape(name));
        let id = format!("{prefix}-{name}");
        let _ = writeln!(self.html, "<h3 id=\"{id}\">{words}</h3>");
        self.headings.push(HeadingView {
            level: 3,
            id,
            html: words,
        });
    }

    fn kind(&mut self, kind: &Kind) {
        self.sub_heading("block", kind.name);
        let meaning = self.words(&[format!("block-{}", kind.name)], kind.meaning);
        let _ = writeln!(self.html, "<p>{meaning}</p>");
        if kind.arguments.is_empty() {
            return;
        }
        self.table_head(&[
            "reference-argument",
            "reference-takes",
            "default",
            "reference-meaning",
        ]);
        for argument in kind.arguments {
            let meaning = self.words(
                &[
                    format!("argument-{}-{}", kind.name, argument.name),
                    format!("argument-{}", argument.name),
                ],
                argument.meaning,
            );
            let takes = self.takes(argument.kind);
            let default = if argument.required {
                escape(self.language.message("reference-required"))
            } else if argument.default.is_empty() {
                "–".to_owned()
            } else {
                format!("<code>{}</code>", escape(argument.default))
            };
            let _ = writeln!(
                self.html,
                "<tr><th scope=\"row\"><code>{}</code></th><td>{takes}</td><td>{default}</td>\
                 <td>{meaning}</td></tr>",
                argument.name
            );
        }
        self.table_end();
    }

    fn takes(&self, kind: Type) -> String {
        match kind {
            Type::Choice(words) => {
                let words: Vec<String> = words
                    .iter()
                    .map(|word| format!("<code>{word}</code>"))
                    .collect();
                words.join(", ")
            }
            Type::Text => escape(self.language.message("type-text")),
            Type::Texts => escape(self.language.message("type-texts")),
            Type::Flag => escape(self.language.message("type-flag")),
            Type::Number => escape(self.language.message("type-number")),
            Type::Levels => escape(self.language.message("type-levels")),
            #[allow(unreachable_patterns)] // New types show as a text until they get a word.
            _ => escape(self.language.message("type-text")),
        }
    }

    fn function(&mut self, function: &Function, prefix: &str) {
        self.sub_heading(prefix, function.name);
        let meaning = self.words(&[format!("{prefix}-{}", function.name)], function.meaning);
        let _ = writeln!(
            self.html,
            "<p>{meaning}</p>\n<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>",
            escape(function.example)
        );
        if function.parameters.is_empty() {
            return;
        }
        self.table_head(&["reference-argument", "reference-meaning"]);
        for parameter in function.parameters {
            let meaning = self.words(
                &[
                    format!("parameter-{}-{}", function.name, parameter.name),
                    format!("parameter-{}", parameter.name),
                ],
                parameter.meaning,
            );
            let required = if parameter.required {
                format!(" ({})", escape(self.language.message("reference-required")))
            } else {
                String::new()
            };
            let _ = writeln!(
                self.html,
                "<tr><th scope=\"row\"><code>{}</code>{required}</th><td>{meaning}</td></tr>",
                parameter.name
            );
        }
        self.table_end();
    }

    fn faults(&mut self) {
        self.table_head(&["reference-fault", "reference-severity", "reference-meaning"]);
        for code in Code::ALL {
            let meaning = self.words(&[format!("fault-{}", code.name())], code.meaning());
            let severity = format!("severity-{}", code.severity().name());
            let severity = escape(self.language.message(&severity));
            let _ = writeln!(
                self.html,
                "<tr><th scope=\"row\" id=\"fault-{0}\"><code>{0}</code></th><td>{severity}</td>\
                 <td>{meaning}</td></tr>",
                code.name()
            );
        }
        self.table_end();
    }

    fn table_head(&mut self, keys: &[&str]) {
        let label = escape(self.language.message("reference"));
        let _ = write!(
            self.html,
            "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{label}\">\
             <table class=\"data\"><thead><tr>"
        );
        for key in keys {
            let _ = write!(
                self.html,
                "<th scope=\"col\" class=\"text\">{}</th>",
                escape(self.language.message(key))
            );
        }
        self.html.push_str("</tr></thead>\n<tbody>\n");
    }

    fn table_end(&mut self) {
        self.html.push_str("</tbody></table></div>\n");
    }
}
