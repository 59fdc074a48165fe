//! Every kind of figure on one page for each language, to be looked at:
//! `cargo test gallery -- --ignored`, then open `target/figures/en.html`.

use std::fmt::Write as _;
use std::path::Path;

use super::chart::{ChartKind, ChartOrder, Scale, chart, preview};
use super::compare::{CompareRow, compare};
use super::environment::environment;
use super::fixture::{buffers, fillfactor, grid, indices, language, logs, repeated, text};
use super::markup::escape;
use super::matrix::{MatrixOrder, matrix};
use super::steps::steps;
use super::table::{TableOrder, table};
use super::{Figure, Reader};
use crate::model::Experiment;
use crate::text::Language;

const STYLE: &str = include_str!("gallery.css");

fn order(kind: ChartKind) -> ChartOrder {
    ChartOrder {
        kind,
        x_scale: Scale::Auto,
        y_scale: Scale::Auto,
        from_zero: false,
    }
}

fn framed(out: &mut String, figure: &Figure) {
    let mut method = String::new();
    for (name, text) in &figure.method {
        let _ = write!(method, "{name}: {} · ", escape(text));
    }
    let table = figure.table.clone().unwrap_or_default();
    let _ = write!(
        out,
        "<figure class=figure><div class=figure-body>{}</div><details><summary>Table</summary>\
         {table}</details><figcaption>{}<br>{method}</figcaption></figure>",
        figure.body,
        escape(&figure.alternative)
    );
}

fn page(language: &Language) -> String {
    let mut out = String::new();
    let read = |experiment: &'static Experiment| Reader {
        experiment,
        language,
    };
    let leak = |experiment: Experiment| -> &'static Experiment { Box::leak(Box::new(experiment)) };
    let [buffers, logs, fill, indices, repeated] =
        [buffers(), logs(), fillfactor(), indices(), repeated()].map(leak);
    for (experiment, kinds) in [
        (buffers, vec![ChartKind::Line, ChartKind::Bar]),
        (
            repeated,
            vec![
                ChartKind::Line,
                ChartKind::Dot,
                ChartKind::Timeline,
                ChartKind::Bar,
            ],
        ),
        (fill, vec![ChartKind::Bar, ChartKind::Dot]),
        (logs, vec![ChartKind::Line]),
    ] {
        for kind in kinds {
            framed(
                &mut out,
                &chart(read(experiment), &grid(experiment), &order(kind)),
            );
        }
    }
    framed(&mut out, &steps(read(indices), &grid(indices)));
    let boundary = Some(
        (0..35)
            .map(|cell| [500, 1024, 2048, 3072, 4096, 8192, 10240][cell % 7] > 512 << (cell / 7))
            .collect(),
    );
    let shown = MatrixOrder {
        mark_best: true,
        boundary,
        boundary_label: "Data > log".to_owned(),
        ..MatrixOrder::default()
    };
    framed(&mut out, &matrix(read(logs), &grid(logs), &shown));
    let mut smaller = repeated.clone();
    smaller.definition.factors[0].levels.truncate(6);
    let all = TableOrder {
        mark_best: true,
        show_n: true,
        show_interval: true,
    };
    framed(&mut out, &table(read(buffers), &[&grid(buffers)], all));
    framed(&mut out, &table(read(repeated), &[&grid(repeated)], all));
    let pivot = grid(indices);
    let row = |row: usize| CompareRow {
        label: format!("Index {row}"),
        metric: 0,
        from: pivot.cell(row, 0).clone(),
        to: pivot.cell(row, 1).clone(),
        comparison: crate::analysis::compare::compare(
            pivot.cell(row, 0),
            pivot.cell(row, 1),
            crate::model::Direction::Lower,
            0.05,
            0.05,
        ),
    };
    framed(
        &mut out,
        &compare(read(indices), "Balanced", "High", &[row(0), row(3), row(4)]),
    );
    let mut two = buffers.clone();
    two.runs[0].environment.facts = vec![
        ("cpu".into(), text("FX-8350")),
        ("memory".into(), text("16 GB")),
    ];
    two.runs[1].environment.facts = vec![
        ("memory".into(), text("16 GB")),
        ("cpu".into(), text("EPYC")),
    ];
    let two = leak(two);
    framed(&mut out, &environment(read(two), &[0, 1]));
    framed(&mut out, &environment(read(two), &[0]));
    for experiment in [buffers, repeated, fill, indices] {
        out.push_str(&preview(read(experiment), &grid(experiment)));
    }
    let tag = language.lang().tag();
    format!(
        "<!doctype html><html lang={tag} dir={}><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Figures</title><style>{STYLE}</style><main>{out}</main></html>",
        language.direction().attribute()
    )
}

/// Every kind of figure in five languages, kept in `target/figures` to be looked at.
#[test]
fn gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/figures");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut counts = std::collections::BTreeSet::new();
    for tag in ["en", "de", "ru", "vi", "ar"] {
        let page = page(&language(tag));
        counts.insert(page.matches("<figure").count());
        std::fs::write(folder.join(format!("{tag}.html")), page).expect("a file");
    }
    assert_eq!(
        counts.len(),
        1,
        "a language shows more figures than another"
    );
    assert!(
        counts.first().is_some_and(|&count| count > 10),
        "{counts:?}"
    );
}
