//! Pages, addresses, sections, translations and links: everything about a site but its figures.

pub mod address;
pub mod link;
mod page;
pub mod translation;

use std::collections::{BTreeMap, BTreeSet};

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::text::Lang;

pub use page::{Page, Role};
pub use translation::State;

/// A site's pages, ready to be rendered.
#[derive(Debug)]
pub struct Site {
    /// Its languages; the first is the default.
    pub languages: Vec<Lang>,
    /// Its pages, in the order of their keys.
    pub pages: Vec<Page>,
    /// Paths of the drafts that were left out.
    pub drafts: BTreeSet<String>,
    by_key: BTreeMap<String, usize>,
    /// The pages directly in each section, in order: every page asks for its neighbours.
    children: BTreeMap<String, Vec<usize>>,
}

/// Puts documents together: translations of one page into one [`Page`], pages into sections.
/// Faults in names and translations go to the report. Drafts are left out unless asked for.
pub fn assemble(
    documents: Vec<Document>,
    languages: &[Lang],
    drafts: bool,
    report: &mut Report,
) -> Site {
    let names: Vec<String> = documents
        .iter()
        .map(|document| document.source.path.clone())
        .collect();
    let mut left_out = BTreeSet::new();
    let mut by_key: BTreeMap<(String, Role), BTreeMap<Lang, Document>> = BTreeMap::new();
    for document in documents {
        let named = page::Name::read(&document.source.path, languages, &names);
        if let Some(unknown) = &named.unknown_language {
            report.push(
                Diagnostic::new(
                    Code::UnknownLanguage,
                    format!("`{unknown}` is not among the site's languages"),
                )
                .at(heading(&document), "this file is named as a translation")
                .suggest(unknown, languages.iter().map(Lang::tag))
                .help("add it to `languages` in site.toml, or rename the file")
                .may_follow_from("site.toml"),
            );
            continue;
        }
        if document.front.draft && !drafts {
            left_out.insert(document.source.path.clone());
            continue;
        }
        let documents = by_key.entry((named.key, named.role)).or_default();
        if let Some(earlier) = documents.get(&named.lang) {
            report.push(
                Diagnostic::new(Code::UrlCollision, "two files are the same page")
                    .at(heading(&document), "this one")
                    .at(heading(earlier), "and this one")
                    .help("remove one of them, or rename it"),
            );
            continue;
        }
        documents.insert(named.lang, document);
    }
    let mut pages = Vec::new();
    for ((key, role), documents) in by_key {
        pages.push(Page::new(key, role, documents, languages));
    }
    add_missing_sections(&mut pages);
    pages.sort_by(|a, b| (&a.key, a.role).cmp(&(&b.key, b.role)));
    for page in &pages {
        translation::check(page, languages, report);
    }
    let by_key = pages
        .iter()
        .enumerate()
        .map(|(index, page)| (page.key.clone(), index))
        .collect();
    let children = sort_into_sections(&pages);
    Site {
        languages: languages.to_vec(),
        pages,
        drafts: left_out,
        by_key,
        children,
    }
}

/// The pages directly in each section, lightest first, then newest, then by key.
fn sort_into_sections(pages: &[Page]) -> BTreeMap<String, Vec<usize>> {
    let mut sections: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        if let Some(parent) = page::parent(&page.key) {
            sections.entry(parent.to_owned()).or_default().push(index);
        }
    }
    for children in sections.values_mut() {
        children.sort_by(|&a, &b| pages[a].order().cmp(&pages[b].order()));
    }
    sections
}

/// Where a document's title stands, for faults that concern it as a whole; else its first line.
pub fn heading(document: &Document) -> Span {
    let title = document.front.span_of("title");
    title.map_or_else(|| Span::line(&document.source, 1), Span::clone)
}

/// Sections need no `_index.md`: a folder with pages is one all the same.
fn add_missing_sections(pages: &mut Vec<Page>) {
    let mut known: BTreeSet<&str> = pages.iter().map(|page| page.key.as_str()).collect();
    let mut missing = Vec::new();
    for page in pages.iter() {
        let mut key = page.key.as_str();
        while let Some(parent) = page::parent(key) {
            if known.insert(parent) {
                missing.push(parent.to_owned());
            }
            key = parent;
        }
    }
    if known.insert("") {
        missing.push(String::new());
    }
    pages.extend(missing.into_iter().map(Page::section_without_text));
}

impl Site {
    /// The page with this key (`articles/page-buffers`; the home page is the empty text).
    pub fn page(&self, key: &str) -> Option<&Page> {
        self.by_key.get(key).map(|&index| &self.pages[index])
    }

    /// The pages directly in a section, lightest first, then newest, then by key.
    pub fn children(&self, key: &str) -> impl DoubleEndedIterator<Item = &Page> {
        self.places(key).iter().map(|&index| &self.pages[index])
    }

    fn places(&self, key: &str) -> &[usize] {
        self.children.get(key).map_or(&[], Vec::as_slice)
    }

    /// The pages before and after one in its section (other sections aren't counted).
    pub fn neighbours(&self, page: &Page) -> (Option<&Page>, Option<&Page>) {
        if page.role != Role::Page {
            return (None, None);
        }
        let places = page::parent(&page.key).map_or(&[][..], |parent| self.places(parent));
        let order = |&index: &usize| self.pages[index].order().cmp(&page.order());
        let Ok(at) = places.binary_search_by(order) else {
            return (None, None);
        };
        let sibling = |at: usize| {
            let sibling = &self.pages[*places.get(at)?];
            (sibling.role == Role::Page).then_some(sibling)
        };
        (at.checked_sub(1).and_then(sibling), sibling(at + 1))
    }

    /// The sections a page lies in, from the home page down, without the page itself.
    pub fn ancestors(&self, page: &Page) -> Vec<&Page> {
        let mut found = Vec::new();
        let mut key = page.key.as_str();
        while let Some(parent) = page::parent(key) {
            found.extend(self.page(parent));
            key = parent;
        }
        found.reverse();
        found
    }

    /// The default language.
    pub fn default_language(&self) -> &Lang {
        &self.languages[0]
    }
}
