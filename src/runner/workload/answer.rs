//! What engines answer, as the workload means it: whole numbers, exact amounts, texts. Engines give
//! sums and decimals in different shapes; they are brought together here and nowhere else.

use super::super::engine::{Connection, SqlFault, SqlFaultKind, Value};
use super::super::fault::Fault;
use super::super::stop::Deadline;

/// Up to here, every whole number is a number of 64 bits too.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number, such as a count, a key, or a sum of such (`3`, `3.0` and `"3"` are the same).
pub(super) fn whole(value: &Value) -> Result<i64, Fault> {
    scaled(value, 0)
}

/// An amount in hundredths (`3`, `3.0` and `"3.00"` are 300). Engines without exact decimals keep
/// amounts as numbers of 64 bits, whose error is far below half a hundredth; it ends here.
pub(super) fn cents(value: &Value) -> Result<i64, Fault> {
    scaled(value, 2)
}

/// An amount in hundredths, as it is given to an engine.
pub(super) fn money(cents: i64) -> Value {
    Value::Number(cents as f64 / 100.0)
}

/// A text.
pub(super) fn text(value: &Value) -> Result<&str, Fault> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(strange(other)),
    }
}

fn scaled(value: &Value, places: u32) -> Result<i64, Fault> {
    let read = match value {
        Value::Whole(number) => number.checked_mul(10_i64.pow(places)),
        Value::Number(number) => {
            let scaled = number * 10_f64.powi(places as i32);
            let fits = scaled.abs() < EXACT && (places > 0 || scaled.fract() == 0.0);
            fits.then(|| scaled.round() as i64)
        }
        Value::Text(text) => decimal(text, places as usize),
        Value::Null => None,
    };
    read.ok_or_else(|| strange(value))
}

/// A decimal number as written, times 10 to the power of `places`; further places have to be 0.
fn decimal(text: &str, places: usize) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let kept = fraction.get(..places).unwrap_or(fraction);
    let plain = (whole.bytes().chain(kept.bytes())).all(|byte| byte.is_ascii_digit())
        && fraction.bytes().skip(places).all(|byte| byte == b'0');
    if !plain || whole.len() + fraction.len() == 0 {
        return None;
    }
    format!("{sign}{whole}{kept:0<places$}").parse().ok()
}

fn strange(value: &Value) -> Fault {
    Fault::failed(format!(
        "the engine's answer isn't what was asked for: {value:?}"
    ))
}

/// What a failed statement means for the trial.
pub(super) fn fault(fault: SqlFault, deadline: &Deadline) -> Fault {
    if fault.kind == SqlFaultKind::Interrupted
        && let Err(reason) = deadline.check()
    {
        return reason;
    }
    fault.into()
}

/// The only row of a query's answer.
pub(super) fn row(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
    deadline: &Deadline,
) -> Result<Vec<Value>, Fault> {
    let rows = connection.query(sql, values);
    let mut rows = rows.map_err(|it| fault(it, deadline))?;
    match (rows.pop(), rows.len()) {
        (Some(row), 0) => Ok(row),
        (last, before) => Err(Fault::failed(format!(
            "{} rows where one was expected: {sql}",
            before + usize::from(last.is_some())
        ))),
    }
}

/// Whether what is in the database is what was done.
pub(super) fn equal(what: &str, found: i64, expected: i64) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    Err(wrong(format!("{what}: {found} found, {expected} expected")))
}

/// The fault of a database that doesn't hold what was done.
pub(super) fn wrong(what: impl std::fmt::Display) -> Fault {
    Fault::failed(format!("the answer is wrong: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_may_answer_in_different_shapes() {
        for same in [
            Value::Whole(12),
            Value::Number(12.0),
            Value::Number(12.000_000_001),
            "12".into(),
            "12.00".into(),
            "12.0000".into(),
        ] {
            assert_eq!(cents(&same), Ok(1200), "{same:?}");
        }
        assert_eq!(cents(&Value::Number(0.1 + 0.2)), Ok(30));
        assert_eq!(cents(&"-0.05".into()), Ok(-5));
        assert_eq!(cents(&"-.5".into()), Ok(-50));
        assert_eq!(
            cents(&"90071992547409.93".into()),
            Ok(9_007_199_254_740_993)
        );
        assert_eq!(whole(&"-9223372036854775808".into()), Ok(i64::MIN));
        assert_eq!(whole(&"17.000".into()), Ok(17));
        assert_eq!(whole(&Value::Number(17.0)), Ok(17));
    }

    #[test]
    fn whatever_would_not_be_exact_is_refused() {
        for value in [
            Value::Null,
            "".into(),
            "-".into(),
            "1e3".into(),
            "+1".into(),
            "1.5".into(),
            "9223372036854775808".into(),
            Value::Number(1.5),
            Value::Number(f64::NAN),
            Value::Number(1e16),
        ] {
            assert!(whole(&value).is_err(), "{value:?}");
        }
        assert!(cents(&"0.001".into()).is_err());
        assert!(cents(&Value::Whole(i64::MAX)).is_err());
    }
}
