//! Values with places, the same whether they were written in TOML or in YAML.

use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};
use toml::de::{DeTable, DeValue};

use crate::diag::toml_faults;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    /// A date or time that TOML knows as such.
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

impl Value {
    /// What it is, in words.
    pub(super) fn described(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Text(_) => "a text",
            Self::Whole(_) | Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// A value and where it stands, in bytes from the start of its text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) range: Range<usize>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    pub(super) node: Node,
}

/// Why a text can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    pub(super) help: Option<String>,
}

/// Reads TOML; what can be read is given even when something else can't.
pub(super) fn toml(text: &str) -> (Vec<Entry>, Vec<Fault>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let faults = toml_faults(text, &errors)
        .into_iter()
        .map(|fault| Fault {
            message: fault.message,
            range: fault.range,
            help: fault.help,
        })
        .collect();
    (entries(table.get_ref()), faults)
}

fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
        let key: &toml::Spanned<std::borrow::Cow<'_, str>> = key;
        Entry {
            key: key.get_ref().to_string(),
            key_range: key.span(),
            node: Node {
                value: value_of(value.get_ref()),
                range: value.span(),
            },
        }
    };
    table.iter().map(entry).collect()
}

fn value_of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Whole(number),
            Err(_) => Value::Number(f64::INFINITY),
        },
        DeValue::Float(number) => Value::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node {
                    value: value_of(item.get_ref()),
                    range: item.span(),
                })
                .collect(),
        ),
        DeValue::Table(table) => Value::Table(entries(table)),
    }
}

/// Reads YAML.
pub(super) fn yaml(text: &str) -> Result<Vec<Entry>, Fault> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    // No front matter is nested deeply; a bound keeps reading off the end of the stack.
    let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_depth: 24 } };
    let read = serde_saphyr::from_str_with_options(text, options);
    let root: Spanned<Value> = read.map_err(|error| {
        let shown = error.without_snippet().to_string();
        let first = shown.lines().next().unwrap_or("it can't be read");
        // The place is shown by the excerpt; saying it again in words would only be longer.
        let message = first.split(" at line ").next().unwrap_or(first);
        let message = message.trim_start_matches("error: ").to_owned();
        let mut range = error.location().map_or(0..0, bytes);
        trim(&mut range, text);
        Fault {
            message,
            range,
            help: None,
        }
    })?;
    match root.value {
        Value::Table(mut entries) => {
            locate(&mut entries, text);
            Ok(entries)
        }
        Value::Null => Ok(Vec::new()),
        _ => Err(Fault {
            message: "a front matter holds lines `key: value`".to_owned(),
            range: 0..text.len(),
            help: None,
        }),
    }
}

/// Takes line ends off the places: block scalars hold theirs, and no underline needs it.
fn locate(entries: &mut [Entry], text: &str) {
    for entry in entries {
        trim(&mut entry.key_range, text);
        trim_node(&mut entry.node, text);
    }
}

fn trim_node(node: &mut Node, text: &str) {
    trim(&mut node.range, text);
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| trim_node(item, text)),
        Value::Table(entries) => locate(entries, text),
        _ => {}
    }
}

fn trim(range: &mut Range<usize>, text: &str) {
    range.start = range.start.min(text.len());
    range.end = range.end.clamp(range.start, text.len());
    while !text.is_char_boundary(range.start) {
        range.start -= 1;
    }
    while !text.is_char_boundary(range.end) {
        range.end += 1;
    }
    range.end = range.start + text[range.clone()].trim_end().len();
}

fn bytes(location: Location) -> Range<usize> {
    let span = location.span();
    let start = usize::try_from(span.byte_offset().unwrap_or(span.offset())).unwrap_or(0);
    let length = usize::try_from(span.byte_len().unwrap_or(span.len())).unwrap_or(0);
    start..start.saturating_add(length)
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Whole(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Number(f64::INFINITY), Value::Whole))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Value>>()? {
            list.push(Node {
                range: bytes(item.referenced),
                value: item.value,
            });
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let value = map.next_value::<Spanned<Value>>()?;
            entries.push(Entry {
                key: key.value,
                key_range: bytes(key.referenced),
                node: Node {
                    range: bytes(value.referenced),
                    value: value.value,
                },
            });
        }
        Ok(Value::Table(entries))
    }
}
