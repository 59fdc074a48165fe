//! Definitions and their overlays: what is kept, and every fault's place.

use super::{SMALL, faults, load, load_clean, shown, try_load};
use crate::diag::Code;
use crate::model::{Direction, FactorKind, LevelValue, MissingReason};
use crate::text::Lang;

/// Reads a definition that has faults, and gives them.
fn bad(definition: &str) -> (Vec<(Code, String)>, String) {
    let (_, report) = load(definition, &[]);
    (faults(&report), shown(&report))
}

/// A fault of kind `bad-definition` under these words.
fn wrong(under: &str) -> (Code, String) {
    (Code::BadDefinition, under.to_owned())
}

#[test]
fn everything_is_kept_in_order() {
    let definition = r#"
title = "T"
question = "Q?"
summary = "S"
missing = "not-published"
noise = 0.1
[factors.size]
label = "Size"
kind = "bytes"
levels = ["1G", "512M", 0]
[factors.mode]
label = "Mode"
kind = "ordinal"
levels = ["low", "high"]
labels = { low = "Low", high = "High" }
[metrics.b]
label = "B"
unit = "points"
unit_label = "points"
better = "higher"
digits = 1
[metrics.a]
label = "A"
[environment]
own = "x"
engine = "y"
[environment_labels]
own = "My fact"
[settings.Z]
value = 5
[settings.A]
value = "1"
note = "why"
"#;
    let definition = load_clean(definition, &[]).definition;
    assert_eq!(definition.missing, MissingReason::NotPublished);
    assert_eq!((definition.noise, definition.threshold), (0.1, 0.05));
    let size = &definition.factors[0];
    assert_eq!(size.kind, FactorKind::Bytes);
    let keys: Vec<&str> = size.levels.iter().map(|level| &*level.key).collect();
    assert_eq!(keys, ["0", "512M", "1G"]);
    assert_eq!(size.levels[1].value, LevelValue::Number(536_870_912.0));
    assert_eq!(definition.factors[1].levels[1].label.source(), "High");
    let metrics: Vec<&str> = definition
        .metrics
        .iter()
        .map(|metric| &*metric.key)
        .collect();
    assert_eq!(metrics, ["b", "a"]);
    assert_eq!(definition.metrics[0].better, Direction::Higher);
    assert_eq!(definition.metrics[0].digits, Some(1));
    assert_eq!(definition.environment_labels[0].1.source(), "My fact");
    let settings: Vec<&str> = definition.settings.iter().map(|it| &*it.key).collect();
    assert_eq!(settings, ["Z", "A"]);
}

#[test]
fn all_faults_come_at_once() {
    let definition = r#"
titel = "T"
summary = 5
noise = 5
[factors.size]
label = "Size"
kind = "byte"
levels = ["1G"]
[metrics.a]
label = "A"
unit = "a b"
better = "hihger"
digits = 0.5
"#;
    let (found, shown) = bad(definition);
    assert_eq!(
        found,
        [
            wrong(""),
            wrong(""),
            (Code::UnknownKey, "titel".to_owned()),
            wrong("5"),
            wrong("5"),
            wrong("\"byte\""),
            (Code::BadQuantity, "\"a b\"".to_owned()),
            wrong("\"hihger\""),
            wrong("0.5"),
        ],
        "{shown}"
    );
    for help in [
        "`title` is missing",
        "did you mean `title`?",
        "`bytes`?",
        "`higher`?",
        "0.05",
    ] {
        assert!(shown.contains(help), "{help}: {shown}");
    }
}

#[test]
fn toml_that_cannot_be_read_leaves_the_experiment_out() {
    let (experiment, report) = try_load("title = \"T\"\ntitle = \"U\"\n", &[]);
    assert!(experiment.is_none());
    let found = faults(&report);
    assert_eq!(found, [(Code::BadToml, "title".to_owned())]);
    assert!(shown(&report).contains("experiment.toml:2:1"));
}

#[test]
fn levels_that_do_not_fit() {
    let factor = |rest: &str| bad(&SMALL.replace("kind = \"number\"\n", rest));
    let (found, _) = factor("kind = \"bytes\"\nlevels = [\"1G\", \"soon\", \"1024M\"]\n");
    assert_eq!(
        found,
        [(Code::BadNumber, "\"soon\"".to_owned()), wrong("\"1024M\"")]
    );
    let (found, _) = factor("kind = \"number\"\nlevels = [1, nan]\n");
    assert_eq!(found, [(Code::BadNumber, "nan".to_owned())]);
    let (found, shown) = factor("kind = \"nominal\"\n");
    assert_eq!(found, [wrong("threads")], "{shown}");
    let (found, shown) = factor("levels = [\"a\", \"b\"]\nlabels = { c = \"C\" }\n");
    assert_eq!(found, [(Code::UnknownLevel, "c".to_owned())], "{shown}");
}

#[test]
fn keys_must_serve_in_expressions() {
    let (found, shown) = bad(&SMALL.replace("[factors.threads]", "[factors.\"Page buffers\"]"));
    assert_eq!(found, [wrong("\"Page buffers\"")], "{shown}");
    let (found, _) = bad(&SMALL.replace("[factors.threads]", "[factors.from]"));
    assert_eq!(found, [wrong("from")]);
    let (found, _) = bad(&SMALL.replace("[metrics.wait]", "[metrics.threads]"));
    assert_eq!(found, [wrong("threads")]);
}

