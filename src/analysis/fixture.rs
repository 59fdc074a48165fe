//! Small experiments for tests: two factors, one metric, two runs.

use crate::model::{
    Definition, Direction, Environment, Experiment, Factor, FactorKind, Level, LevelValue, Metric,
    Missing, MissingReason, Observation, Origin, Place, Run, Sample, Value,
};

/// Without observations: factors `a`, `b`, `c` … with so many levels each, one metric, two runs.
pub(super) fn experiment(levels: &[usize], better: Direction) -> Experiment {
    let source = crate::diag::Source::new("data/test/experiment.toml", "");
    let span = crate::diag::Span::new(&source, 0..0);
    let level = |index: usize| Level {
        key: index.to_string(),
        aliases: Vec::new(),
        label: Default::default(),
        value: LevelValue::Number(index as f64 + 1.0),
    };
    let factor = |(index, &count): (usize, &usize)| Factor {
        key: char::from(b'a' + index as u8).to_string(),
        label: Default::default(),
        description: Default::default(),
        kind: FactorKind::Number,
        unit: None,
        levels: (0..count).map(level).collect(),
        span: span.clone(),
    };
    let metric = Metric {
        key: "metric".into(),
        label: Default::default(),
        description: Default::default(),
        unit: crate::text::Unit::none(),
        unit_label: Default::default(),
        better,
        digits: None,
        derived: None,
        span: span.clone(),
    };
    let run = |key: &str| Run {
        key: key.into(),
        origin: Origin::Published,
        started: None,
        environment: Environment::default(),
        effective: Vec::new(),
        source: None,
        command: None,
        inputs: Vec::new(),
        series: Vec::new(),
        watched_every: None,
        settings: Vec::new(),
    };
    Experiment {
        definition: Definition {
            key: "test".into(),
            title: Default::default(),
            question: Default::default(),
            summary: Default::default(),
            source,
            factors: levels.iter().enumerate().map(factor).collect(),
            metrics: vec![metric],
            settings: Vec::new(),
            sources: Vec::new(),
            environment_labels: Vec::new(),
            sizes: crate::text::SizeConvention::Decimal,
            missing: MissingReason::NotPublished,
            noise: 0.05,
            threshold: 0.05,
            procedure: None,
        },
        runs: vec![run("first"), run("second")],
        cases: Vec::new(),
        observations: Vec::new(),
        files: Vec::new(),
    }
}

/// Adds an observation of the metric in a case of a run, on the next line.
pub(super) fn observe(
    experiment: &mut Experiment,
    case: &[u32],
    run: u32,
    result: Result<Value, MissingReason>,
) {
    let known = experiment.cases.iter().position(|it| **it == *case);
    let case = known.unwrap_or_else(|| {
        experiment.cases.push(case.into());
        experiment.cases.len() - 1
    });
    let line = experiment.observations.len() as u32 + 1;
    experiment.observations.push(Observation {
        case: case as u32,
        metric: 0,
        run,
        replicate: 0,
        result: match result {
            Ok(value) => Ok(Sample {
                value,
                at: None,
                block: None,
                order: None,
            }),
            Err(reason) => Err(Missing::new(reason)),
        },
        place: Place { file: 0, line },
    });
}
