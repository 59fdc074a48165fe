//! What `site.toml` says; each field names the room that receives it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::content::markdown::RawHtml;
use crate::diag::{Code, Diagnostic, Report, Source, Span, toml_faults};
use crate::text::{Lang, Localized};

/// A site's settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The text of `site.toml`.
    pub source: Arc<Source>,
    /// Title by language → `render`.
    pub title: Localized,
    /// Description by language → `render`.
    pub description: Localized,
    /// Languages in order, the first is the default and has no suffix in file names → `site`, `data`.
    pub languages: Vec<Lang>,
    /// Where the site will stand, with a `/` at its end; without it nothing absolute is written → `render`.
    pub base_url: Option<String>,
    /// What happens to HTML in Markdown → `content`.
    pub raw_html: RawHtml,
    /// The main menu → `site`.
    pub menu: Vec<MenuItem>,
    /// Whether each experiment gets a page of its own → `render`.
    pub experiment_pages: bool,
}

/// An entry of the main menu.
#[derive(Debug, Clone)]
pub struct MenuItem {
    /// A path below `content/`, `site:…` or `experiment:…`.
    pub target: String,
    /// Where it is written.
    pub span: Span,
}

/// Folders of the output that are no language, though their names could be tags.
const FOLDERS: [&str; 3] = ["assets", "data", "static"];

const KEYS: [&str; 8] = [
    "title",
    "description",
    "languages",
    "base_url",
    "raw_html",
    "experiment_pages",
    "translations",
    "menu",
];

impl Config {
    /// Reads `site.toml`; faults go to the report and the defaults hold in their place.
    pub fn read(source: &Arc<Source>, report: &mut Report) -> Self {
        let (table, errors) = DeTable::parse_recoverable(&source.text);
        let mut broken = Vec::new();
        for fault in toml_faults(&source.text, &errors) {
            let place = Span::new(source, fault.range);
            broken.push(place.line_column().0);
            let mut diagnostic = Diagnostic::new(Code::BadToml, fault.message).at(place, "");
            diagnostic.help.extend(fault.help);
            report.push(diagnostic);
        }
        let mut found = Report::new();
        let mut reader = Reader {
            source,
            report: &mut found,
        };
        let mut config = Self {
            source: Arc::clone(source),
            title: Localized::default(),
            description: Localized::default(),
            languages: Vec::new(),
            base_url: None,
            raw_html: RawHtml::Escape,
            menu: Vec::new(),
            experiment_pages: true,
        };
        for (key, value) in table.get_ref() {
            config.set(key, value, &mut reader);
        }
        if config.languages.is_empty() {
            config.languages.extend(Lang::parse("en"));
        }
        // The languages must be known by then, wherever they stand in the file.
        if let Some(translations) = table.get_ref().get("translations") {
            config.translate(translations, &mut reader);
        }
        // What stands on a broken line may not be what the author meant.
        let on_broken = |it: &Diagnostic| {
            it.labels
                .first()
                .is_some_and(|label| broken.contains(&label.span.line_column().0))
        };
        for fault in found.sorted().into_iter().filter(|it| !on_broken(it)) {
            report.push(fault.clone());
        }
        config
    }

