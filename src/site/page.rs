//! A page in all its languages, and how file names say which page and language they are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::content::Document;
use crate::text::Lang;

/// What a page is to its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The section itself: its `_index.md`, or a folder without one. The home page is a section.
    Section,
    /// A page in it.
    Page,
}

/// A page in all languages it is written in.
#[derive(Debug)]
pub struct Page {
    /// Its path below `content/`, without language and ending: `articles/page-buffers`.
    pub key: String,
    /// What it is to its section.
    pub role: Role,
    /// The language it was written in first.
    pub original: Lang,
    /// Its texts; empty for a section without `_index.md`.
    pub documents: BTreeMap<Lang, Document>,
}

impl Page {
    /// Puts translations together; the original is the one in the earliest of the site's languages.
    pub(super) fn new(
        key: String,
        role: Role,
        mut documents: BTreeMap<Lang, Document>,
        languages: &[Lang],
    ) -> Self {
        let original = languages
            .iter()
            .find(|lang| documents.contains_key(lang))
            .unwrap_or(&languages[0])
            .clone();
        let front = documents.get(&original).map(|it| it.front.clone());
        for (lang, document) in &mut documents {
            if let Some(front) = front.as_ref().filter(|_| *lang != original) {
                document.front.take_over(front);
            }
        }
        Self {
            key,
            role,
            original,
            documents,
        }
    }

    pub(super) fn section_without_text(key: String) -> Self {
        // The language is never asked for: there is no text in any.
        let original = Lang::parse("und").or_else(|| Lang::parse("en"));
        let original = original.unwrap_or_else(|| unreachable!("`en` is a language tag"));
        Self {
            key,
            role: Role::Section,
            original,
            documents: BTreeMap::new(),
        }
    }

    /// The text for a reader: the translation, else the original.
    pub fn document(&self, lang: &Lang) -> Option<&Document> {
        self.documents
            .get(lang)
            .or_else(|| self.documents.get(&self.original))
    }

    /// Whether the page is written in this language.
    pub fn has(&self, lang: &Lang) -> bool {
        self.documents.contains_key(lang)
    }

    /// Whether it is an article: dated, or about an experiment.
    pub fn is_article(&self) -> bool {
        self.role == Role::Page
            && self.documents.get(&self.original).is_some_and(|document| {
                document.front.date.is_some() || !document.front.experiments.is_empty()
            })
    }

    /// Last part of its address.
    pub(super) fn slug(&self, lang: &Lang) -> String {
        let written = self
            .document(lang)
            .and_then(|document| document.front.slug.clone());
        written.unwrap_or_else(|| self.key.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// Where it stands in its section: lightest, then newest, then by key; sections after pages.
    pub(super) fn order(&self) -> impl Ord + '_ {
        let front = self
            .documents
            .get(&self.original)
            .map(|document| &document.front);
        let weight = front.and_then(|front| front.weight).unwrap_or(i64::MAX);
        let date = front.and_then(|front| front.date.as_deref());
        (
            self.role == Role::Section,
            weight,
            Reverse(date),
            self.key.as_str(),
        )
    }
}

/// The key of the section a key lies in; the home page lies in none.
pub(super) fn parent(key: &str) -> Option<&str> {
    if key.is_empty() {
        return None;
    }
    Some(key.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// What a file name says.
pub(super) struct Name {
    pub(super) key: String,
    pub(super) role: Role,
    pub(super) lang: Lang,
    /// A language suffix that the site doesn't have.
    pub(super) unknown_language: Option<String>,
}

impl Name {
    /// Reads `content/articles/power-plans/index.de.md`. A last part that is a language tag but
    /// none of the site's counts as one only if the file without it exists (`notes.bar.md` may
    /// just be called so).
    pub(super) fn read(path: &str, languages: &[Lang], names: &[String]) -> Self {
        let path = path.strip_prefix("content/").unwrap_or(path);
        let stem = path.strip_suffix(".md").unwrap_or(path);
        let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
        let mut name = file;
        let mut lang = languages[0].clone();
        let mut unknown_language = None;
        if let Some((before, suffix)) = file.rsplit_once('.') {
            let tag = Lang::parse(suffix);
            if let Some(known) = tag
                .as_ref()
                .and_then(|tag| languages.iter().find(|it| *it == tag))
            {
                lang = known.clone();
                name = before;
            } else if tag.is_some() {
                let base = if folder.is_empty() {
                    format!("content/{before}.md")
                } else {
                    format!("content/{folder}/{before}.md")
                };
                if names.contains(&base) {
                    unknown_language = Some(suffix.to_owned());
                }
            }
        }
        let (key, role) = match name {
            "_index" => (folder.to_owned(), Role::Section),
            "index" => (folder.to_owned(), Role::Page),
            _ if folder.is_empty() => (name.to_owned(), Role::Page),
            _ => (format!("{folder}/{name}"), Role::Page),
        };
        // A top-level `index.md` is what other tools call the home page.
        let role = if key.is_empty() { Role::Section } else { role };
        Self {
            key,
            role,
            lang,
            unknown_language,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn langs() -> Vec<Lang> {
        ["en", "de"]
            .iter()
            .map(|tag| Lang::parse(tag).expect("a tag"))
            .collect()
    }

    fn read(path: &str, names: &[&str]) -> (String, Role, String, Option<String>) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let name = Name::read(path, &langs(), &names);
        (
            name.key,
            name.role,
            name.lang.to_string(),
            name.unknown_language,
        )
    }

    #[test]
    fn names_say_page_and_language() {
        let cases = [
            ("content/_index.md", "", Role::Section, "en"),
            ("content/_index.de.md", "", Role::Section, "de"),
            (
                "content/articles/_index.md",
                "articles",
                Role::Section,
                "en",
            ),
            (
                "content/articles/a/index.de.md",
                "articles/a",
                Role::Page,
                "de",
            ),
            ("content/articles/a.md", "articles/a", Role::Page, "en"),
            ("content/release-1.0.md", "release-1.0", Role::Page, "en"),
        ];
        for (path, key, role, lang) in cases {
            let found = read(path, &[]);
            assert_eq!(
                (found.0.as_str(), found.1, found.2.as_str()),
                (key, role, lang),
                "{path}"
            );
        }
    }

    #[test]
    fn an_unknown_language_needs_its_original_beside_it() {
        assert_eq!(
            read("content/a.fr.md", &["content/a.md"]).3.as_deref(),
            Some("fr")
        );
        assert_eq!(read("content/a.bar.md", &[]).3, None);
    }

    #[test]
    fn parents_end_at_the_home_page() {
        assert_eq!(parent("a/b"), Some("a"));
        assert_eq!(parent("a"), Some(""));
        assert_eq!(parent(""), None);
    }
}
