//! Settings as they were asked for and as they took effect: each pair once, with the cases it held in.

use std::collections::{BTreeMap, BTreeSet};

use super::export::written;
use super::markup::{Markup, notice, scroll};
use super::{Figure, Reader, format};
use crate::model::SettingInEffect;
use crate::text::Argument::{Count, Text};
use crate::text::{Reading, SizeConvention, Unit, read_quantity};

/// What was asked for and what took effect, in some cases.
struct Line<'a> {
    name: &'a str,
    requested: &'a str,
    effective: Option<&'a str>,
    cases: BTreeSet<&'a [u32]>,
}

impl Line<'_> {
    fn differs(&self) -> bool {
        let effective = self.effective;
        effective.is_some_and(|effective| differs(self.requested, effective))
    }
}

/// Up to so many lines are shown; the data hold them all.
const MOST_LINES: usize = 200;

/// Lays out the settings of a run, and says whether they took effect; nothing where it states none.
pub fn figure(reader: Reader<'_>, run: usize) -> Option<(Figure, String)> {
    let settings = &reader.experiment.runs.get(run)?.settings;
    let lines = lines(settings);
    if lines.is_empty() {
        return None;
    }
    let differing = lines.iter().filter(|line| line.differs()).count() as u64;
    let mut out = Markup::default();
    out.open("table", &[("class", "data settings")])
        .open("thead", &[])
        .open("tr", &[]);
    for key in ["setting", "requested", "effective", "case"] {
        out.element("th", &[("scope", "col")], reader.words(key));
    }
    out.close().close().open("tbody", &[]);
    // Where there are too many to read, those that differ are the last to be left out.
    let (differ, agree): (Vec<&Line<'_>>, Vec<&Line<'_>>) = match lines.len() {
        ..=MOST_LINES => (lines.iter().collect(), Vec::new()),
        _ => lines.iter().partition(|line| line.differs()),
    };
    for line in differ.into_iter().chain(agree).take(MOST_LINES) {
        let differs = line.differs();
        let class = if differs { "differs" } else { "" };
        out.open("tr", &[("class", class)])
            .open("th", &[("scope", "row")]);
        out.element("code", &[], line.name).close();
        out.open("td", &[])
            .element("code", &[], line.requested)
            .close();
        match line.effective {
            Some(effective) => {
                out.open("td", &[]).element("code", &[], effective);
                if differs {
                    let words = reader.words("setting-differs");
                    out.text(" ")
                        .element("span", &[("class", "differs-mark")], "≠");
                    out.text(" ")
                        .element("span", &[("class", "detectable")], words);
                }
                out.close();
            }
            None => {
                let words = reader.words("setting-unread");
                out.element("td", &[("class", "missing")], words);
            }
        }
        out.element("td", &[], &whereabouts(reader, settings, line))
            .close();
    }
    let label = reader.words("settings-in-effect");
    let count = [("n", Count(differing))];
    let verdict = match differing {
        0 => reader.words("settings-agree").to_owned(),
        _ => reader.language.message_with("settings-differ", &count),
    };
    let mut body = scroll(label, &out.finish());
    if let Some(more) = lines.len().checked_sub(MOST_LINES).filter(|more| *more > 0) {
        let more = [("n", Count(more as u64))];
        body.push_str(&notice(&reader.language.message_with("figure-more", &more)));
    }
    let figure = Figure {
        body,
        alternative: format!("{label}. {verdict}"),
        csv: csv(reader, &lines),
        method: vec![(reader.words("run").to_owned(), format::run(reader, run))],
        ..Figure::default()
    };
    Some((figure, verdict))
}

/// Each pair of requested and effective once, by the setting's first mention.
fn lines(settings: &[SettingInEffect]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, &str, Option<&str>), usize> = BTreeMap::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for setting in settings {
        let effective = setting.effective.as_deref();
        let next = names.len();
        names.entry(&setting.name).or_insert(next);
        let key = (&*setting.name, &*setting.requested, effective);
        let place = *known.entry(key).or_insert_with(|| {
            lines.push(Line {
                name: &setting.name,
                requested: &setting.requested,
                effective,
                cases: BTreeSet::new(),
            });
            lines.len() - 1
        });
        lines[place].cases.insert(&setting.levels);
    }
    lines.sort_by_key(|line| (names.get(line.name).copied(), line.cases.first().copied()));
    lines
}

