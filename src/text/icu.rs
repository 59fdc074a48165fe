//! ICU's formatters for a language, made once per thread.
//!
//! Without its `sync` feature ICU keeps data behind `Rc`, so formatters can't live in a value that
//! threads share. They are cheap to make and to look up, so every thread keeps its own.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use fixed_decimal::Decimal;
use icu_calendar::{Date, Gregorian};
use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_datetime::{FixedCalendarDateTimeFormatter, fieldsets, parts};
use icu_decimal::DecimalFormatter;
use icu_list::ListFormatter;
use icu_list::options::{ListFormatterOptions, ListLength};
use icu_locale::{Locale, LocaleDirectionality};
use icu_plurals::{PluralCategory, PluralOperands, PluralRules};
use writeable::{Part, PartsWrite, Writeable};

use super::{Direction, Lang};

/// What ICU knows of one language.
pub(super) struct Formatters {
    decimal: DecimalFormatter,
    plural: PluralRules,
    list: ListFormatter,
    collator: CollatorBorrowed<'static>,
    day: FixedCalendarDateTimeFormatter<Gregorian, fieldsets::YMD>,
    month: FixedCalendarDateTimeFormatter<Gregorian, fieldsets::YM>,
    year: FixedCalendarDateTimeFormatter<Gregorian, fieldsets::Y>,
}

/// How exact a date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Year,
    Month,
    Day,
}

impl Formatters {
    /// Loads a locale's data; ICU falls back to its parents and at last to the root by itself.
    fn load(locale: &Locale) -> Option<Self> {
        let list = ListFormatterOptions::default().with_length(ListLength::Wide);
        let mut collation = CollatorPreferences::from(locale);
        collation.numeric_ordering = Some(CollationNumericOrdering::True);
        Some(Self {
            decimal: DecimalFormatter::try_new(locale.into(), Default::default()).ok()?,
            plural: PluralRules::try_new_cardinal(locale.into()).ok()?,
            list: ListFormatter::try_new_and(locale.into(), list).ok()?,
            collator: CollatorBorrowed::try_new(collation, CollatorOptions::default()).ok()?,
            day: FixedCalendarDateTimeFormatter::try_new(locale.into(), fieldsets::YMD::long())
                .ok()?,
            month: FixedCalendarDateTimeFormatter::try_new(locale.into(), fieldsets::YM::long())
                .ok()?,
            year: FixedCalendarDateTimeFormatter::try_new(locale.into(), fieldsets::Y::long())
                .ok()?,
        })
    }

    /// A number with grouping, decimal sign and digits of the language, and a true minus sign.
    pub(super) fn number(&self, value: &Decimal) -> String {
        self.decimal
            .format(value)
            .write_to_string()
            .replace('-', "−")
    }

    /// The plural category of a number as it is shown.
    pub(super) fn category(&self, value: impl Into<PluralOperands>) -> PluralCategory {
        self.plural.category_for(value)
    }

    /// `a, b and c`.
    pub(super) fn list(&self, items: &[String]) -> String {
        self.list
            .format(items.iter())
            .write_to_string()
            .into_owned()
    }

    /// Dictionary order, with numbers in texts by their value.
    pub(super) fn compare(&self, a: &str, b: &str) -> Ordering {
        self.collator.compare(a, b)
    }

    /// A date in long form.
    pub(super) fn date(&self, date: Date<Gregorian>, precision: Precision) -> String {
        match precision {
            Precision::Year => self.year.format(&date),
            Precision::Month => self.month.format(&date),
            Precision::Day => self.day.format(&date),
        }
        .write_to_string()
        .into_owned()
    }

    /// Day, month and year as they stand in the long form, for a pattern of the catalog's own.
    pub(super) fn date_parts(&self, date: Date<Gregorian>, precision: Precision) -> [String; 3] {
        let mut pieces = Pieces::default();
        // Pieces take whatever is written.
        let _ = match precision {
            Precision::Year => self.year.format(&date).write_to_parts(&mut pieces),
            Precision::Month => self.month.format(&date).write_to_parts(&mut pieces),
            Precision::Day => self.day.format(&date).write_to_parts(&mut pieces),
        };
        [parts::DAY, parts::MONTH, parts::YEAR].map(|part| {
            let found = pieces.parts.iter().find(|(it, _)| *it == part);
            found.map_or_else(String::new, |(_, text)| text.clone())
        })
    }
}

/// A written text with its marked parts.
#[derive(Default)]
struct Pieces {
    text: String,
    parts: Vec<(Part, String)>,
}

impl fmt::Write for Pieces {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

impl PartsWrite for Pieces {
    type SubPartsWrite = Self;

    fn with_part(
        &mut self,
        part: Part,
        mut write: impl FnMut(&mut Self::SubPartsWrite) -> fmt::Result,
    ) -> fmt::Result {
        let mut inner = Self::default();
        write(&mut inner)?;
        self.text.push_str(&inner.text);
        self.parts.push((part, inner.text));
        self.parts.append(&mut inner.parts);
        Ok(())
    }
}

thread_local! {
    static LOADED: RefCell<BTreeMap<Lang, Rc<Formatters>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The formatters of a language.
pub(super) fn formatters(lang: &Lang) -> Rc<Formatters> {
    LOADED.with_borrow_mut(|loaded| {
        if let Some(formatters) = loaded.get(lang) {
            return Rc::clone(formatters);
        }
        let formatters = Formatters::load(&lang.locale())
            .or_else(|| Formatters::load(&Locale::UNKNOWN))
            .unwrap_or_else(|| unreachable!("ICU's built-in data hold the root locale"));
        let formatters = Rc::new(formatters);
        loaded.insert(lang.clone(), Rc::clone(&formatters));
        formatters
    })
}

/// The direction of the script a language is usually written in.
pub(super) fn direction(lang: &Lang) -> Direction {
    if LocaleDirectionality::new_extended().is_right_to_left(&lang.locale().id) {
        Direction::RightToLeft
    } else {
        Direction::LeftToRight
    }
}
