//! The plan of a run: which cases, how often, in which order.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::{Assignment, Definition, Order, Procedure};

use super::arrange;
use super::engine::{self, Apply, Engine};
use super::estimate::Fit;
use super::plan_check;
use super::wish::flag;
use super::workload::{self, Parameter, Workload};

pub use super::shard::Shard;
pub use super::wish::Wishes;

/// What a run is going to do. The same definition and wishes give the same plan on any machine.
pub struct Plan<'a> {
    /// The experiment.
    pub definition: &'a Definition,
    /// How it is run.
    pub procedure: &'a Procedure,
    /// What is measured.
    pub engine: &'static dyn Engine,
    /// What it is made to do.
    pub workload: &'static dyn Workload,
    /// What was asked for, complete: nothing that has a default is left open.
    pub wishes: Wishes,
    /// How often each case is measured.
    pub repetitions: u32,
    /// How the cases of a block are ordered.
    pub order: Order,
    /// Seed of the order and of all generated data.
    pub seed: u64,
    /// The cases: index of the level of each factor; that of steps is always 0.
    pub cases: Vec<Box<[u32]>>,
    /// The trials, in the order in which they are run.
    pub trials: Vec<Trial>,
    /// Settings of the engine, those for a short trial in their place.
    pub(super) settings: Vec<&'a Assignment>,
    /// The workload's parameters with what is said of them, those for a short trial in their place.
    pub(super) parameters: Vec<(&'static Parameter, Option<&'a Assignment>)>,
    /// What became of the repetitions under a budget.
    pub(super) fitted: Option<Fit>,
}

/// One measurement of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Zero-based place in the whole plan's order, of all shards.
    pub order: u32,
    /// Zero-based block, which is the number of the repetition too.
    pub block: u32,
    /// Index of the case.
    pub case: u32,
}

/// The most trials of a plan. Beyond that somebody has mistyped a number.
pub const MOST_TRIALS: u64 = 10_000_000;

impl<'a> Plan<'a> {
    /// Plans a run of an experiment; `None` when the report says why that can't be done.
    pub fn new(definition: &'a Definition, wishes: &Wishes, report: &mut Report) -> Option<Self> {
        Self::among(
            engine::ENGINES,
            workload::WORKLOADS,
            definition,
            wishes,
            report,
        )
    }

