//! Values of settings: how they are written, and whether what SQLite tells is what was asked for.

use std::borrow::Cow;

use crate::text::{Unit, parse_quantity};

/// What the values of a setting are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// On or off.
    Switch,
    /// One of these.
    Words(&'static [&'static str]),
    /// One of these, or its place among them, which is how SQLite tells it.
    Ranks(&'static [&'static str]),
    /// A whole number.
    Number,
    /// A number of bytes.
    Bytes,
    /// A number of bytes; below 0 for none at all.
    Limit,
    /// A number of pages; none or fewer for never.
    Interval,
    /// A number of pages, or below 0 of KiB.
    Cache,
    /// On or off, or a number of pages.
    Spill,
    /// A length of time.
    Milliseconds,
    /// How texts are stored.
    Encoding,
}

impl Shape {
    /// What a value has to be, for people.
    pub(super) fn expected(self) -> Cow<'static, str> {
        match self {
            Self::Switch => "ON or OFF".into(),
            Self::Words(words) | Self::Ranks(words) => {
                format!("one of {}", words.join(", ")).into()
            }
            Self::Number | Self::Interval => "a whole number".into(),
            Self::Bytes | Self::Limit => "a number of bytes, such as 65536 or 64 KiB".into(),
            Self::Cache => "a number of pages, or an amount such as 64 MiB".into(),
            Self::Spill => "ON, OFF or a number of pages".into(),
            Self::Milliseconds => "a number of milliseconds, or a time such as 2 s".into(),
            Self::Encoding => "one of UTF-8, UTF-16, UTF-16le, UTF-16be".into(),
        }
    }

    /// The value as it is written in the PRAGMA; `None` for one that it can't have, which SQLite would
    /// take for something else without a word.
    pub(super) fn written(self, value: &str) -> Option<String> {
        let value = value.trim();
        match self {
            Self::Switch => switch(value).map(|on| if on { "ON" } else { "OFF" }.to_owned()),
            Self::Words(words) => word(words, value).map(str::to_owned),
            Self::Ranks(words) => rank(words, value).map(str::to_owned),
            Self::Number | Self::Interval => number(value).map(|it| it.to_string()),
            Self::Bytes | Self::Limit => amount(value, "B").map(|it| it.to_string()),
            Self::Cache => match number(value) {
                Some(pages) => Some(pages.to_string()),
                None => amount(value, "B").map(|bytes| (-(bytes / 1024)).to_string()),
            },
            Self::Spill => match switch(value) {
                Some(on) => Some(if on { "ON" } else { "OFF" }.to_owned()),
                None => number(value).map(|it| it.to_string()),
            },
            Self::Milliseconds => match number(value) {
                Some(milliseconds) => Some(milliseconds.max(0).to_string()),
                None => amount_of(value, "s", 1000.0).map(|it| it.to_string()),
            },
            Self::Encoding => ["UTF-8", "UTF-16", "UTF-16le", "UTF-16be"]
                .into_iter()
                .find(|it| it.eq_ignore_ascii_case(value))
                .map(str::to_owned),
        }
    }

    /// Whether what SQLite tells is what was asked for.
    pub(super) fn is_same(self, requested: &str, effective: &str) -> bool {
        let (Some(requested), Some(effective)) = (self.written(requested), self.written(effective))
        else {
            return false;
        };
        match self {
            // Told as the number of pages from which it spills.
            Self::Spill => {
                (requested == "OFF") == (["OFF", "0"].contains(&effective.as_str()))
                    && (requested == "ON" || requested == "OFF" || requested == effective)
            }
            // The machine's own order of bytes.
            Self::Encoding if requested == "UTF-16" => effective.starts_with("UTF-16"),
            Self::Limit if requested.starts_with('-') => effective.starts_with('-'),
            Self::Interval if number(&requested).is_some_and(|it| it <= 0) => effective == "0",
            _ => requested == effective,
        }
    }
}

fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => Some(true),
        "off" | "no" | "false" | "0" => Some(false),
        _ => None,
    }
}

