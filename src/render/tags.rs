//! Tags and their addresses: those that differ only in case or accents are one, all others keep apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::Site;
use crate::text::Lang;
use crate::text::fold::{fold, slug};

/// The tags of a site.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// The last part of the address of each, by its folded name.
    slugs: BTreeMap<String, String>,
    /// The folded names in each language, with the name as first written.
    names: BTreeMap<Lang, BTreeMap<String, String>>,
}

impl Tags {
    /// Gives each tag of a site its address: `C` and `C++` fold to the same words, so all but the
    /// first get a number.
    pub(super) fn new(site: &Site) -> Self {
        let mut tags = Self::default();
        for lang in &site.languages {
            let names = tags.names.entry(lang.clone()).or_default();
            for document in site.pages.iter().filter_map(|page| page.document(lang)) {
                for tag in &document.front.tags {
                    names.entry(name(tag)).or_insert_with(|| tag.clone());
                }
            }
        }
        let all: BTreeSet<String> = tags
            .names
            .values()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect();
        let mut taken = BTreeSet::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for name in all {
            let base = slug(&name);
            let count = counts.entry(base.clone()).or_insert(0);
            let free = loop {
                *count += 1;
                let next = if *count == 1 {
                    base.clone()
                } else {
                    format!("{base}-{count}")
                };
                if taken.insert(next.clone()) {
                    break next;
                }
            };
            tags.slugs.insert(name, free);
        }
        tags
    }

    /// Whether no page has any.
    pub(super) fn is_empty(&self) -> bool {
        self.slugs.is_empty()
    }

    /// The last part of a tag's address.
    pub(super) fn slug(&self, tag: &str) -> &str {
        self.slugs.get(&name(tag)).map_or("page", String::as_str)
    }

    /// The tags that a language's readers see, each with the last part of its address.
    pub(super) fn in_language(&self, lang: &Lang) -> impl Iterator<Item = (&str, &str)> {
        let names = self.names.get(lang).into_iter().flatten();
        names.map(|(name, tag)| (tag.as_str(), self.slugs[name].as_str()))
    }

    /// Whether a language has a tag.
    pub(super) fn has(&self, lang: &Lang, tag: &str) -> bool {
        self.names
            .get(lang)
            .is_some_and(|names| names.contains_key(&name(tag)))
    }
}

/// What makes tags one: their letters without case and accents, and their signs.
fn name(tag: &str) -> String {
    fold(tag.trim())
}
