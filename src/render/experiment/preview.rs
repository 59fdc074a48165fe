//! Small pictures of experiments, for cards.

use crate::figure::{Reader, chart};
use crate::text::Lang;

use super::super::press::Press;
use super::sheet::{overview, too_many};

/// A small picture of the first metric of the first run that gives one.
pub(in super::super) fn preview(press: &Press<'_>, index: usize, lang: &Lang) -> String {
    press.preview(index, lang, || draw_preview(press, index, lang))
}

fn draw_preview(press: &Press<'_>, index: usize, lang: &Lang) -> String {
    let experiment = press.shelf.experiment(index);
    let reader = Reader {
        experiment,
        language: press.language(lang),
    };
    let metrics = experiment.definition.metrics.iter().enumerate();
    let metrics = metrics.filter(|(_, metric)| metric.derived.is_none());
    let mut drawn = metrics.flat_map(|(metric, _)| {
        (0..experiment.runs.len()).map(move |run| {
            let query = overview(experiment, metric, Some(run));
            if too_many(experiment, &query).is_some() {
                return String::new();
            }
            match &*press.shelf.pivot(index, &query) {
                Ok(pivot) => chart::preview(reader, pivot),
                Err(_) => String::new(),
            }
        })
    });
    drawn
        .find(|picture| !picture.is_empty())
        .unwrap_or_default()
}
