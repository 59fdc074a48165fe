//! Trials, values and times as a terminal shows them, in English.

use super::super::amounts::{count, duration};
use crate::runner::estimate::{Basis, Prediction};
use crate::runner::event::{Event, Figure};
use crate::text::{Catalogs, Digits, Dimension, Lang, Language};

/// A case as its factors and levels: `page_cache 100, journal WAL`.
pub(super) fn case(case: &[(String, String)]) -> String {
    if case.is_empty() {
        return "the only case".to_owned();
    }
    let named = case
        .iter()
        .map(|(factor, level)| format!("{factor} {level}"));
    named.collect::<Vec<String>>().join(", ")
}

/// How values are written.
pub(super) struct Values(Language);

impl Values {
    pub(super) fn new() -> Self {
        let Some(english) = Lang::parse("en") else {
            unreachable!("`en` is a language tag");
        };
        Self(Language::new(english, &Catalogs::default()))
    }

    /// What a trial gave: `throughput 12,345 ops/s, p99 1.24 ms`.
    pub(super) fn list(&self, values: &[Figure<'_>]) -> String {
        let shown = values.iter().map(|figure| {
            let value = self.value(figure);
            match figure.step {
                Some(step) => format!("{step} {value}"),
                None => format!("{} {value}", figure.metric.key),
            }
        });
        shown.collect::<Vec<String>>().join(", ")
    }

    fn value(&self, figure: &Figure<'_>) -> String {
        let digits = Digits::Significant(4);
        let unit = &figure.metric.unit;
        let text = match unit.dimension {
            Dimension::Bytes => self.0.size(figure.value, digits),
            Dimension::Duration => self.0.duration(figure.value, digits),
            _ => self.0.quantity(figure.value, unit, digits),
        };
        // A terminal needs no blanks that hold words together.
        text.replace(['\u{a0}', '\u{202f}'], " ")
            .replace(" 1/s", "/s")
    }
}

/// How long is left, as far as that is known: `2–3 min`.
pub(super) fn left(expected: &Prediction) -> String {
    match expected.basis {
        Basis::Limit => format!("at most {}", duration(expected.high)),
        _ => span(expected.low, expected.high),
    }
}

/// A length of time between two others, in the unit that suits the longer one.
fn span(low: f64, high: f64) -> String {
    const UNITS: [(&str, f64, f64); 4] = [
        ("s", 1.0, 100.0),
        ("min", 60.0, 100.0),
        ("h", 3600.0, 48.0),
        ("d", 86_400.0, f64::INFINITY),
    ];
    let fits = |(_, unit, most): &&(&str, f64, f64)| high / unit < *most;
    let (name, unit, _) = UNITS.iter().find(fits).unwrap_or(&UNITS[3]);
    let [low, high] = [low, high].map(|seconds| (seconds / unit).round());
    match (low, high) {
        (_, 0.0) => format!("less than 1 {name}"),
        (low, high) if low == high => format!("about {high} {name}"),
        (low, high) => format!("{low}–{high} {name}"),
    }
}

/// What a run that begins is, in one or two lines.
pub(super) fn beginning(event: &Event<'_>) -> Option<String> {
    let Event::Begins {
        experiment,
        engine,
        workload,
        folder,
        cases,
        blocks,
        trials,
        done,
        expected,
    } = event
    else {
        return None;
    };
    let mut text = format!(
        "{experiment}: {workload} on {engine}, {} in {}, {}",
        count(*cases, "case"),
        count(*blocks, "block"),
        count(*trials, "trial"),
    );
    if *done > 0 {
        text.push_str(&format!(", {done} of them done"));
    }
    if done < trials {
        text.push_str(&format!("; {}", left(expected)));
    }
    Some(format!("{text}\n  {}", folder.display()))
}

/// What became of a run, in a few lines.
pub(super) fn ending(event: &Event<'_>) -> Option<String> {
    let Event::Ends {
        measured,
        failed,
        left,
        reason,
        folder,
    } = event
    else {
        return None;
    };
    let mut parts = vec![format!("{measured} measured")];
    if *failed > 0 {
        parts.push(format!("{failed} without a value"));
    }
    if *left > 0 {
        let why = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
        parts.push(format!("{left} left{why}"));
    }
    let mut text = format!(
        "{}: {}\n  {}\n",
        count(measured + failed + left, "trial"),
        parts.join(", "),
        folder.display()
    );
    if *failed > 0 {
        text.push_str("  the reasons stand in samples.csv");
        if folder.join("logs").exists() {
            text.push_str(", and what was printed in logs/");
        }
        text.push('\n');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_one_unit() {
        for (low, high, text) in [
            (0.0, 0.2, "less than 1 s"),
            (9.0, 11.4, "9–11 s"),
            (10.0, 10.3, "about 10 s"),
            (80.0, 140.0, "1–2 min"),
            (4000.0, 7000.0, "1–2 h"),
            (90_000.0, 400_000.0, "1–5 d"),
        ] {
            assert_eq!(span(low, high), text);
        }
    }

    #[test]
    fn cases_are_told_by_their_factors() {
        let named = [("cache", "100"), ("mode", "WAL")]
            .map(|(factor, level)| (factor.to_owned(), level.to_owned()));
        assert_eq!(case(&named), "cache 100, mode WAL");
        assert_eq!(case(&[]), "the only case");
    }
}
