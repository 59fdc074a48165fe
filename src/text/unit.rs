//! Units of measurement: what a symbol measures and how much of the base unit it is.

/// What a unit measures. Values of different dimensions never mix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Time; base unit second.
    Duration,
    /// Amount of data; base unit byte.
    Bytes,
    /// A part of something; base unit 1 (so 5 % is 0.05).
    Share,
    /// A plain number without unit.
    Count,
    /// A ratio of two of the others (`s/MiB`, `ops/s`), in base units of both.
    Per(Box<Dimension>, Box<Dimension>),
    /// Counted things with a name (`points`, `ops`), which only compare with themselves.
    Named(String),
}

/// A unit: its symbol as written, its dimension, and its size in base units.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// As the author wrote it (`ms`, `MiB`, `ops/s`, `points`). `duration` and `size` are units
    /// too: their values are shown in the parts that suit them (`4 h 7 min`, `858.3 MiB`).
    pub symbol: String,
    /// What it measures.
    pub dimension: Dimension,
    /// One of this unit in base units of its dimension (`ms`: 0.001).
    pub scale: f64,
}

const KIB: f64 = 1024.0;
const MIB: f64 = KIB * 1024.0;
const GIB: f64 = MIB * 1024.0;
const TIB: f64 = GIB * 1024.0;

/// Symbols of time: as written, as shown, in seconds.
const DURATIONS: &[(&str, &str, f64)] = &[
    ("ns", "ns", 1e-9),
    ("us", "us", 1e-6),
    ("µs", "us", 1e-6), // micro sign
    ("μs", "us", 1e-6), // Greek letter
    ("usec", "us", 1e-6),
    ("ms", "ms", 1e-3),
    ("msec", "ms", 1e-3),
    ("s", "s", 1.0),
    ("sec", "s", 1.0),
    ("min", "min", 60.0),
    ("h", "h", 3600.0),
    ("d", "d", 86_400.0),
];

/// Symbols of data: as written, as shown, in bytes.
const SIZES: &[(&str, &str, f64)] = &[
    ("B", "B", 1.0),
    ("KiB", "KiB", KIB),
    ("MiB", "MiB", MIB),
    ("GiB", "GiB", GIB),
    ("TiB", "TiB", TIB),
    ("kB", "kB", 1e3),
    ("KB", "kB", 1e3),
    ("MB", "MB", 1e6),
    ("GB", "GB", 1e9),
    ("TB", "TB", 1e12),
];

impl Unit {
    /// Reads a unit: `s`, `ms`, `min`, `h`, `MiB`, `GB`, `%`, `ops/s`, `s/MiB`, `duration`,
    /// `size`, the empty text for a plain count; any other word names a counted thing.
    /// `None` for a text that can't be a unit (blanks, digits, control characters).
    pub fn parse(symbol: &str) -> Option<Self> {
        let (dimension, scale) = match symbol {
            "" => (Dimension::Count, 1.0),
            "duration" => (Dimension::Duration, 1.0),
            "size" => (Dimension::Bytes, 1.0),
            _ => parse_ratio(symbol)?,
        };
        Some(Self {
            symbol: symbol.to_owned(),
            dimension,
            scale,
        })
    }

    /// A plain number without unit.
    pub fn none() -> Self {
        Self {
            symbol: String::new(),
            dimension: Dimension::Count,
            scale: 1.0,
        }
    }

    /// A value in this unit, in base units. Small units divide by a whole number, so that 57 % is
    /// exactly 0.57.
    pub fn to_base(&self, value: f64) -> f64 {
        match whole_inverse(self.scale) {
            Some(inverse) => value / inverse,
            None => value * self.scale,
        }
    }

    /// A value in base units, in this unit.
    pub fn from_base(&self, value: f64) -> f64 {
        match whole_inverse(self.scale) {
            Some(inverse) => value * inverse,
            None => value / self.scale,
        }
    }

    /// A value in this unit, in another; `None` when they measure different things.
    pub fn convert(&self, value: f64, to: &Self) -> Option<f64> {
        (self.dimension == to.dimension).then(|| to.from_base(self.to_base(value)))
    }
}

/// How many of a unit smaller than the base unit make the base unit, if that is a whole number.
fn whole_inverse(scale: f64) -> Option<f64> {
    let inverse = (1.0 / scale).round();
    (scale < 1.0 && (inverse * scale - 1.0).abs() < 1e-12).then_some(inverse)
}

fn parse_ratio(symbol: &str) -> Option<(Dimension, f64)> {
    let Some((above, below)) = symbol.rsplit_once('/') else {
        return parse_word(symbol);
    };
    let (above, above_scale) = if above == "1" {
        (Dimension::Count, 1.0)
    } else {
        parse_ratio(above)?
    };
    let (below, below_scale) = parse_word(below)?;
    Some((
        Dimension::Per(Box::new(above), Box::new(below)),
        above_scale / below_scale,
    ))
}

