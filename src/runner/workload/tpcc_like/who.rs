//! The customer that a transaction is about: named in six cases of ten, numbered in the others.

use crate::runner::engine::{Connection, Value};
use crate::runner::random::Random;
use crate::runner::workload::answer::{whole, wrong};
use crate::runner::workload::crowd::Setback;

use super::scale::Scale;

/// A customer of a district, as the terminal knows it.
#[derive(Debug, Clone)]
pub(super) enum Who {
    Number(i64),
    LastName(String),
}

const BY_NAME: &str = "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? \
                       ORDER BY c_first";

impl Who {
    pub(super) fn draw(scale: &Scale, random: &mut Random) -> Self {
        if random.below(100) < 60 {
            Self::LastName(scale.draw_name(random))
        } else {
            Self::Number(scale.draw_customer(random))
        }
    }

    /// Its number; of several with one last name, the one in the middle by first name, the upper of two.
    pub(super) fn number(
        &self,
        connection: &mut dyn Connection,
        warehouse: i64,
        district: i64,
    ) -> Result<i64, Setback> {
        let name = match self {
            Self::Number(number) => return Ok(*number),
            Self::LastName(name) => name,
        };
        let values = [warehouse.into(), district.into(), Value::Text(name.clone())];
        let rows = connection.query(BY_NAME, &values)?;
        match rows
            .get(rows.len().saturating_sub(1) / 2)
            .map(Vec::as_slice)
        {
            Some([number]) => Ok(whole(number)?),
            _ => Err(wrong(format_args!("no customer is called {name}")).into()),
        }
    }
}
