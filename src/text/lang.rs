//! Language tags, and texts that exist in several languages.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use icu_locale::Locale;

/// A language of the site, as a normalised BCP 47 tag (`en`, `pt-BR`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lang(Arc<str>);

impl Lang {
    /// Reads a tag; `None` when it isn't well-formed.
    pub fn parse(tag: &str) -> Option<Self> {
        let locale: Locale = tag.parse().ok()?;
        (!locale.id.language.is_unknown()).then(|| Self(locale.to_string().into()))
    }

    /// English, the language of the built-in words and the last to fall back to.
    pub fn english() -> Self {
        Self("en".into())
    }

    /// The normalised tag.
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// This language, then the ones it derives from: `zh-Hant-TW`, `zh-Hant`, `zh`.
    pub fn ancestry(&self) -> Vec<Self> {
        let mut all = vec![self.clone()];
        let mut tag = &*self.0;
        while let Some((parent, _)) = tag.rsplit_once('-') {
            tag = parent;
            all.extend(Self::parse(tag));
        }
        all
    }

    /// Its form for ICU.
    pub(super) fn locale(&self) -> Locale {
        self.0.parse().unwrap_or(Locale::UNKNOWN)
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Lang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Lang({})", self.0)
    }
}

/// The way a language is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    LeftToRight,
    /// From right to left.
    RightToLeft,
}

impl Direction {
    /// The value of HTML's `dir`.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}

/// A text with translations: the source's own words, and others by language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Localized {
    source: String,
    translations: BTreeMap<Lang, String>,
}

impl Localized {
    /// A text in the language of its file only.
    pub fn new(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            translations: BTreeMap::new(),
        }
    }

    /// Adds or replaces a translation.
    pub fn translate(&mut self, lang: Lang, text: impl Into<String>) {
        self.translations.insert(lang, text.into());
    }

    /// The text for a reader: the translation, else the source's words.
    pub fn get(&self, lang: &Lang) -> &str {
        self.translations.get(lang).unwrap_or(&self.source)
    }

    /// The source's own words.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Whether a translation into this language was given.
    pub fn has(&self, lang: &Lang) -> bool {
        self.translations.contains_key(lang)
    }
}
