//! The block that sets two levels or two runs side by side.

use crate::analysis::compare;
use crate::diag::Report;
use crate::figure::compare::CompareRow;
use crate::figure::{self, Figure, format};

use super::super::cases::{Found, cells};
use super::super::resolve::Asked;
use super::desk::Desk;

impl Desk<'_> {
    pub(super) fn compare(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let reader = self.reader(index);
        let factor = self.factor(index, "factor", report)?;
        let (from, to) = match factor {
            Some(factor) => {
                let sides = self.sides(index, factor, report)?;
                let [Some(from), Some(to)] = sides[..] else {
                    return None;
                };
                (from, to)
            }
            None => (
                self.run_named(index, "from", report)?,
                self.run_named(index, "to", report)?,
            ),
        };
        let head = self.head();
        let every = experiment.definition.metrics.iter();
        let mut named = self.metrics("metrics");
        if named == [None] {
            named = every
                .filter(|metric| metric.derived.is_none())
                .map(|metric| Some((&*metric.key, &head)))
                .collect();
        }
        let mut rows = Vec::new();
        for metric in named {
            let asked = self.asked(index, metric, report)?;
            let side = |end: usize, report: &mut Report| {
                let mut asked = asked.clone();
                match factor {
                    Some(factor) => asked.pin(factor, vec![end]),
                    None => asked.run = Some(end),
                }
                cells(self.shelf, &asked, &head, report)
            };
            let (old, new) = (side(from, report)?, side(to, report)?);
            rows.extend(self.compare_rows(&asked, factor, old, new));
        }
        compare::adjust(rows.iter_mut().filter_map(|row| row.comparison.as_mut()));
        let name = |end| match factor {
            Some(factor) => format::level(reader, factor, end),
            None => experiment.runs[end].key.clone(),
        };
        Some(figure::compare::compare(
            reader,
            &name(from),
            &name(to),
            &rows,
        ))
    }

    /// A row for each case that both sides share; it is named by the factors that are left open.
    fn compare_rows(
        &self,
        asked: &Asked<'_>,
        compared: Option<usize>,
        old: Vec<Found>,
        new: Vec<Found>,
    ) -> Vec<CompareRow> {
        let definition = &asked.experiment.definition;
        let metric = &definition.metrics[asked.metric];
        let reader = self.reader(asked.index);
        let row = |(old, new): (Found, Found)| {
            let mut label = vec![metric.label.get(self.language.lang()).to_owned()];
            for &(factor, level) in &old.levels {
                if Some(factor) != compared && asked.levels(factor).len() > 1 {
                    label.push(format::place(reader, factor, level));
                }
            }
            let (better, threshold, noise) =
                (metric.better, definition.threshold, definition.noise);
            CompareRow {
                label: label.join(", "),
                metric: asked.metric,
                comparison: compare::compare(&old.cell, &new.cell, better, threshold, noise),
                from: old.cell,
                to: new.cell,
            }
        };
        old.into_iter().zip(new).map(row).collect()
    }
}
