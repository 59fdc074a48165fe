//! A comparison as JSON, for tools.

use serde_json::{Map, Value as Json, json};

use super::shape::{Compared, method};
use crate::analysis::{Cell, Shared};
use crate::model::{Direction, Value};
use crate::text::Unit;

pub(super) fn text(compared: &Compared<'_>) -> String {
    let counts = compared.counts();
    let words = ["better", "worse", "same", "undecided", "failed", "none"];
    let counts: Map<String, Json> = words
        .into_iter()
        .map(str::to_owned)
        .zip(counts.into_iter().map(Json::from))
        .collect();
    let rows: Vec<Json> = compared
        .found
        .rows
        .iter()
        .map(|it| row(compared, it))
        .collect();
    let environment: Vec<Json> = compared
        .differences()
        .into_iter()
        .map(|it| json!({"key": it.key, "from": it.values[0], "to": it.values[1]}))
        .collect();
    let whole = json!({
        "experiment": compared.experiment.definition.key,
        "from": compared.names[0],
        "to": compared.names[1],
        "threshold": compared.threshold,
        "counts": counts,
        "rows": rows,
        "alone": {"from": compared.found.alone[0], "to": compared.found.alone[1]},
        "environment": environment,
    });
    // Maps with texts as keys always have a JSON form.
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn row(compared: &Compared<'_>, row: &Shared) -> Json {
    let definition = &compared.experiment.definition;
    let levels: Map<String, Json> = definition
        .factors
        .iter()
        .zip(&row.levels)
        .enumerate()
        .filter(|(index, _)| compared.sides[0].level.is_none_or(|(it, _)| it != *index))
        .filter_map(|(_, (factor, level))| {
            let level = factor.levels.get(*level as usize)?;
            Some((factor.key.clone(), Json::from(&*level.key)))
        })
        .collect();
    let metric = &definition.metrics[row.metric];
    let verdict = match &row.comparison {
        Some(it) => Some(it.verdict.key()),
        None if row.is_lost() => Some("failed"),
        None => None,
    };
    let comparison = row.comparison.as_ref();
    json!({
        "case": levels,
        "metric": metric.key,
        "better": match metric.better {
            Direction::Higher => Some("higher"),
            Direction::Lower => Some("lower"),
            Direction::Neither => None,
        },
        "from": side(&row.from, &metric.unit),
        "to": side(&row.to, &metric.unit),
        "unit": metric.unit.symbol,
        "ratio": comparison.map(|it| it.ratio),
        "interval": comparison.map(|it| json!({
            "low": it.interval.low,
            // JSON has no infinity: an open end is null.
            "high": Some(it.interval.high).filter(|high| high.is_finite()),
            "method": method(it.interval.method),
        })),
        "verdict": verdict,
        "p": comparison.and_then(|it| it.p),
        "detectable": comparison.and_then(|it| it.detectable),
        "n": comparison.map(|it| it.n),
        "blocks": comparison.and_then(|it| it.paired).map(|it| json!({
            "shared": it.blocks,
            "left_out": it.left_out,
        })),
    })
}

/// A side in the metric's own unit.
fn side(cell: &Cell, unit: &Unit) -> Json {
    let own = |value: f64| unit.from_base(value);
    match &cell.estimate {
        Err(missing) => json!({"missing": missing.reason.key()}),
        Ok(estimate) => {
            let value = match estimate.value {
                Value::Exact(value) => json!(own(value)),
                Value::Range(low, high) => json!({"low": own(low), "high": own(high)}),
                Value::Above(low) => json!({"low": own(low), "high": null}),
                Value::Below(high) => json!({"low": null, "high": own(high)}),
            };
            json!({
                "value": value,
                "interval": estimate.interval.map(|it| json!({"low": own(it.low), "high": own(it.high)})),
                "n": estimate.n,
            })
        }
    }
}