    fn set(&mut self, key: &Key<'_>, value: &Item<'_>, reader: &mut Reader<'_>) {
        match key.get_ref().as_ref() {
            "title" => self.title = Localized::new(reader.text("title", value)),
            "description" => self.description = Localized::new(reader.text("description", value)),
            "languages" => self.languages = reader.languages(value),
            "base_url" => {
                let url = reader.text("base_url", value);
                match base_url(&url) {
                    Ok(url) => self.base_url = Some(url),
                    Err(_) if url.is_empty() => {}
                    Err(why) => reader.fault(value.span(), why, |fault| fault),
                }
            }
            "raw_html" => match reader.text("raw_html", value).as_str() {
                "escape" | "" => {}
                "sanitize" => self.raw_html = RawHtml::Sanitize,
                other => reader.fault(
                    value.span(),
                    format!("`raw_html` can't be `{other}`"),
                    |it| it.suggest(other, ["escape", "sanitize"]),
                ),
            },
            "experiment_pages" => match value.get_ref() {
                DeValue::Boolean(flag) => self.experiment_pages = *flag,
                _ => reader.wrong("experiment_pages", value, "`true` or `false`"),
            },
            "menu" => match value.get_ref() {
                DeValue::Array(items) => {
                    self.menu = items
                        .iter()
                        .filter_map(|item| reader.menu_item(item))
                        .collect();
                }
                _ => reader.wrong("menu", value, "tables: write `[[menu]]`"),
            },
            "translations" => {}
            _ => reader.unknown(key, &KEYS),
        }
    }

    /// `[translations.de]` and the like.
    fn translate(&mut self, value: &Item<'_>, reader: &mut Reader<'_>) {
        let DeValue::Table(tables) = value.get_ref() else {
            return reader.wrong("translations", value, "tables: write `[translations.de]`");
        };
        for (tag, value) in tables {
            let name = tag.get_ref().as_ref();
            let Some(lang) = self.languages.iter().find(|lang| lang.tag() == name) else {
                reader.report.push(
                    Diagnostic::new(
                        Code::UnknownLanguage,
                        format!("`{name}` is not among the site's languages"),
                    )
                    .at(Span::new(reader.source, tag.span()), "")
                    .suggest(name, self.languages.iter().map(Lang::tag))
                    .help("add it to `languages`, or leave these texts out"),
                );
                continue;
            };
            let DeValue::Table(texts) = value.get_ref() else {
                reader.wrong(name, value, "a table with `title` and `description`");
                continue;
            };
            for (key, text) in texts {
                let words = match key.get_ref().as_ref() {
                    "title" => &mut self.title,
                    "description" => &mut self.description,
                    _ => {
                        reader.unknown(key, &["title", "description"]);
                        continue;
                    }
                };
                words.translate(lang.clone(), reader.text(key.get_ref(), text));
            }
        }
    }
}

type Key<'t> = Spanned<Cow<'t, str>>;
type Item<'t> = Spanned<DeValue<'t>>;

/// Reads values and reports those that can't be used.
struct Reader<'r> {
    source: &'r Arc<Source>,
    report: &'r mut Report,
}

