//! Foreign files imported into run folders: the site must see in them what it sees in the files.

use super::{SMALL, faults, load_clean, shown};
use crate::data::FileReceipt;
use crate::data::import::{Import, Imported, import};
use crate::diag::{Code, Report, Source, Span};
use crate::model::{Experiment, Missing, Origin, Sample};
use crate::source::{File, Files};

/// Imports files into a run `new` of an experiment with this definition.
fn bring(
    definition: &str,
    files: &[(&str, &str)],
    map: &str,
    set: &[(&str, &str)],
) -> (Vec<FileReceipt>, Option<Imported>, Report) {
    let mut site = Files::default();
    let path = "data/e/experiment.toml";
    site.insert(path, File::Text(Source::new(path, definition)));
    let line = Source::new("command line", "benchbook import");
    let here = || Span::new(&line, 0..0);
    let files = files.iter();
    let order = Import {
        experiment: "e",
        run: ("new".to_owned(), here()),
        files: files
            .map(|(name, text)| (Source::new(*name, *text), here()))
            .collect(),
        format: None,
        set: set
            .iter()
            .map(|(factor, level)| ((*factor).to_owned(), (*level).to_owned(), here()))
            .collect(),
        map: (!map.is_empty()).then(|| Source::new("map.toml", map)),
    };
    let mut report = Report::new();
    let (receipts, imported) = import(&site, &order, &mut report);
    (receipts, imported, report)
}

fn brought(definition: &str, files: &[(&str, &str)], map: &str) -> Imported {
    let (_, imported, report) = bring(definition, files, map, &[]);
    assert!(!report.has_errors(), "{}", shown(&report));
    imported.expect("an import")
}

/// What an experiment holds, in words: levels, metric, replicate, and what was seen.
fn told(experiment: &Experiment) -> Vec<String> {
    let definition = &experiment.definition;
    let mut told: Vec<String> = experiment
        .observations
        .iter()
        .map(|seen| {
            let case = experiment.cases[seen.case as usize].iter();
            let levels: Vec<String> = case
                .zip(&definition.factors)
                .map(|(level, factor)| format!("{:?}", factor.levels[*level as usize].value))
                .collect();
            let result: Result<Sample, (&str, String)> = seen.result.clone().map_err(|missing| {
                let Missing { reason, note } = missing;
                let note = note.map_or_else(String::new, |note| note.source().to_owned());
                (reason.key(), note)
            });
            let metric = &definition.metrics[seen.metric as usize].key;
            format!("{levels:?} {metric} {} {result:?}", seen.replicate)
        })
        .collect();
    told.sort();
    told
}

/// Checks that an imported run holds what the definition's own reading of the file gives.
fn same(definition: &str, name: &str, text: &str, entry: &str) -> Imported {
    let with = format!("{definition}[[files]]\npath = \"{name}\"\nrun = \"old\"\n{entry}");
    let read = load_clean(&with, &[(name, text)]);
    let imported = brought(definition, &[(name, text)], entry);
    let record = serde_json::to_string(&imported.record).expect("a record");
    let files = [
        ("runs/new/run.json", &*record),
        ("runs/new/samples.csv", &imported.samples),
    ];
    let back = load_clean(definition, &files);
    assert_eq!(told(&back), told(&read), "{}", imported.samples);
    assert_eq!(back.runs[0].origin, Origin::Imported);
    imported
}

#[test]
fn what_is_imported_is_what_was_read() {
    same(
        SMALL,
        "a.csv",
        "threads,plan,speed,wait,replicate,block,order,at\n8,balanced,10,5,0,1,2,3.5\n8,balanced,11,6..7,1,,,\n1 000,Ausbalanciert,12,> 3 s,0,,,\n"
            .replace("1 000", "1000")
            .as_str(),
        "",
    );
    // Decimal commas, in levels too; words for reasons, with notes.
    same(
        SMALL,
        "a.csv",
        "threads;plan;tempo;wait\n0,5;balanced;1,25;n/a\n1,5;balanced;kaputt;0,25 s\n",
        "decimal = \",\"\ncolumns = { tempo = \"speed\" }\nmissing = { \"n/a\" = \"not-run\", kaputt = \"failed\" }\nnotes = { kaputt = \"it broke, \\\"badly\\\"\" }\n",
    );
    // A wide table.
    same(
        SMALL,
        "a.csv",
        "threads,balanced,high-performance\n1,10,20\n2,failed,40\n",
        "spread = { factor = \"plan\", metric = \"speed\" }\n",
    );
    // Rows that are repetitions.
    same(
        SMALL,
        "a.jsonl",
        "{\"threads\": 1, \"speed\": 5}\n{\"threads\": 1, \"speed\": 6}\n{\"threads\": 2, \"speed\": 7}\n",
        "replicates = true\nset = { plan = \"balanced\" }\n",
    );
    // Stopped at its limit.
    same(
        SMALL,
        "a.csv",
        "threads,plan,wait,status\n1,balanced,> 600 s,timeout\n2,balanced,,failed\n",
        "",
    );
}

