//! Derived metrics: one metric over another, or over a numeric factor, observation by observation.

use std::collections::HashMap;

use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::{Experiment, LevelValue, Missing, Observation, Sample, Value};

/// Appends the observations of every derived metric, each at its numerator's place.
pub(super) fn derive(experiment: &mut Experiment, report: &mut Report) {
    let metrics = &experiment.definition.metrics;
    let mut done: Vec<bool> = metrics
        .iter()
        .map(|metric| metric.derived.is_none())
        .collect();
    // A derived metric waits for the parts that are derived themselves; circles were refused.
    while let Some(metric) = ready(experiment, &done) {
        let found = quotients(experiment, metric, report);
        experiment.observations.extend(found);
        done[metric] = true;
    }
}

fn ready(experiment: &Experiment, done: &[bool]) -> Option<usize> {
    let definition = &experiment.definition;
    let known = |key: &str| definition.metric(key).is_none_or(|(index, _)| done[index]);
    definition
        .metrics
        .iter()
        .enumerate()
        .position(|(index, metric)| {
            let parts = metric.derived.as_ref();
            !done[index] && parts.is_some_and(|it| known(&it.numerator) && known(&it.denominator))
        })
}

fn quotients(experiment: &Experiment, metric: usize, report: &mut Report) -> Vec<Observation> {
    let definition = &experiment.definition;
    let Some(derived) = &definition.metrics[metric].derived else {
        return Vec::new();
    };
    let Some((numerator, _)) = definition.metric(&derived.numerator) else {
        return Vec::new();
    };
    let denominators: Denominators<'_> = match definition.metric(&derived.denominator) {
        Some((below, _)) => Denominators::Metric(
            experiment
                .observations
                .iter()
                .filter(|observation| observation.metric as usize == below)
                .map(|it| ((it.case, it.run, it.replicate), &it.result))
                .collect(),
        ),
        None => match definition.factor(&derived.denominator) {
            Some((factor, _)) => Denominators::Factor(factor),
            None => return Vec::new(),
        },
    };
    let mut quotients = Vec::new();
    for above in experiment
        .observations
        .iter()
        .filter(|it| it.metric as usize == numerator)
    {
        let Some(below) = denominators.find(experiment, above) else {
            continue;
        };
        let result = match (&above.result, below) {
            (Err(missing), _) => Err(missing.clone()),
            (_, Err(missing)) => Err(missing),
            (Ok(sample), Ok(below)) => match quotient(sample.value, below) {
                Quotient::Value(value) => Ok(Sample { value, ..*sample }),
                Quotient::Unknown => Err(Missing::new(definition.missing)),
                Quotient::ByZero => {
                    let file = &experiment.files[above.place.file as usize];
                    let key = &definition.metrics[metric].key;
                    report.push(
                        Diagnostic::new(
                            Code::DivisionByZero,
                            format!("`{key}` would divide by zero"),
                        )
                        .at(Span::line(file, above.place.line as usize), "")
                        .at(definition.metrics[metric].span.clone(), "derived here")
                        .help("a zero that stands for no value has a reason instead, such as `not-run`"),
                    );
                    continue;
                }
            },
        };
        quotients.push(Observation {
            metric: metric as u32,
            result,
            ..above.clone()
        });
    }
    quotients
}

/// Where the numbers below the line come from; looked up only.
enum Denominators<'e> {
    Metric(HashMap<(u32, u32, u32), &'e Result<Sample, Missing>>),
    Factor(usize),
}

impl Denominators<'_> {
    fn find(&self, experiment: &Experiment, above: &Observation) -> Option<Result<Value, Missing>> {
        match self {
            Self::Metric(values) => {
                let found = values.get(&(above.case, above.run, above.replicate))?;
                Some(
                    found
                        .as_ref()
                        .map(|sample| sample.value)
                        .map_err(Clone::clone),
                )
            }
            Self::Factor(factor) => {
                let level = experiment.cases[above.case as usize][*factor];
                match experiment.definition.factors[*factor].levels[level as usize].value {
                    LevelValue::Number(number) => Some(Ok(Value::Exact(number))),
                    LevelValue::Name => None,
                }
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum Quotient {
    Value(Value),
    /// Nothing can be said (`> 5` over `> 2`).
    Unknown,
    ByZero,
}

/// Divides what is known of two values: as intervals from `low` to `high`, open ends included.
fn quotient(above: Value, below: Value) -> Quotient {
    let (bottom, top) = ends(below);
    if bottom <= 0.0 && top >= 0.0 {
        return if below == Value::Exact(0.0) {
            Quotient::ByZero
        } else {
            Quotient::Unknown
        };
    }
    if let (Value::Exact(above), Value::Exact(below)) = (above, below) {
        return finite(Value::Exact(above / below));
    }
    let (low, high) = ends(above);
    let corners = [low / bottom, low / top, high / bottom, high / top];
    let corners = corners.map(|corner| if corner.is_nan() { 0.0 } else { corner });
    let low = corners.into_iter().fold(f64::INFINITY, f64::min);
    let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
    match (low.is_finite(), high.is_finite()) {
        (true, true) if low == high => Quotient::Value(Value::Exact(low)),
        (true, true) => Quotient::Value(Value::Range(low, high)),
        (true, false) => Quotient::Value(Value::Above(low)),
        (false, true) => Quotient::Value(Value::Below(high)),
        (false, false) => Quotient::Unknown,
    }
}

fn finite(value: Value) -> Quotient {
    match value {
        Value::Exact(number) if !number.is_finite() => Quotient::Unknown,
        value => Quotient::Value(value),
    }
}

fn ends(value: Value) -> (f64, f64) {
    match value {
        Value::Exact(number) => (number, number),
        Value::Range(low, high) => (low, high),
        Value::Above(bound) => (bound, f64::INFINITY),
        Value::Below(bound) => (f64::NEG_INFINITY, bound),
    }
}
