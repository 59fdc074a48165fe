//! One language of the site with everything needed to speak it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use fixed_decimal::{Decimal, SignDisplay};
use icu_calendar::Date;

use super::icu::{self, Precision, formatters};
use super::message::Message;
use super::pattern::fill;
use super::{Catalogs, Direction, Lang, number};

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
#[derive(Debug, Clone)]
pub struct Language {
    lang: Lang,
    direction: Direction,
    words: BTreeMap<String, Message>,
}

/// What stands for a number that isn't finite; the data never hold one.
const NO_NUMBER: &str = "–";

impl Language {
    /// Prepares a language; words the catalogs lack fall back to English.
    pub fn new(lang: Lang, catalogs: &Catalogs) -> Self {
        Self {
            direction: icu::direction(&lang),
            words: catalogs.words(&lang),
            lang,
        }
    }

    /// Its tag.
    pub fn lang(&self) -> &Lang {
        &self.lang
    }

    /// The way it is written.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Its name in its own words (`Deutsch`); the tag where no catalog gives one.
    pub fn name(&self) -> &str {
        const KEY: &str = "language-name";
        match self.has_own(KEY) {
            true => self.message(KEY),
            false => self.lang.tag(),
        }
    }

    /// Whether a message stands in its own catalog or one it derives from.
    fn has_own(&self, key: &str) -> bool {
        let message = self.words.get(key);
        message.is_some_and(|message| self.lang.ancestry().contains(&message.lang))
    }

    /// The name of another language in this one's words (`German`); the tag where there is none.
    pub fn language_name(&self, other: &Lang) -> String {
        let key = |lang: &Lang| format!("language-{lang}");
        let known = other
            .ancestry()
            .iter()
            .find_map(|lang| self.known(&key(lang)));
        known.unwrap_or(other.tag()).to_owned()
    }

    /// Interface words without placeholders. An unknown key is shown as itself.
    pub fn message<'a>(&'a self, key: &'a str) -> &'a str {
        self.known(key).unwrap_or(key)
    }

    /// Interface words, if there are any under this key.
    pub fn known(&self, key: &str) -> Option<&str> {
        self.find(key).map(Message::other)
    }

    /// A message by its key; keys made of a file's own words (`fact-page_size`) may hold `_`.
    fn find(&self, key: &str) -> Option<&Message> {
        self.words.get(key).or_else(|| {
            if key.contains('_') {
                self.words.get(&key.replace('_', "-"))
            } else {
                None
            }
        })
    }