/// Whether an effective value is surely another one than was asked for: not only another spelling
/// (`NORMAL` for `normal`, `65536 kB` for `64MB`), and not a number that may stand for a word.
fn differs(requested: &str, effective: &str) -> bool {
    let (one, other) = (requested.trim(), effective.trim());
    if one.eq_ignore_ascii_case(other) {
        return false;
    }
    match (is_quantity(one), is_quantity(other)) {
        (true, true) => !["size", "duration", ""].iter().any(|unit| {
            let mut conventions = [SizeConvention::Decimal, SizeConvention::Binary].into_iter();
            conventions.any(|sizes| is_equal(one, other, unit, sizes))
        }),
        (false, false) => match (switch(one), switch(other)) {
            (Some(one), Some(other)) => one != other,
            _ => true,
        },
        _ => false,
    }
}

fn is_quantity(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.'))
}

fn is_equal(one: &str, other: &str, unit: &str, sizes: SizeConvention) -> bool {
    let Some(unit) = Unit::parse(unit) else {
        return false;
    };
    let reading = Reading {
        decimal: '.',
        sizes,
    };
    let read = |text: &str| read_quantity(text, &unit, reading).map(|quantity| quantity.value);
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Words that switch something on or off.
fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" => Some(true),
        "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

/// In which cases a line holds: by the levels that make the difference, else their number.
fn whereabouts(reader: Reader<'_>, settings: &[SettingInEffect], line: &Line<'_>) -> String {
    let own: Vec<&SettingInEffect> = settings.iter().filter(|it| it.name == line.name).collect();
    let every: BTreeSet<&[u32]> = own.iter().map(|it| &*it.levels).collect();
    if every.len() == line.cases.len() {
        return reader.words("all-cases").to_owned();
    }
    let levels = |cases: &BTreeSet<&[u32]>, factor: usize| -> BTreeSet<u32> {
        cases
            .iter()
            .filter_map(|case| case.get(factor).copied())
            .collect()
    };
    let count = reader.experiment.definition.factors.len();
    let within: Vec<BTreeSet<u32>> = (0..count)
        .map(|factor| levels(&line.cases, factor))
        .collect();
    let is_within = |case: &&&[u32]| {
        let mut levels = case.iter().zip(&within);
        levels.all(|(level, allowed)| allowed.contains(level))
    };
    if every.iter().filter(is_within).count() != line.cases.len() {
        let cases = [("n", Count(line.cases.len() as u64))];
        return reader.language.message_with("cases-count", &cases);
    }
    let telling = (0..count).filter(|factor| within[*factor] != levels(&every, *factor));
    let told: Vec<String> = telling
        .map(|factor| {
            let names = within[factor].iter();
            let names: Vec<String> = names
                .map(|level| format::level(reader, factor, *level as usize))
                .collect();
            let (name, names) = (
                format::factor_label(reader, factor),
                reader.language.list(&names),
            );
            let arguments = [("factor", Text(&name)), ("level", Text(&names))];
            reader.language.message_with("place", &arguments)
        })
        .collect();
    told.join("; ")
}

fn csv(reader: Reader<'_>, lines: &[Line<'_>]) -> String {
    let factors = &reader.experiment.definition.factors;
    let mut head: Vec<String> = factors.iter().map(|factor| factor.key.clone()).collect();
    head.extend(["setting", "requested", "effective"].map(str::to_owned));
    let mut all = vec![head];
    for line in lines {
        for case in &line.cases {
            let levels = factors.iter().zip(case.iter()).map(|(factor, level)| {
                let level = factor.levels.get(*level as usize);
                level.map_or_else(String::new, |level| level.key.clone())
            });
            let mut fields: Vec<String> = levels.collect();
            fields.resize(factors.len(), String::new());
            let effective = line.effective.unwrap_or_default();
            fields.extend([line.name, line.requested, effective].map(str::to_owned));
            all.push(fields);
        }
    }
    written(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_no_difference() {
        for (one, other) in [
            ("NORMAL", "normal"),
            ("64MB", "65536 kB"),
            ("NORMAL", "1"),
            ("on", "true"),
            ("100", "100.0"),
            ("5 min", "300s"),
        ] {
            assert!(!differs(one, other), "{one} and {other}");
        }
        for (one, other) in [
            ("wal", "delete"),
            ("100", "99"),
            ("on", "off"),
            ("-2000", "2000"),
        ] {
            assert!(differs(one, other), "{one} and {other}");
        }
    }
}
