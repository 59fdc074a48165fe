//! What `site.toml` says; each field names the room that receives it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::content::markdown::RawHtml;
use crate::diag::{Code, Diagnostic, Report, Source, Span};
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    title: Option<String>,
    description: Option<String>,
    languages: Option<Vec<Spanned<String>>>,
    base_url: Option<Spanned<String>>,
    raw_html: Option<Spanned<String>>,
    experiment_pages: Option<bool>,
    #[serde(default)]
    translations: BTreeMap<Spanned<String>, WireTexts>,
    #[serde(default)]
    menu: Vec<WireMenuItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTexts {
    title: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMenuItem {
    link: Spanned<String>,
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
        let wire = match toml::from_str::<Wire>(&source.text) {
            Ok(wire) => wire,
            Err(error) => {
                report.push(toml_fault(source, &error, &KEYS));
                toml::from_str("").unwrap_or_else(|_| Wire::empty())
            }
        };
        Self::from_wire(source, wire, report)
    }

    fn from_wire(source: &Arc<Source>, wire: Wire, report: &mut Report) -> Self {
        let span = |range: Range<usize>| Span::new(source, range);
        let mut languages = Vec::new();
        for tag in wire.languages.into_iter().flatten() {
            match Lang::parse(tag.get_ref()) {
                Some(lang) if languages.contains(&lang) => report.push(
                    Diagnostic::new(Code::BadConfig, format!("language `{lang}` stands twice"))
                        .at(span(tag.span()), ""),
                ),
                // Languages are folders of the output: `aux` is one that Windows can't have.
                Some(lang)
                    if FOLDERS.contains(&lang.tag()) || crate::source::reserved(lang.tag()).is_some() =>
                {
                    report.push(
                        Diagnostic::new(
                            Code::BadConfig,
                            format!("`{lang}` can't be the folder of a language"),
                        )
                        .at(span(tag.span()), "")
                        .help(format!("write it with its script or region, or as `{lang}-x-site`")),
                    );
                }
                Some(lang) => languages.push(lang),
                None => report.push(
                    Diagnostic::new(
                        Code::BadConfig,
                        format!("`{}` is not a language tag", tag.get_ref()),
                    )
                    .at(span(tag.span()), "")
                    .help("write it as BCP 47 has it, such as `en`, `de` or `pt-BR`"),
                ),
            }
        }
        if languages.is_empty() {
            languages.extend(Lang::parse("en"));
        }
        let mut title = Localized::new(wire.title.unwrap_or_default());
        let mut description = Localized::new(wire.description.unwrap_or_default());
        for (tag, texts) in wire.translations {
            let Some(lang) = languages.iter().find(|lang| lang.tag() == tag.get_ref()) else {
                report.push(
                    Diagnostic::new(
                        Code::UnknownLanguage,
                        format!("`{}` is not among the site's languages", tag.get_ref()),
                    )
                    .at(span(tag.span()), "")
                    .suggest(tag.get_ref(), languages.iter().map(Lang::tag)),
                );
                continue;
            };
            if let Some(text) = texts.title {
                title.translate(lang.clone(), text);
            }
            if let Some(text) = texts.description {
                description.translate(lang.clone(), text);
            }
        }
        let base_url = wire.base_url.and_then(|url| {
            let place = span(url.span());
            match base_url(url.get_ref()) {
                Ok(url) => Some(url),
                Err(why) => {
                    report.push(Diagnostic::new(Code::BadConfig, why).at(place, ""));
                    None
                }
            }
        });
        let raw_html = match wire.raw_html.as_ref().map(|word| word.get_ref().as_str()) {
            None | Some("escape") => RawHtml::Escape,
            Some("sanitize") => RawHtml::Sanitize,
            Some(other) => {
                let place = wire.raw_html.as_ref().map_or(0..0, Spanned::span);
                report.push(
                    Diagnostic::new(Code::BadConfig, format!("`raw_html` can't be `{other}`"))
                        .at(span(place), "")
                        .suggest(other, ["escape", "sanitize"]),
                );
                RawHtml::Escape
            }
        };
        let menu = wire
            .menu
            .into_iter()
            .map(|item| MenuItem {
                span: span(item.link.span()),
                target: item.link.into_inner(),
            })
            .collect();
        Self {
            source: Arc::clone(source),
            title,
            description,
            languages,
            base_url,
            raw_html,
            menu,
            experiment_pages: wire.experiment_pages.unwrap_or(true),
        }
    }
}

impl Wire {
    fn empty() -> Self {
        Self {
            title: None,
            description: None,
            languages: None,
            base_url: None,
            raw_html: None,
            experiment_pages: None,
            translations: BTreeMap::new(),
            menu: Vec::new(),
        }
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
                && !rest.contains(['?', '#', '"', '\'', '<', '>', '\\', '`', '{', '}', '|', '^'])
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

/// A fault that the TOML reader found, with its place; an unknown key gets the nearest known one.
pub(crate) fn toml_fault(
    source: &Arc<Source>,
    error: &toml::de::Error,
    known: &[&str],
) -> Diagnostic {
    let message = error.message().trim().to_owned();
    let place = Span::new(source, error.span().unwrap_or(0..0));
    if let Some(key) = message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split('`').next())
    {
        return Diagnostic::new(Code::UnknownKey, format!("`{key}` is not known here"))
            .at(place, "")
            .suggest(key, known.iter().copied());
    }
    Diagnostic::new(Code::BadToml, message.replace('\n', " ")).at(place, "")
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
