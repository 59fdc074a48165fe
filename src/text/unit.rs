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

impl Unit {
    /// Reads a unit: `s`, `ms`, `min`, `h`, `MiB`, `GB`, `%`, `ops/s`, `s/MiB`, `duration`,
    /// `size`, the empty text for a plain count; any other word names a counted thing.
    /// `None` for a text that can't be a unit (blanks, digits, control characters).
    pub fn parse(symbol: &str) -> Option<Self> {
        let (dimension, scale) = match symbol {
            "" => (Dimension::Count, 1.0),
            "%" => (Dimension::Share, 0.01),
            "s" | "duration" => (Dimension::Duration, 1.0),
            "ms" => (Dimension::Duration, 1e-3),
            "size" | "B" => (Dimension::Bytes, 1.0),
            "MiB" => (Dimension::Bytes, 1048576.0),
            other => (Dimension::Named(other.to_owned()), 1.0),
        };
        Some(Self { symbol: symbol.to_owned(), dimension, scale })
    }

    /// A plain number without unit.
    pub fn none() -> Self {
        Self { symbol: String::new(), dimension: Dimension::Count, scale: 1.0 }
    }
}