fn word(words: &[&'static str], value: &str) -> Option<&'static str> {
    let mut words = words.iter().copied();
    words.find(|it| it.eq_ignore_ascii_case(value))
}

fn rank(words: &[&'static str], value: &str) -> Option<&'static str> {
    let place = value.parse::<usize>().ok();
    // What can be on or off can be true or false too.
    let is_switch = words.contains(&"ON") && words.contains(&"OFF");
    let place = place.or_else(|| switch(value).filter(|_| is_switch).map(usize::from));
    match place {
        Some(place) => words.get(place).copied(),
        None => word(words, value),
    }
}

/// A whole number, also as `{factor.value}` may write it (`2e6`).
fn number(value: &str) -> Option<i64> {
    if let Ok(number) = value.parse::<i64>() {
        return Some(number);
    }
    whole(value.parse::<f64>().ok()?)
}

fn amount(value: &str, unit: &str) -> Option<i64> {
    match number(value) {
        Some(number) => Some(number),
        None => amount_of(value, unit, 1.0),
    }
}

fn amount_of(value: &str, unit: &str, scale: f64) -> Option<i64> {
    let unit = Unit::parse(unit)?;
    whole(parse_quantity(value, &unit, '.').ok()? * scale)
}

fn whole(value: f64) -> Option<i64> {
    let fits = value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    fits.then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNCHRONOUS: Shape = Shape::Ranks(&["OFF", "NORMAL", "FULL", "EXTRA"]);

    #[test]
    fn values_are_the_same_however_they_are_spelled() {
        let same = [
            (SYNCHRONOUS, "NORMAL", "1"),
            (SYNCHRONOUS, "normal", "1"),
            (SYNCHRONOUS, "2", "2"),
            (Shape::Words(&["DELETE", "WAL"]), "WAL", "wal"),
            (Shape::Ranks(&["OFF", "ON", "FAST"]), "true", "1"),
            (Shape::Switch, "yes", "1"),
            (Shape::Switch, "OFF", "0"),
            (Shape::Bytes, "64 MiB", "67108864"),
            (Shape::Bytes, "6.7108864e7", "67108864"),
            (Shape::Cache, "2 MiB", "-2048"),
            (Shape::Cache, "-2000", "-2000"),
            (Shape::Cache, "100", "100"),
            (Shape::Spill, "on", "483"),
            (Shape::Spill, "off", "0"),
            (Shape::Spill, "500", "500"),
            (Shape::Limit, "-5", "-1"),
            (Shape::Interval, "-1", "0"),
            (Shape::Milliseconds, "2 s", "2000"),
            (Shape::Encoding, "utf-16", "UTF-16le"),
            (Shape::Number, " 8192 ", "8192"),
        ];
        for (shape, requested, effective) in same {
            assert!(
                shape.is_same(requested, effective),
                "{requested} {effective}"
            );
        }
        let other = [
            (SYNCHRONOUS, "NORMAL", "2"),
            (SYNCHRONOUS, "BANANA", "2"),
            (SYNCHRONOUS, "4", "2"),
            (SYNCHRONOUS, "ON", "1"),
            (Shape::Words(&["DELETE", "WAL"]), "WAL", "delete"),
            (Shape::Words(&["DELETE", "WAL"]), "1", "wal"),
            (Shape::Switch, "banana", "0"),
            (Shape::Bytes, "4 GiB", "2147418112"),
            (Shape::Cache, "100", "-2000"),
            (Shape::Spill, "on", "0"),
            (Shape::Spill, "500", "483"),
            (Shape::Spill, "off", "483"),
            (Shape::Limit, "-1", "32768"),
            (Shape::Interval, "0", "1000"),
            (Shape::Encoding, "utf-16", "UTF-8"),
            (Shape::Number, "8192", "4096"),
            (Shape::Number, "1OO", "1"),
        ];
        for (shape, requested, effective) in other {
            assert!(
                !shape.is_same(requested, effective),
                "{requested} {effective}"
            );
        }
    }
}
