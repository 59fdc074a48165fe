//! Delivery: the oldest new order of each district goes out. It is done at once, not put off.

use crate::runner::engine::{Connection, Value};
use crate::runner::random::Random;
use crate::runner::workload::answer::{money, wrong};
use crate::runner::workload::crowd::{Ending, Setback};

use super::books::Books;
use super::scale::DISTRICTS;
use super::statement::{change, first, only, wholes};

/// What the terminal sends.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    warehouse: i64,
    carrier: i64,
    /// Seconds since 1970.
    now: i64,
}

/// Without the limit to one row.
pub(super) const OLDEST: &str = "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? \
                                 ORDER BY no_o_id";
const REMOVE: &str = "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?";
const ORDER: &str =
    "SELECT o_c_id, o_ol_cnt FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
const SEND: &str =
    "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?";
const SEND_LINES: &str = "UPDATE order_line SET ol_delivery_d = ? \
                          WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
const SUM: &str =
    "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
const CHARGE: &str = "UPDATE customer SET c_balance = c_balance + ?, \
                      c_delivery_cnt = c_delivery_cnt + 1 \
                      WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

impl Delivery {
    pub(super) fn draw(warehouse: i64, random: &mut Random, now: i64) -> Self {
        Self {
            warehouse,
            carrier: random.between(1, 10),
            now,
        }
    }

    pub(super) fn attempt(
        &self,
        connection: &mut dyn Connection,
        oldest: &str,
        books: &mut Books,
    ) -> Result<Ending, Setback> {
        let w = self.warehouse;
        for d in 1..=DISTRICTS {
            let Some(row) = first(connection, oldest, &wholes([w, d]))? else {
                books.districts_without += 1;
                continue;
            };
            let order = row.whole(0)?;
            let key = wholes([w, d, order]);
            match connection.execute(REMOVE, &key)? {
                1 => {}
                0 => return Err(Setback::conflict("another delivery took the same order")),
                rows => return Err(wrong(format_args!("{rows} rows of order {order}")).into()),
            }
            let row = only(connection, ORDER, &key)?;
            let (customer, lines) = (row.whole(0)?, row.whole(1)?);
            change(connection, SEND, &with(self.carrier.into(), &key))?;
            let sent = connection.execute(SEND_LINES, &with(self.now.into(), &key))?;
            if sent as i64 != lines {
                return Err(wrong(format_args!("{sent} lines of order {w} {d} {order}")).into());
            }
            let amount = only(connection, SUM, &key)?.cents(0)?;
            let customer = wholes([w, d, customer]);
            change(connection, CHARGE, &with(money(amount), &customer))?;
            books.delivered += 1;
            books.charged += amount;
        }
        Ok(Ending::Commit)
    }
}

/// A value, and the key that says where.
fn with(value: Value, key: &[Value; 3]) -> [Value; 4] {
    let [w, d, id] = key.clone();
    [value, w, d, id]
}
