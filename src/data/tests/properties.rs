//! No text whatever may bring a reader down.

use proptest::prelude::*;

use super::{SMALL, shown, try_load};
use crate::data::value;
use crate::text::{Reading, Unit};

/// Texts made of the pieces that readers look for.
fn pieces(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word = proptest::sample::select(words).prop_map(str::to_owned);
    let any = prop_oneof![4 => word, 1 => any::<String>()];
    proptest::collection::vec(any, 0..40).prop_map(|parts| parts.concat())
}

const RESULTS: &[&str] = &[
    "gbak:",
    "gbak: time     delta  reads  writes \n",
    " 1.234",
    " 12",
    "activating and creating deferred index",
    " \"a\"",
    "gbak: ERROR:",
    "cannot commit index",
    "\n",
    "\r\n",
    "real",
    "user",
    "sys",
    "\t",
    "0m1.234s",
    "1,5",
    "3m6. 355s",
    "0.00user 0.00system 0:00.14elapsed 0%CPU",
    "Exit status: 3\n",
    "Command being timed: \"x\"\n",
    "Elapsed (wall clock) time (h:mm:ss or m:ss): 0:00.12\n",
    "threads",
    "plan",
    "speed",
    "wait",
    "balanced",
    ",",
    ";",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "\"rows\"",
    ":",
    "null",
    "8",
    "-",
    "..",
    ">",
    "<",
    "nan",
    "é",
    "–",
    "replicate",
    "status",
];

const DEFINITIONS: &[&str] = &[
    "[factors.a]\n",
    "[metrics.a]\n",
    "[[files]]\n",
    "[[sources]]\n",
    "[environment]\n",
    "[settings.x]\n",
    "[notes]\n",
    "title",
    "question",
    "label",
    "kind",
    "levels",
    "labels",
    "aliases",
    "unit",
    "derived",
    "path",
    "set",
    "spread",
    "columns",
    "missing",
    "notes",
    "key",
    "date",
    "noise",
    "digits",
    " = ",
    "\"a\"",
    "\"number\"",
    "\"bytes\"",
    "\"a / a\"",
    "\"\"",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "1",
    "nan",
    "2014-07-14",
    "\n",
    "a",
    "true",
    "\"é\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn result_files(text in pieces(RESULTS), format in proptest::sample::select(
        &["csv", "tsv", "json", "jsonl", "gbak", "time"][..]
    ), wide in any::<bool>(), steps in any::<bool>()) {
        let mut definition = format!("{SMALL}[[files]]\npath = \"f\"\nformat = \"{format}\"\nset = {{ plan = \"balanced\" }}\n");
        if wide {
            definition += "spread = { factor = \"threads\", metric = \"speed\" }\n";
        }
        if steps {
            definition += "steps = \"plan\"\nmetrics = { delta = \"wait\", reads = \"speed\" }\n";
        }
        let (_, report) = try_load(&definition, &[("f", &text)]);
        shown(&report);
    }

    #[test]
    fn formats_found_out(text in pieces(RESULTS)) {
        let definition = format!("{SMALL}[[files]]\npath = \"f\"\n");
        let (_, report) = try_load(&definition, &[("f", &text), ("runs/r/run.json", &text)]);
        shown(&report);
    }

    #[test]
    fn definitions_and_overlays(text in pieces(DEFINITIONS), overlay in pieces(DEFINITIONS)) {
        let (_, report) = try_load(&text, &[("experiment.de.toml", &overlay), ("a", "a\n1\n")]);
        shown(&report);
        let (_, report) = try_load(&format!("{SMALL}{text}"), &[("experiment.de.toml", &overlay)]);
        shown(&report);
    }

    #[test]
    fn values_never_fail_badly(text in any::<String>(), decimal in proptest::sample::select(&['.', ','][..])) {
        for unit in ["", "%", "ms", "MiB", "s/MiB", "points"] {
            let unit = Unit::parse(unit).expect("a unit");
            if let Ok(read) = value::read(&text, &unit, Reading { decimal, ..Reading::default() }) {
                let again = value::read(&value::write(read.value), &Unit { scale: 1.0, ..unit }, Reading::default());
                prop_assert_eq!(again.map(|read| read.value), Ok(read.value));
            }
        }
    }
}
