//! Progress for tools: one JSON object a line on standard output.
//!
//! Every object has `event`. Values stand in the unit beside them, times in seconds.
//!
//! | `event` | other members |
//! |---|---|
//! | `begins` | `experiment`, `engine`, `workload`, `folder`, `cases`, `blocks`, `trials`, `done`, `expected` |
//! | `note` | `text` |
//! | `trial-begins` | `order`, `block`, `case` (level by factor), `done`, `expected` |
//! | `trial-ends` | `order`, `took`, `values` (each with `metric`, `step` if it has one, `value`, `unit`) |
//! | `trial-fails` | `order`, `took`, `reason`, `message` |
//! | `ends` | `measured`, `failed`, `left`, `reason` (null if none are left), `folder` |
//!
//! `expected` holds `low`, `seconds` and `high`: how long the trials that are left may take.

use std::io::Write;

use serde_json::{Value, json};

use crate::runner::estimate::Prediction;
use crate::runner::event::{Event, Figure, Listener};

/// Writes an object for each event.
pub(super) struct Objects<W>(pub(super) W);

impl<W: Write> Listener for Objects<W> {
    fn hear(&mut self, event: &Event<'_>) {
        // Nobody may be listening any more; the run goes on for its files.
        let _ = writeln!(self.0, "{}", object(event));
        let _ = self.0.flush();
    }
}

fn object(event: &Event<'_>) -> Value {
    match event {
        Event::Begins {
            experiment,
            engine,
            workload,
            folder,
            cases,
            blocks,
            trials,
            done,
            expected,
        } => json!({
            "event": "begins",
            "experiment": experiment,
            "engine": engine,
            "workload": workload,
            "folder": folder.to_string_lossy(),
            "cases": cases,
            "blocks": blocks,
            "trials": trials,
            "done": done,
            "expected": time(expected),
        }),
        Event::Notes(text) => json!({ "event": "note", "text": text }),
        Event::TrialBegins {
            order,
            block,
            case,
            done,
            expected,
        } => {
            let case: serde_json::Map<String, Value> = case
                .iter()
                .map(|(factor, level)| (factor.clone(), Value::String(level.clone())))
                .collect();
            json!({
                "event": "trial-begins",
                "order": order,
                "block": block,
                "case": case,
                "done": done,
                "expected": time(expected),
            })
        }
        Event::TrialEnds {
            order,
            took,
            values,
        } => json!({
            "event": "trial-ends",
            "order": order,
            "took": took.as_secs_f64(),
            "values": values.iter().map(value).collect::<Vec<Value>>(),
        }),
        Event::TrialFails { order, took, fault } => json!({
            "event": "trial-fails",
            "order": order,
            "took": took.as_secs_f64(),
            "reason": fault.reason.key(),
            "message": fault.message,
        }),
        Event::Ends {
            measured,
            failed,
            left,
            reason,
            folder,
        } => json!({
            "event": "ends",
            "measured": measured,
            "failed": failed,
            "left": left,
            "reason": reason,
            "folder": folder.to_string_lossy(),
        }),
    }
}

fn time(expected: &Prediction) -> Value {
    json!({ "low": expected.low, "seconds": expected.seconds, "high": expected.high })
}

fn value(figure: &Figure<'_>) -> Value {
    let unit = &figure.metric.unit;
    let symbol = match &*unit.symbol {
        "duration" => "s",
        "size" => "B",
        symbol => symbol,
    };
    let mut value = json!({ "metric": figure.metric.key });
    if let Some(step) = figure.step {
        value["step"] = json!(step);
    }
    value["value"] = json!(unit.from_base(figure.value));
    value["unit"] = json!(symbol);
    value
}