#[test]
fn derived_metrics() {
    let derived = |unit: &str, formula: &str| {
        bad(&format!(
            "{SMALL}[metrics.d]\nlabel = \"D\"\nunit = \"{unit}\"\nderived = \"{formula}\"\n"
        ))
    };
    assert_eq!(derived("ops/s", "speed / threads").0, []);
    let (found, shown) = derived("", "sped / threads");
    assert_eq!(found, [wrong("sped")]);
    assert!(shown.contains("did you mean `speed`?"), "{shown}");
    assert_eq!(derived("", "wait / plan").0, [wrong("\"wait / plan\"")]);
    assert_eq!(derived("", "wait * plan").0, [wrong("\"wait * plan\"")]);
    assert_eq!(derived("", "d / threads").0, [wrong("\"d / threads\"")]);
    assert_eq!(derived("MiB", "wait / threads").0[0].0, Code::WrongUnit);
    let circle = format!(
        "{SMALL}[metrics.p]\nlabel = \"P\"\nderived = \"q / threads\"\n[metrics.q]\nlabel = \"Q\"\nderived = \"p / threads\"\n"
    );
    assert_eq!(bad(&circle).0, [wrong("\"q / threads\"")]);
}

#[test]
fn entries() {
    let entry = |rest: &str| bad(&format!("{SMALL}[[files]]\n{rest}"));
    assert_eq!(entry("origin = \"imported\"\n").0[0].0, Code::BadDefinition);
    let (found, shown) = entry(
        "path = \"a.csv\"\norigin = \"publishd\"\nsource = \"x\"\nformat = \"cvs\"\nsteps = \"step\"\nmetrics = { real = \"wiat\" }\nmissing = { x = \"lost\" }\nspred = 1\n",
    );
    let expected = [
        (Code::MissingDataFile, "\"a.csv\"".to_owned()),
        wrong("\"publishd\""),
        wrong("\"x\""),
        (Code::UnknownFormat, "\"cvs\"".to_owned()),
        (Code::UnknownFactor, "\"step\"".to_owned()),
        (Code::UnknownMetric, "\"wiat\"".to_owned()),
        wrong("\"lost\""),
        (Code::UnknownKey, "spred".to_owned()),
    ];
    assert_eq!(found, expected, "{shown}");
    for help in ["`published`?", "`csv`?", "`wait`?", "`spread`?"] {
        assert!(shown.contains(help), "{help}: {shown}");
    }
    let wide = "path = \"a.csv\"\nspread = { factor = \"plans\", metric = \"speed\" }\n";
    assert_eq!(
        entry(wide).0[1],
        (Code::UnknownFactor, "\"plans\"".to_owned())
    );
}

#[test]
fn overlays_translate_texts_only() {
    let definition = format!(
        "{SMALL}[environment]\ncpu = \"two cores\"\n[settings.S]\nvalue = \"1\"\nnote = \"why\"\n\
        [[sources]]\nkey = \"k\"\ntitle = \"T\"\nnote = \"n\"\n\
        [[files]]\npath = \"a.csv\"\nnotes = {{ more = \"more\" }}\n"
    );
    let overlay = r#"
title = "Klein"
[factors.plan]
label = "Energieplan"
[factors.plan.labels]
balanced = "Ausbalanciert"
[metrics.speed]
unit_label = "Vorgänge je Sekunde"
[environment]
cpu = "zwei Kerne"
[settings.S]
note = "warum"
[sources.k]
note = "Hinweis"
[notes]
more = "mehr"
"#;
    let text = "threads,plan,speed\n8,balanced,more\n";
    let files = [("a.csv", text), ("experiment.de.toml", overlay)];
    let experiment = load_clean(&definition, &files);
    let german = Lang::parse("de").expect("a tag");
    let definition = &experiment.definition;
    assert_eq!(definition.title.get(&german), "Klein");
    assert_eq!(definition.factors[1].label.get(&german), "Energieplan");
    assert_eq!(
        definition.factors[1].levels[0].label.get(&german),
        "Ausbalanciert"
    );
    assert_eq!(
        definition.metrics[0].unit_label.get(&german),
        "Vorgänge je Sekunde"
    );
    assert_eq!(definition.settings[0].note.get(&german), "warum");
    assert_eq!(definition.sources[0].note.get(&german), "Hinweis");
    let cpu = experiment.runs[0].environment.get("cpu").expect("a fact");
    assert_eq!(
        (cpu.source(), cpu.get(&german)),
        ("two cores", "zwei Kerne")
    );
    let missing = experiment.observations[0]
        .result
        .clone()
        .expect_err("no figure");
    assert_eq!(missing.note.expect("a note").get(&german), "mehr");
}

#[test]
fn overlays_with_other_keys() {
    let overlay = "titel = \"x\"\nnoise = 0.1\n[factors.plann]\nlabel = \"x\"\n[factors.plan]\nkind = \"x\"\nlabels = { balancd = \"x\" }\n[notes]\nmore = \"x\"\n";
    let (_, report) = load(SMALL, &[("experiment.de.toml", overlay)]);
    assert_eq!(
        faults(&report),
        [
            (Code::UnknownKey, "titel".to_owned()),
            (Code::UnknownKey, "noise".to_owned()),
            (Code::UnknownKey, "plann".to_owned()),
            (Code::UnknownKey, "kind".to_owned()),
            (Code::UnknownLevel, "balancd".to_owned()),
            (Code::UnknownKey, "more".to_owned()),
        ]
    );
    let shown = shown(&report);
    assert!(
        shown.contains("did you mean `plan`?") && shown.contains("`balanced`?"),
        "{shown}"
    );
}