impl Reader<'_> {
    fn fault(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        say: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let fault = Diagnostic::new(Code::BadConfig, message);
        self.report
            .push(say(fault.at(Span::new(self.source, range), "")));
    }

    fn wrong(&mut self, key: &str, value: &Item<'_>, wanted: &str) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{key}` takes {wanted}, not {found}");
        self.fault(value.span(), message, |fault| fault);
    }

    fn unknown(&mut self, key: &Key<'_>, known: &[&str]) {
        let name = key.get_ref().as_ref();
        self.report.push(
            Diagnostic::new(Code::UnknownKey, format!("`{name}` is not known here"))
                .at(Span::new(self.source, key.span()), "")
                .suggest(name, known.iter().copied()),
        );
    }

    /// A text; empty, and reported, if it is none.
    fn text(&mut self, key: &str, value: &Item<'_>) -> String {
        match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            _ => {
                self.wrong(key, value, "a text in quotes");
                String::new()
            }
        }
    }

    fn languages(&mut self, value: &Item<'_>) -> Vec<Lang> {
        let mut languages = Vec::new();
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong("languages", value, "a list such as `[\"en\", \"de\"]`");
            return languages;
        };
        for item in items {
            let DeValue::String(tag) = item.get_ref() else {
                self.wrong("languages", item, "texts in quotes");
                continue;
            };
            match Lang::parse(tag) {
                Some(lang) if languages.contains(&lang) => {
                    self.fault(
                        item.span(),
                        format!("language `{lang}` stands twice"),
                        |it| it,
                    );
                }
                // Languages are folders of the output: `aux` is one that Windows can't have.
                Some(lang)
                    if FOLDERS.contains(&lang.tag())
                        || crate::source::reserved(lang.tag()).is_some() =>
                {
                    let message = format!("`{lang}` can't be the folder of a language");
                    self.fault(item.span(), message, |fault| {
                        fault.help(format!(
                            "write it with its script or region, or as `{lang}-x-site`"
                        ))
                    });
                }
                Some(lang) => languages.push(lang),
                None => self.fault(
                    item.span(),
                    format!("`{tag}` is not a language tag"),
                    |fault| fault.help("write it as BCP 47 has it, such as `en`, `de` or `pt-BR`"),
                ),
            }
        }
        languages
    }

    fn menu_item(&mut self, item: &Item<'_>) -> Option<MenuItem> {
        let DeValue::Table(entries) = item.get_ref() else {
            self.wrong("menu", item, "tables: write `[[menu]]`");
            return None;
        };
        for (key, _) in entries.iter().filter(|(key, _)| key.get_ref() != "link") {
            self.unknown(key, &["link"]);
        }
        let Some(link) = entries.get("link") else {
            if entries.is_empty() {
                self.fault(item.span(), "an entry of the menu has no `link`", |fault| {
                    fault.help("name a page: `link = \"glossary.md\"`")
                });
            }
            return None;
        };
        let span = Span::new(self.source, link.span());
        let target = self.text("link", link);
        (!target.is_empty()).then_some(MenuItem { target, span })
    }
}

/// A base address made fit for use: absolute, http or https, with a `/` at its end.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn base_url(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match rest {
        Some(rest)
            if !rest.is_empty()
                && !rest.starts_with('/')
                && !rest
                    .contains(['?', '#', '"', '\'', '<', '>', '\\', '`', '{', '}', '|', '^'])
                && !rest.contains(steers) =>
        {
            Ok(format!("{}/", text.trim_end_matches('/')))
        }
        _ => Err(format!(
            "`{text}` is not a base address: it must begin with https:// or http:// and have no query"
        )),
    }
}

/// Blanks, control characters, and signs that are there but not seen.
fn steers(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || crate::source::is_unseen(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Config, Vec<Code>) {
        let mut report = Report::new();
        let config = Config::read(&Source::new("site.toml", text), &mut report);
        (
            config,
            report
                .sorted()
                .iter()
                .map(|diagnostic| diagnostic.code)
                .collect(),
        )
    }

    #[test]
    fn an_empty_file_gives_an_english_site() {
        let (config, codes) = read("");
        assert_eq!(config.languages.len(), 1);
        assert_eq!(config.languages[0].tag(), "en");
        assert!(codes.is_empty());
    }

    #[test]
    fn every_bad_setting_is_reported() {
        let (_, codes) = read(
            "languages = [\"en\", \"en\", \"?\"]\nbase_url = \"example\"\nraw_html = \"keep\"\n\
             [translations.fr]\ntitle = \"x\"\n",
        );
        let bad = codes
            .iter()
            .filter(|&&code| code == Code::BadConfig)
            .count();
        assert_eq!((bad, codes.contains(&Code::UnknownLanguage)), (4, true));
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let mut report = Report::new();
        Config::read(&Source::new("site.toml", "titel = \"x\""), &mut report);
        let found = report.sorted();
        assert_eq!(found[0].code, Code::UnknownKey);
        assert_eq!(found[0].help, ["did you mean `title`?"]);
    }

    #[test]
    fn a_base_address_ends_in_one_slash() {
        assert_eq!(
            base_url("https://example.org//").as_deref(),
            Ok("https://example.org/")
        );
        assert!(base_url("//example.org").is_err());
        assert!(base_url("https://").is_err());
    }
}