#[test]
fn sizes_are_read_as_the_experiment_means_them() {
    let definition =
        format!("sizes = \"binary\"\n{SMALL}").replace("kind = \"number\"\n", "kind = \"bytes\"\n");
    let imported = same(
        &definition,
        "a.csv",
        "threads,plan,speed\n96MB,balanced,1\n1 GiB,balanced,2\n",
        "",
    );
    assert_eq!(
        imported.collected,
        [(
            "threads".to_owned(),
            vec!["96MB".to_owned(), "1 GiB".to_owned()]
        )]
    );
}

#[test]
fn a_value_that_is_excluded_is_kept() {
    let text = "threads,plan,speed,status,note\n1,balanced,55,excluded,warm-up\n1,balanced,50,,\n";
    let imported = brought(SMALL, &[("a.csv", text)], "replicates = true\n");
    let rows: Vec<&str> = imported.samples.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "1,balanced,55,0,,,,excluded,warm-up",
            "1,balanced,50,1,,,,,"
        ]
    );
}

#[test]
fn files_that_tell_of_one_case_make_one_row() {
    // What the first says of its lacking value must not be said of the second's metric.
    let files = [
        (
            "a.csv",
            "threads,plan,speed\n1,balanced,failed\n2,balanced,3\n",
        ),
        ("b.csv", "threads,plan,wait\n2,balanced,5\n1,balanced,6\n"),
    ];
    let imported = brought(SMALL, &files, "");
    let rows: Vec<&str> = imported.samples.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "1,balanced,,0.006,0,,,,failed,",
            "2,balanced,3,0.005,0,,,,,"
        ]
    );
    assert_eq!((imported.rows, imported.cases), (2, 2));
    let record = serde_json::to_string(&imported.record).expect("a record");
    let files = [
        ("runs/new/run.json", &*record),
        ("runs/new/samples.csv", &imported.samples),
    ];
    let back = load_clean(SMALL, &files);
    assert_eq!(back.observations.len(), 4);
}

#[test]
fn half_an_import_is_none() {
    let table = "threads,plan,speed\n1,balanced,5\n1,balanced,6\n";
    let (receipts, imported, report) = bring(SMALL, &[("a.csv", table)], "", &[]);
    assert!(imported.is_none());
    assert_eq!(faults(&report)[0].0, Code::DuplicateCase);
    assert_eq!(
        (receipts[0].doubled, receipts[0].receipt.observations),
        (1, 1)
    );
    let good = ("a.csv", "threads,plan,speed\n1,balanced,5\n");
    for (files, map, set, code) in [
        (vec![good, ("b.csv", "")], "", vec![], Code::EmptyFile),
        (
            vec![("a.csv", "threads,plan,speed\n")],
            "",
            vec![],
            Code::EmptyFile,
        ),
        (vec![good], "path = \"x\"\n", vec![], Code::UnknownKey),
        (vec![good], "decimal = \n", vec![], Code::BadToml),
        (vec![good], "", vec![("plna", "x")], Code::UnknownFactor),
        (vec![good], "", vec![("plan", "silent")], Code::UnknownLevel),
        (
            vec![good],
            "",
            vec![("threads", "1"), ("threads", "2")],
            Code::BadArgument,
        ),
        (vec![good], "", vec![("threads", "1")], Code::BadArgument),
    ] {
        let (_, imported, report) = bring(SMALL, &files, map, &set);
        assert!(imported.is_none());
        let found = faults(&report);
        assert!(found.iter().any(|(it, _)| *it == code), "{code}: {found:?}");
    }
}

#[test]
fn the_command_line_goes_before_the_map() {
    let files = [("a.csv", "threads,speed\n1,5\n")];
    let map = "set = { plan = \"balanced\" }\n";
    let (_, imported, report) = bring(SMALL, &files, map, &[("plan", "high-performance")]);
    assert_eq!(shown(&report), "");
    let samples = imported.expect("an import").samples;
    assert!(samples.contains("1,high-performance,5"), "{samples}");
}

#[test]
fn nobody_learns_whose_machine_it_was() {
    let map = "environment = { cpu = \"8 cores\", Host_Name = \"db1\", user = \"jo\", ip-address = \"10.0.0.7\" }\n";
    let imported = brought(
        SMALL,
        &[("a.csv", "threads,plan,speed\n1,balanced,5\n")],
        map,
    );
    let keys: Vec<&String> = imported.record.environment.keys().collect();
    assert_eq!(keys, ["cpu"]);
    assert_eq!(imported.private, ["Host_Name", "user", "ip-address"]);
}
