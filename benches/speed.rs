//! How much of each kind of work is done in a second: `cargo bench --bench speed`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use benchbook::analysis::{Pivot, Query, pivot};
use benchbook::content::{self, RawHtml};
use benchbook::data;
use benchbook::diag::{Report, Source};
use benchbook::figure::chart::{ChartKind, ChartOrder, Scale, chart};
use benchbook::figure::matrix::{MatrixOrder, matrix};
use benchbook::figure::table::{TableOrder, table};
use benchbook::figure::{Figure, Reader};
use benchbook::model::Experiment;
use benchbook::source::{File, Files};
use benchbook::text::{Catalogs, Lang, Language};

const DEFINITION: &str = r#"
title = "Times"
question = "How long does it take?"
[factors.size]
label = "Size"
kind = "number"
[factors.system]
label = "System"
kind = "nominal"
levels = ["amber", "basalt", "cedar", "dune", "ember"]
[metrics.time]
label = "Time"
unit = "s"
better = "lower"
[[files]]
path = "times.csv"
origin = "measured"
replicates = true
"#;

const FRONT: &str = "+++\ntitle = \"A page\"\n+++\n\n";

const BODY: &str = "## Words and *more* words\n\nA larger page keeps more rows near the processor, **while** \
                    every write still waits for the `disk`.\n\n- one\n- two\n\n";

fn main() {
    println!("{:<28} {:>14}", "work", "a second");
    let page = Source::new("content/a.md", FRONT.to_owned() + &BODY.repeat(40));
    report("Markdown, bytes", page.text.len(), || {
        content::read(&page, RawHtml::Escape, &mut Report::new())
    });
    const ROWS: usize = 100_000;
    let many = files(ROWS / 5, 1);
    report("CSV, rows", ROWS, || load(&many));
    let experiment = load(&many);
    let query = Query {
        rows: Some(0),
        columns: Some(1),
        ..Query::default()
    };
    report("pivot, samples", ROWS, || pivot(&experiment, &query));

    // Figures of a usual size: seven sizes and five systems, three samples each.
    let experiment = load(&files(7, 3));
    let languages = Catalogs::load(&[], &mut Report::new());
    let language = Language::new(Lang::parse("de").expect("a tag"), &languages);
    let reader = Reader {
        experiment: &experiment,
        language: &language,
    };
    let cells = pivot(&experiment, &query).expect("values");
    report("tables", 1, || {
        table(reader, &[&cells], TableOrder::default())
    });
    report("matrices", 1, || {
        matrix(reader, &cells, &MatrixOrder::default())
    });
    for (name, kind) in [
        ("line charts", ChartKind::Line),
        ("bar charts", ChartKind::Bar),
        ("dot charts", ChartKind::Dot),
    ] {
        report(name, 1, || draw(reader, &cells, kind));
    }
}

fn draw(reader: Reader<'_>, cells: &Pivot, kind: ChartKind) -> Figure {
    let order = ChartOrder {
        kind,
        x_scale: Scale::Auto,
        y_scale: Scale::Auto,
        from_zero: false,
    };
    chart(reader, cells, &order)
}

/// A site with one experiment: a row for each size, system and repetition.
fn files(sizes: usize, repetitions: usize) -> Files {
    let mut rows = String::from("size,system,time\n");
    for at in 0..sizes * repetitions {
        for (number, system) in ["amber", "basalt", "cedar", "dune", "ember"]
            .iter()
            .enumerate()
        {
            let time = (at * 7919 + number * 104_729) % 9973;
            let _ = writeln!(rows, "{},{system},{time}.25", at % sizes + 1);
        }
    }
    let mut files = Files::default();
    for (path, text) in [
        ("data/a/experiment.toml", DEFINITION.to_owned()),
        ("data/a/times.csv", rows),
    ] {
        files.insert(path, File::Text(Source::new(path, text)));
    }
    files
}

fn load(files: &Files) -> Experiment {
    let languages = [Lang::parse("en").expect("a tag")];
    let mut report = Report::new();
    let mut all = data::load(files, &languages, &mut report);
    assert!(!report.has_errors(), "{:?}", report.sorted().first());
    all.remove(0)
}

/// Prints the median rate of eleven rounds of a tenth of a second.
fn report<T>(name: &str, units: usize, mut work: impl FnMut() -> T) {
    const ROUND: Duration = Duration::from_millis(100);
    let mut rates: Vec<f64> = (0..11)
        .map(|_| {
            let (start, mut done) = (Instant::now(), 0);
            while done == 0 || start.elapsed() < ROUND {
                black_box(work());
                done += 1;
            }
            (done * units) as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("{name:<28} {:>14.0}", rates[rates.len() / 2]);
}
