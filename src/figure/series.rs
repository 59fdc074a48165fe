//! Series that a run watched: their names, units and figures in words.

use super::Reader;
use super::format::{Notation, with_unit};
use crate::model::SERIES;
use crate::text::{Digits, Unit};

/// How a series is named and written.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// Its name.
    pub label: String,
    /// Its name with its unit, for an axis.
    pub head: String,
    /// How its figures are written.
    pub notation: Notation,
    /// The unit as people read it; none for sizes and percent, which carry their own.
    unit: Option<Unit>,
}

/// The name of a series: that of the catalogs, else its key as words.
pub(crate) fn label(reader: Reader<'_>, key: &str) -> String {
    let known = reader.language.known(&format!("series-{key}"));
    known.map_or_else(|| key.replace('_', " "), str::to_owned)
}

/// How a series is named and written.
pub(crate) fn named(reader: Reader<'_>, key: &str) -> Named {
    let label = label(reader, key);
    let base = SERIES.iter().find(|(known, _)| *known == key);
    // Readings stand in base units; people read them in larger ones.
    let (symbol, scale) = match base.map_or("", |(_, symbol)| *symbol) {
        "B/s" => ("MiB/s", 1_048_576.0),
        "Hz" => ("GHz", 1e9),
        symbol => (symbol, 1.0),
    };
    let (notation, unit) = match symbol {
        "B" => (Notation::Size, None),
        "%" => (Notation::Percent, None),
        "s" => (Notation::Duration, None),
        symbol => {
            let unit = Unit::parse(symbol).map(|unit| Unit { scale, ..unit });
            (Notation::Number(scale), unit)
        }
    };
    let words = unit.as_ref().map(|unit| reader.language.unit(unit));
    Named {
        head: with_unit(reader, &label, &words.unwrap_or_default()),
        label,
        notation,
        unit,
    }
}

impl Named {
    /// Whether its figures are plain numbers.
    pub(crate) fn is_count(&self) -> bool {
        self.unit
            .as_ref()
            .is_some_and(|unit| unit.symbol.is_empty())
    }

    /// A figure with its unit.
    pub(crate) fn value(&self, reader: Reader<'_>, value: f64) -> String {
        let language = reader.language;
        // Three connections are seen, not 3.00.
        let digits = match self.is_count() && value.fract() == 0.0 {
            true => Digits::Places(0),
            false => Digits::Significant(3),
        };
        match (self.notation, &self.unit) {
            (Notation::Size, _) => language.size(value, digits),
            (Notation::Percent, _) => language.percent(value, Digits::Places(1)),
            (Notation::Duration, _) => language.duration(value, digits),
            (Notation::Number(_), Some(unit)) => language.quantity(value, unit, digits),
            (Notation::Number(scale), None) => language.number(value / scale, digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::language;
    use super::*;

    #[test]
    fn every_series_has_a_name_in_every_language() {
        for tag in ["en", "de", "ru", "vi"] {
            let language = language(tag);
            let mut names = std::collections::BTreeSet::new();
            for (key, _) in SERIES {
                let name = language.known(&format!("series-{key}"));
                let name = name.unwrap_or_else(|| panic!("{tag}: {key} has no name"));
                assert!(names.insert(name), "{tag}: {name} twice");
            }
        }
    }
}