    /// Interface words with placeholders filled; the first [`Argument::Count`] chooses the plural form.
    pub fn message_with(&self, key: &str, arguments: &[(&str, Argument<'_>)]) -> String {
        let Some(message) = self.words.get(key) else {
            return key.to_owned();
        };
        let count = arguments.iter().find_map(|(_, argument)| match argument {
            Argument::Count(count) => Some(*count),
            Argument::Text(_) => None,
        });
        let text = match count {
            Some(count) if message.is_plural() => {
                message.form(formatters(&message.lang).category(count))
            }
            _ => message.other(),
        };
        fill(text, |name, out| {
            match arguments.iter().find(|(it, _)| *it == name) {
                Some((_, Argument::Text(text))) => out.push_str(text),
                Some((_, Argument::Count(count))) => out.push_str(&self.count(*count)),
                None => {
                    out.push('{');
                    out.push_str(name);
                    out.push('}');
                }
            }
        })
    }

    /// The form of a message that goes with a number as it is shown.
    pub(super) fn form(&self, key: &str, shown: &Decimal) -> Option<&str> {
        let message = self.find(key)?;
        Some(if message.is_plural() {
            message.form(formatters(&message.lang).category(shown))
        } else {
            message.other()
        })
    }

    /// A pattern's only placeholders filled.
    pub(super) fn pattern(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        fill(self.message(key), |name, out| {
            if let Some((_, text)) = arguments.iter().find(|(it, _)| *it == name) {
                out.push_str(text);
            }
        })
    }

    /// A whole number.
    pub fn count(&self, count: u64) -> String {
        formatters(&self.lang).number(&Decimal::from(count))
    }

    /// Ready digits in the language's way.
    pub(super) fn decimal(&self, decimal: &Decimal) -> String {
        formatters(&self.lang).number(decimal)
    }

    /// A number.
    pub fn number(&self, value: f64, digits: Digits) -> String {
        self.shown(number::exact(value), digits, SignDisplay::Auto)
    }

    /// A number with a plus or minus sign before it (zero has none).
    pub fn signed(&self, value: f64, digits: Digits) -> String {
        self.shown(number::exact(value), digits, SignDisplay::ExceptZero)
    }

    fn shown(&self, exact: Option<Decimal>, digits: Digits, sign: SignDisplay) -> String {
        match exact {
            Some(exact) => self.decimal(&number::rounded(exact, digits).with_sign_display(sign)),
            None => NO_NUMBER.to_owned(),
        }
    }

    /// A share as percent: 0.05 is `5 %`, with the language's blank and sign.
    pub fn percent(&self, share: f64, digits: Digits) -> String {
        self.percent_with(share, digits, SignDisplay::Auto)
    }

    /// A share as percent with a plus or minus sign (`+24.6%`).
    pub fn signed_percent(&self, share: f64, digits: Digits) -> String {
        self.percent_with(share, digits, SignDisplay::ExceptZero)
    }

    fn percent_with(&self, share: f64, digits: Digits, sign: SignDisplay) -> String {
        // Moving the point in the decimal digits keeps 0.285 at exactly 28.5 %.
        let hundredfold = number::exact(share).map(|mut exact| {
            exact.multiply_pow10(2);
            exact
        });
        self.pattern(
            "percent",
            &[("number", &self.shown(hundredfold, digits, sign))],
        )
    }

    /// A factor in the language's way: `1.59×`, `1,59-fach`.
    pub fn times(&self, factor: f64, digits: Digits) -> String {
        self.pattern("times", &[("number", &self.number(factor, digits))])
    }

    /// `from–to` in the language's way: a dash, with blanks around it when the ends hold blanks;
    /// words when a sign before an end could be taken for the dash.
    pub fn range(&self, low: &str, high: &str) -> String {
        let signed = |text: &str| text.contains(['-', '−', '+', '–']);
        let wide = |text: &str| text.contains(char::is_whitespace);
        let key = if signed(low) || signed(high) {
            "range-words"
        } else if wide(low) && wide(high) {
            "range-wide"
        } else {
            "range"
        };
        self.pattern(key, &[("low", low), ("high", high)])
    }

    /// A date `2014`, `2014-07` or `2014-07-14` in long form; other texts unchanged. The form is that
    /// of CLDR unless the language's catalog has a pattern `date-day` or `date-month`.
    pub fn date(&self, iso: &str) -> String {
        let Some((date, precision)) = parse_date(iso) else {
            return iso.to_owned();
        };
        let formatters = formatters(&self.lang);
        let key = match precision {
            Precision::Day => "date-day",
            Precision::Month => "date-month",
            Precision::Year => "",
        };
        if !self.has_own(key) {
            return formatters.date(date, precision);
        }
        let [day, month, year] = formatters.date_parts(date, precision);
        self.pattern(key, &[("day", &day), ("month", &month), ("year", &year)])
    }

    /// `a, b and c`.
    pub fn list(&self, items: &[String]) -> String {
        formatters(&self.lang).list(items)
    }

    /// A text in the language's quotation marks.
    pub fn quote(&self, text: &str) -> String {
        self.pattern("quote", &[("text", text)])
    }

    /// The order of two texts in the language's dictionary.
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        // Texts that the dictionary holds for equal still have one fixed order.
        formatters(&self.lang).compare(a, b).then_with(|| a.cmp(b))
    }
}

fn parse_date(iso: &str) -> Option<(Date<icu_calendar::Gregorian>, Precision)> {
    let mut parts = iso.split('-');
    let mut part = |digits: usize| match parts.next() {
        None => Some(None),
        Some(text) if text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse::<u16>().ok().map(Some)
        }
        Some(_) => None,
    };
    let (year, month, day) = (part(4)??, part(2)?, part(2)?);
    if parts.next().is_some() {
        return None;
    }
    let precision = match (month, day) {
        (Some(_), Some(_)) => Precision::Day,
        (Some(_), None) => Precision::Month,
        (None, _) => Precision::Year,
    };
    let small = |part: Option<u16>| u8::try_from(part.unwrap_or(1)).ok();
    let date = Date::try_new_gregorian(i32::from(year), small(month)?, small(day)?).ok()?;
    Some((date, precision))
}

#[cfg(test)]
mod tests;