    /// The same with these engines and workloads.
    pub(super) fn among(
        engines: &[&'static dyn Engine],
        workloads: &[&'static dyn Workload],
        definition: &'a Definition,
        wishes: &Wishes,
        report: &mut Report,
    ) -> Option<Self> {
        let Some(procedure) = &definition.procedure else {
            report.push(
                Diagnostic::new(
                    Code::BadDefinition,
                    format!("`{}` doesn't say how it is run", definition.key),
                )
                .in_file(&*definition.source.path)
                .help("add a table `[run]` with an engine and a workload"),
            );
            return None;
        };
        let mut faults = Report::new();
        let engine = find_engine(engines, procedure, wishes, &mut faults);
        let workload = find_workload(workloads, procedure, &mut faults);
        if let (Some(engine), Some(workload)) = (engine, workload) {
            plan_check::check_pair(engine, workload, procedure, wishes, &mut faults);
        }
        let kept = levels(definition, procedure, wishes, &mut faults);
        let plan = match (engine, workload) {
            (Some(engine), Some(workload)) if !faults.has_errors() => {
                let plan = Self::laid_out(
                    definition,
                    procedure,
                    engine,
                    workload,
                    wishes,
                    &kept,
                    &mut faults,
                );
                if let Some(plan) = &plan {
                    plan.check(&mut faults);
                }
                plan
            }
            _ => None,
        };
        let fit = !faults.has_errors();
        report.absorb(faults);
        plan.filter(|_| fit)
    }

    fn laid_out(
        definition: &'a Definition,
        procedure: &'a Procedure,
        engine: &'static dyn Engine,
        workload: &'static dyn Workload,
        wishes: &Wishes,
        kept: &[Vec<u32>],
        report: &mut Report,
    ) -> Option<Self> {
        let quick = wishes.quick.then_some(&procedure.quick);
        let repetitions = wishes
            .repetitions
            .or(quick.and_then(|quick| quick.repetitions))
            .unwrap_or(procedure.repetitions)
            .max(1);
        let trials = kept
            .iter()
            .try_fold(u64::from(repetitions), |all, levels| {
                all.checked_mul(levels.len() as u64)
            })
            .filter(|&trials| trials <= MOST_TRIALS);
        if trials.is_none() {
            report.push(
                Diagnostic::new(
                    Code::BadDefinition,
                    format!("this makes more than {MOST_TRIALS} trials"),
                )
                .at(procedure.span.clone(), "")
                .help("measure fewer levels, with `--only factor=level`, or less often"),
            );
            return None;
        }
        let mut plan = Self {
            definition,
            procedure,
            engine,
            workload,
            repetitions,
            order: wishes.order.unwrap_or(procedure.order),
            seed: wishes.seed.unwrap_or(procedure.seed),
            wishes: wishes.clone(),
            cases: arrange::product(kept),
            trials: Vec::new(),
            settings: replaced(
                &procedure.settings,
                quick.map_or(&[], |quick| &quick.settings),
            ),
            parameters: Vec::new(),
            fitted: None,
        };
        let given = replaced(
            &procedure.parameters,
            quick.map_or(&[], |quick| &quick.parameters),
        );
        plan.parameters = plan.named_parameters(&given, report);
        plan.wishes.engine = Some(engine.name().to_owned());
        plan.wishes.repetitions = Some(repetitions);
        plan.wishes.order = Some(plan.order);
        plan.wishes.seed = Some(plan.seed);
        plan.arrange();
        Some(plan)
    }

    /// Lays out the trials of this shard.
    pub(super) fn arrange(&mut self) {
        let cases = self.cases.len() as u32;
        let groups = match self.order {
            Order::Grouped => arrange::groups(&self.cases, &self.grouping()),
            Order::Random | Order::Fixed => Vec::new(),
        };
        self.trials.clear();
        for block in 0..self.repetitions {
            if self.wishes.shard.is_some_and(|shard| !shard.holds(block)) {
                continue;
            }
            let order = arrange::block(self.order, &groups, cases, self.seed, block);
            self.trials
                .extend(order.into_iter().zip(0..).map(|(case, place)| Trial {
                    order: block * cases + place,
                    block,
                    case,
                }));
        }
    }

    /// The factors that occur in settings which need a restart or new data, in order.
    pub(super) fn grouping(&self) -> Vec<usize> {
        let costly = self
            .settings
            .iter()
            .filter(|setting| self.engine.apply(&setting.name) >= Apply::Restart);
        let mut factors: Vec<usize> = costly.flat_map(|setting| setting.value.factors()).collect();
        factors.sort_unstable();
        factors.dedup();
        factors
    }
}

/// Assignments with others in place of those of the same name, or after them.
fn replaced<'a>(usual: &'a [Assignment], others: &'a [Assignment]) -> Vec<&'a Assignment> {
    let by_name: BTreeMap<&str, &Assignment> = others.iter().map(|it| (&*it.name, it)).collect();
    let is_usual = |other: &&Assignment| usual.iter().any(|it| it.name == other.name);
    usual
        .iter()
        .map(|it| by_name.get(&*it.name).copied().unwrap_or(it))
        .chain(others.iter().filter(|other| !is_usual(other)))
        .collect()
}

fn find_engine(
    engines: &[&'static dyn Engine],
    procedure: &Procedure,
    wishes: &Wishes,
    report: &mut Report,
) -> Option<&'static dyn Engine> {
    let (name, span) = match &wishes.engine {
        Some(name) => (name, flag("--engine", name)),
        None => (&procedure.engine.name, procedure.engine.span.clone()),
    };
    let found = engines.iter().copied().find(|it| it.name() == name);
    if found.is_none() {
        let known = engines.iter().map(|it| it.name());
        report.push(unknown("engine", name, span, known));
    }
    found
}

fn find_workload(
    workloads: &[&'static dyn Workload],
    procedure: &Procedure,
    report: &mut Report,
) -> Option<&'static dyn Workload> {
    let name = &procedure.workload.name;
    let found = workloads.iter().copied().find(|it| it.name() == name);
    if found.is_none() {
        let known = workloads.iter().map(|it| it.name());
        let span = procedure.workload.span.clone();
        report.push(unknown("workload", name, span, known));
    }
    found
}

/// A fault that says that there is no such thing.
pub(super) fn unknown<'a>(
    what: &str,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    Diagnostic::new(Code::BadDefinition, format!("there is no {what} `{name}`"))
        .at(span, "")
        .suggest(name, known)
}

/// The levels of each factor that are measured.
fn levels(
    definition: &Definition,
    procedure: &Procedure,
    wishes: &Wishes,
    report: &mut Report,
) -> Vec<Vec<u32>> {
    let wanted = wishes.levels(definition, procedure.steps, report);
    let quick = |factor| {
        let of_factor = |(named, _): &&(usize, Vec<usize>)| *named == factor;
        let found = procedure.quick.levels.iter().find(of_factor)?;
        let mut levels = found.1.clone();
        levels.sort_unstable();
        wishes.quick.then_some(levels)
    };
    let mut kept = Vec::new();
    for (index, factor) in definition.factors.iter().enumerate() {
        if procedure.steps == Some(index) {
            kept.push(vec![0]);
            continue;
        }
        if factor.levels.is_empty() {
            report.push(
                Diagnostic::new(
                    Code::BadDefinition,
                    format!("`{}` has no levels to run", factor.key),
                )
                .at(factor.span.clone(), "")
                .help("list them under `levels`"),
            );
        }
        // What was asked for on the command line goes before the levels for a short trial.
        let levels = wanted[index].clone().or_else(|| quick(index));
        let levels = levels.unwrap_or_else(|| (0..factor.levels.len()).collect());
        kept.push(levels.into_iter().map(|level| level as u32).collect());
    }
    kept
}
