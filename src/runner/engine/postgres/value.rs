//! Values between benchbook and PostgreSQL: sent as text, which the server reads as whatever type a place
//! wants, and received in its binary formats.

use std::error::Error;
use std::fmt::Write as _;

use postgres::types::private::BytesMut;
use postgres::types::{Format, FromSql, IsNull, ToSql, Type};

use super::super::Value;

impl ToSql for Value {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Whole(number) => write!(out, "{number}")?,
            Self::Number(number) => write!(out, "{number}")?,
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    postgres::types::to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT2 => Self::Whole(i16::from_be_bytes(raw.try_into()?).into()),
            Type::INT4 => Self::Whole(i32::from_be_bytes(raw.try_into()?).into()),
            Type::INT8 => Self::Whole(i64::from_be_bytes(raw.try_into()?)),
            Type::OID => Self::Whole(u32::from_be_bytes(raw.try_into()?).into()),
            Type::FLOAT4 => Self::Number(f32::from_be_bytes(raw.try_into()?).into()),
            Type::FLOAT8 => Self::Number(f64::from_be_bytes(raw.try_into()?)),
            Type::BOOL => Self::Whole(i64::from(raw.first() == Some(&1))),
            Type::NUMERIC => Self::Text(decimal(raw).ok_or("not a number that can be written")?),
            Type::VOID => Self::Null,
            _ => Self::Text(std::str::from_utf8(raw)?.to_owned()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::OID,
            Type::FLOAT4,
            Type::FLOAT8,
            Type::BOOL,
            Type::NUMERIC,
            Type::VOID,
            Type::TEXT,
            Type::VARCHAR,
            Type::BPCHAR,
            Type::NAME,
            Type::UNKNOWN,
        ]
        .contains(kind)
    }
}

/// A `numeric` as it is written: its digits to the base of 10,000, where the point stands, and how many
/// places are shown. None for what is no number.
fn decimal(raw: &[u8]) -> Option<String> {
    const NEGATIVE: u16 = 0x4000;
    let word = |place: usize| {
        let bytes = raw.get(2 * place..2 * place + 2)?;
        Some(u16::from_be_bytes(bytes.try_into().ok()?))
    };
    let (count, sign, places) = (word(0)?, word(2)?, usize::from(word(3)?));
    let weight = i32::from(word(1)? as i16);
    if sign != 0 && sign != NEGATIVE {
        return None;
    }
    let digit = |power: i32| {
        let place = usize::try_from(weight - power).ok();
        let inside = place.filter(|place| *place < usize::from(count));
        inside.and_then(|place| word(4 + place)).unwrap_or(0)
    };
    let mut text = String::new();
    for power in (0..=weight.max(0)).rev() {
        write!(text, "{:04}", digit(power)).ok()?;
    }
    let whole = text.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let mut fraction = String::new();
    for power in 1..=places.div_ceil(4) {
        write!(fraction, "{:04}", digit(-i32::try_from(power).ok()?)).ok()?;
    }
    fraction.truncate(places);
    let minus = if sign == NEGATIVE { "-" } else { "" };
    let point = if places > 0 { "." } else { "" };
    Some(format!("{minus}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(words: &[i32]) -> Vec<u8> {
        let words = words.iter().map(|word| (*word as u16).to_be_bytes());
        words.flatten().collect()
    }

    #[test]
    fn decimals_are_written_as_they_are() {
        for (words, text) in [
            (&[0, 0, 0, 0][..], "0"),
            (&[0, 0, 0, 2], "0.00"),
            (&[1, 0, 0, 0, 7], "7"),
            (&[2, 0, 0x4000, 2, 12, 3400], "-12.34"),
            (&[1, -1, 0, 2, 500], "0.05"),
            (&[1, -2, 0, 6, 5000], "0.000050"),
            (&[3, 2, 0, 0, 1, 0, 1], "100000001"),
            (&[1, 1, 0, 2, 25], "250000.00"),
        ] {
            assert_eq!(decimal(&raw(words)).as_deref(), Some(text));
        }
        assert_eq!(decimal(&raw(&[0, 0, 0xC000, 0])), None);
        assert_eq!(decimal(&[0, 1]), None);
    }
}
