//! What a person asks of a run beyond what its definition says, and the faults of asking.

use std::time::Duration;

use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Definition, Order};

use super::shard::Shard;

/// What a person asks of a run beyond what its definition says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// Another engine than the definition's.
    pub engine: Option<String>,
    /// The definition's values for a short trial.
    pub quick: bool,
    /// How often each case is measured.
    pub repetitions: Option<u32>,
    /// How long the run may take; repetitions are dropped before cases.
    pub budget: Option<Duration>,
    /// How the cases of a block are ordered.
    pub order: Option<Order>,
    /// Seed of the order and of all generated data.
    pub seed: Option<u64>,
    /// Only cases with one of the levels named for a factor: factor, level, as written.
    pub only: Vec<(String, String)>,
    /// Only some of the blocks.
    pub shard: Option<Shard>,
    /// On a server that somebody else runs. That changes nothing in a plan but what can be told beforehand.
    pub elsewhere: bool,
}

/// A flag's value as a place that a fault can point to.
pub(super) fn flag(name: &str, value: &str) -> Span {
    let source = Source::new(name, value);
    Span::new(&source, 0..value.len())
}

impl Wishes {
    /// The levels of each factor that are wanted; `None` for a factor that nothing is said of.
    pub(super) fn levels(
        &self,
        definition: &Definition,
        steps: Option<usize>,
        report: &mut Report,
    ) -> Vec<Option<Vec<usize>>> {
        let mut wanted: Vec<Option<Vec<usize>>> = vec![None; definition.factors.len()];
        for (key, text) in &self.only {
            let place = flag("--only", &format!("{key}={text}"));
            let Some((index, factor)) = definition.factor(key) else {
                let keys = definition.factors.iter().map(|factor| &*factor.key);
                report.push(
                    Diagnostic::new(Code::UnknownFactor, format!("there is no factor `{key}`"))
                        .at(place.within(0..key.len()), "")
                        .suggest(key, keys),
                );
                continue;
            };
            if steps == Some(index) {
                report.push(
                    Diagnostic::new(
                        Code::UnknownLevel,
                        format!("the levels of `{key}` are steps of every case"),
                    )
                    .at(place, "")
                    .help("they are all measured together; choose among other factors"),
                );
                continue;
            }
            match factor.level(text) {
                Some(level) => {
                    let levels = wanted[index].get_or_insert_default();
                    if !levels.contains(&level) {
                        levels.push(level);
                    }
                }
                None => report.push(
                    Diagnostic::new(Code::UnknownLevel, format!("`{key}` has no level `{text}`"))
                        .at(place.within(key.len() + 1..key.len() + 1 + text.len()), "")
                        .suggest(text, factor.levels.iter().map(|level| &*level.key)),
                ),
            }
        }
        for levels in wanted.iter_mut().flatten() {
            levels.sort_unstable();
        }
        wanted
    }
}
