//! Blocks to figures: arguments resolved against the data, then handed to the figure room.

mod compare;
mod desk;
mod pictures;
mod runs;

use crate::content::Block;
use crate::data;
use crate::diag::Report;
use crate::figure::Figure;
use crate::text::Language;

use super::shelf::Shelf;
use desk::Desk;

/// A figure with what its frame needs to know.
#[derive(Debug)]
pub(super) struct Worked {
    /// The figure.
    pub figure: Figure,
    /// Key of the experiment it shows.
    pub experiment: String,
}

/// Works out a block over the data. Faults go to the report.
pub(super) fn work(
    shelf: &Shelf<'_>,
    default: Option<&str>,
    language: &Language,
    block: &Block,
    report: &mut Report,
) -> Option<Worked> {
    if !block.whole {
        return None;
    }
    // Rows inside the block are an experiment of their own, on a shelf of their own.
    let own;
    let own_shelf;
    let mut desk = Desk {
        shelf,
        default,
        language,
        block,
    };
    if block.rows.is_some() {
        own = [data::inline::read(&block.row_lines, report)?];
        own_shelf = Shelf::new(&own);
        desk.shelf = &own_shelf;
    }
    let shelf = desk.shelf;
    let experiment = desk.experiment(report)?;
    let figure = match block.kind {
        "table" => desk.table(experiment, report),
        "chart" => desk.chart(experiment, report),
        "matrix" => desk.matrix(experiment, report),
        "compare" => desk.compare(experiment, report),
        "steps" => desk.steps(experiment, report),
        "timeline" => desk.timeline(experiment, report),
        "correlation" => desk.correlation(experiment, report),
        "history" => desk.history(experiment, report),
        "reproduce" => desk.reproduce(experiment, report),
        _ => desk.environment(experiment, report),
    }?;
    let experiment = shelf.experiment(experiment).definition.key.clone();
    Some(Worked { figure, experiment })
}
