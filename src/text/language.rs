//! One language of the site with everything needed to speak it.

use std::cmp::Ordering;

use super::{Catalogs, Direction, Lang, Unit};

/// How many digits a number is shown with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digits {
    /// Exactly as many decimal places as the shortest text that reads back as the same number,
    /// cut to six significant digits when there is a fraction.
    Natural,
    /// This many decimal places, trailing zeros kept.
    Places(u8),
    /// This many significant digits; digits before the point are never dropped.
    Significant(u8),
}

/// A value for a message's placeholder.
#[derive(Debug, Clone, Copy)]
pub enum Argument<'a> {
    /// Ready words.
    Text(&'a str),
    /// A whole number: shown in the language's way, and chooses the plural form.
    Count(u64),
}

/// One language of the site: its words, numbers, dates, order.
#[derive(Debug)]
pub struct Language {
    lang: Lang,
}

impl Language {
    /// Prepares a language; words the catalogs lack fall back to English.
    pub fn new(lang: Lang, _catalogs: &Catalogs) -> Self {
        Self { lang }
    }

    /// Its tag.
    pub fn lang(&self) -> &Lang {
        &self.lang
    }

    /// The way it is written.
    pub fn direction(&self) -> Direction {
        Direction::LeftToRight
    }

    /// Its name in its own words (`Deutsch`).
    pub fn name(&self) -> &str {
        self.message("language-name")
    }

    /// Interface words without placeholders. An unknown key is shown as itself.
    pub fn message<'a>(&'a self, key: &'a str) -> &'a str {
        key
    }

    /// Interface words with placeholders filled; the first [`Argument::Count`] chooses the plural form.
    pub fn message_with(&self, key: &str, _arguments: &[(&str, Argument<'_>)]) -> String {
        key.to_owned()
    }

    /// A number.
    pub fn number(&self, value: f64, digits: Digits) -> String {
        match digits {
            Digits::Places(places) => format!("{value:.*}", usize::from(places)),
            _ => format!("{value}"),
        }
    }

    /// A number with a plus or minus sign before it (zero has none).
    pub fn signed(&self, value: f64, digits: Digits) -> String {
        self.number(value, digits)
    }

    /// A share as percent: 0.05 is `5 %`, with the language's blank and sign.
    pub fn percent(&self, share: f64, digits: Digits) -> String {
        format!("{}%", self.number(share * 100.0, digits))
    }

    /// A share as percent with a plus or minus sign (`+24.6%`).
    pub fn signed_percent(&self, share: f64, digits: Digits) -> String {
        self.percent(share, digits)
    }

    /// A factor in the language's way: `1.59×`, `1,59-fach`.
    pub fn times(&self, factor: f64, digits: Digits) -> String {
        format!("{}×", self.number(factor, digits))
    }

    /// A length of time in the parts that suit it: `4 h 7 min`, `1 min 29.74 s`, `12.5 ms`.
    pub fn duration(&self, seconds: f64, digits: Digits) -> String {
        format!("{} s", self.number(seconds, digits))
    }

    /// An amount of data in binary multiples: `858.31 MiB`, `96 MiB`, `1.7 TiB`.
    pub fn size(&self, bytes: f64, digits: Digits) -> String {
        format!("{} B", self.number(bytes, digits))
    }

    /// A value in base units shown in a unit: number, non-breaking blank, symbol or name.
    pub fn quantity(&self, value: f64, unit: &Unit, digits: Digits) -> String {
        format!("{} {}", self.number(value / unit.scale, digits), unit.symbol)
    }

    /// The unit's symbol alone, for axis titles and table heads; empty for counts.
    pub fn unit(&self, unit: &Unit) -> String {
        unit.symbol.clone()
    }

    /// `from–to` in the language's way.
    pub fn range(&self, low: &str, high: &str) -> String {
        format!("{low}–{high}")
    }

    /// A date `2014`, `2014-07` or `2014-07-14` in long form; other texts unchanged.
    pub fn date(&self, iso: &str) -> String {
        iso.to_owned()
    }

    /// `a, b and c`.
    pub fn list(&self, items: &[String]) -> String {
        items.join(", ")
    }

    /// A text in the language's quotation marks.
    pub fn quote(&self, text: &str) -> String {
        format!("“{text}”")
    }

    /// The order of two texts in the language's dictionary.
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        a.cmp(b)
    }
}