fn parse_word(word: &str) -> Option<(Dimension, f64)> {
    match word {
        "%" => return Some((Dimension::Share, 0.01)),
        "‰" => return Some((Dimension::Share, 0.001)),
        "×" => return Some((Dimension::Count, 1.0)),
        // Shown in the parts that suit them, so they can't stand in a ratio.
        "duration" | "size" => return None,
        _ => {}
    }
    if let Some(&(_, _, scale)) = DURATIONS.iter().find(|(written, ..)| *written == word) {
        return Some((Dimension::Duration, scale));
    }
    if let Some(&(_, _, scale)) = SIZES.iter().find(|(written, ..)| *written == word) {
        return Some((Dimension::Bytes, scale));
    }
    is_name(word).then(|| (Dimension::Named(word.to_owned()), 1.0))
}

/// Whether a word may name counted things.
fn is_name(word: &str) -> bool {
    const LONGEST: usize = 40;
    let mut letters = 0;
    for (count, letter) in word.chars().enumerate() {
        let is_letter = letter.is_alphabetic() || "€$£¥°".contains(letter);
        let fits = is_letter || "-_.²³".contains(letter);
        if !fits || count >= LONGEST {
            return false;
        }
        letters += usize::from(is_letter);
    }
    letters > 0
}

/// The spelling under which the catalogs know a word of a unit (`µs`, `usec`: `us`).
pub(super) fn catalog_word(word: &str) -> &str {
    DURATIONS
        .iter()
        .chain(SIZES)
        .find(|(written, ..)| *written == word)
        .map_or(word, |&(_, shown, _)| shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(symbol: &str) -> (Dimension, f64) {
        let unit = Unit::parse(symbol).unwrap_or_else(|| panic!("`{symbol}` is a unit"));
        assert_eq!(unit.symbol, symbol);
        (unit.dimension, unit.scale)
    }

    #[test]
    fn reads_times_and_sizes() {
        assert_eq!(parts("µs"), (Dimension::Duration, 1e-6));
        assert_eq!(parts("us"), (Dimension::Duration, 1e-6));
        assert_eq!(parts("h"), (Dimension::Duration, 3600.0));
        assert_eq!(parts("d"), (Dimension::Duration, 86_400.0));
        assert_eq!(parts("duration"), (Dimension::Duration, 1.0));
        assert_eq!(parts("GiB"), (Dimension::Bytes, 1_073_741_824.0));
        assert_eq!(parts("kB"), (Dimension::Bytes, 1000.0));
        assert_eq!(parts("GB"), (Dimension::Bytes, 1e9));
        assert_eq!(parts("size"), (Dimension::Bytes, 1.0));
        assert_eq!(parts("%"), (Dimension::Share, 0.01));
        assert_eq!(parts(""), (Dimension::Count, 1.0));
        assert_eq!(parts("points"), (Dimension::Named("points".into()), 1.0));
        assert_eq!(
            parts("операций"),
            (Dimension::Named("операций".into()), 1.0)
        );
    }

    #[test]
    fn reads_ratios() {
        let per = |a, b| Dimension::Per(Box::new(a), Box::new(b));
        let ops = || Dimension::Named("ops".into());
        assert_eq!(parts("ops/s"), (per(ops(), Dimension::Duration), 1.0));
        assert_eq!(
            parts("ops/min"),
            (per(ops(), Dimension::Duration), 1.0 / 60.0)
        );
        assert_eq!(
            parts("s/MiB"),
            (
                per(Dimension::Duration, Dimension::Bytes),
                1.0 / 1_048_576.0
            )
        );
        assert_eq!(
            parts("MiB/s"),
            (per(Dimension::Bytes, Dimension::Duration), 1_048_576.0)
        );
        assert_eq!(
            parts("1/s"),
            (per(Dimension::Count, Dimension::Duration), 1.0)
        );
        assert_eq!(
            parts("B/ops/s").0,
            per(per(Dimension::Bytes, ops()), Dimension::Duration),
            "ratios read from the left"
        );
    }

    #[test]
    fn refuses_what_is_no_unit() {
        for text in [
            "12",
            "m2",
            "a b",
            "\u{7}",
            "/",
            "s/",
            "/s",
            "duration/s",
            "<b>",
            "-",
            "\u{a0}",
        ] {
            assert_eq!(Unit::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn converts_within_a_dimension() {
        let unit = |symbol| Unit::parse(symbol).expect("a unit");
        assert_eq!(unit("min").convert(1.5, &unit("s")), Some(90.0));
        assert_eq!(unit("GiB").convert(1.0, &unit("MiB")), Some(1024.0));
        assert_eq!(unit("s").convert(1.0, &unit("MiB")), None);
        assert_eq!(unit("points").convert(1.0, &unit("ops")), None);
        assert_eq!(unit("%").to_base(57.0), 0.57);
        assert_eq!(unit("ms").from_base(0.0125), 12.5);
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,12}") {
            if let Some(unit) = Unit::parse(&text) {
                prop_assert!(unit.scale.is_finite() && unit.scale > 0.0);
            }
        }
    }
}
