//! Order-Status: a customer asks what became of the last order.

use crate::runner::engine::Connection;
use crate::runner::random::Random;
use crate::runner::workload::answer::wrong;
use crate::runner::workload::crowd::{Ending, Setback};

use super::scale::{DISTRICTS, Scale};
use super::statement::{first, only, wholes};
use super::who::Who;

/// What the terminal sends.
#[derive(Debug, Clone)]
pub(super) struct OrderStatus {
    warehouse: i64,
    district: i64,
    who: Who,
}

const CUSTOMER: &str = "SELECT c_balance, c_first, c_middle, c_last FROM customer \
                        WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
/// Without the limit to one row.
pub(super) const LAST_ORDER: &str = "SELECT o_id, o_ol_cnt, o_entry_d, o_carrier_id FROM orders \
     WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC";
const LINES: &str = "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line \
     WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";

impl OrderStatus {
    pub(super) fn draw(scale: &Scale, warehouse: i64, random: &mut Random) -> Self {
        Self {
            warehouse,
            district: random.between(1, DISTRICTS),
            who: Who::draw(scale, random),
        }
    }

    pub(super) fn attempt(
        &self,
        connection: &mut dyn Connection,
        last_order: &str,
    ) -> Result<Ending, Setback> {
        let (w, d) = (self.warehouse, self.district);
        let c = self.who.number(connection, w, d)?;
        only(connection, CUSTOMER, &wholes([w, d, c]))?;
        // Every customer has an order from the beginning.
        let Some(order) = first(connection, last_order, &wholes([w, d, c]))? else {
            return Err(wrong(format_args!("customer {c} has no order")).into());
        };
        let id = order.whole(0)?;
        let lines = connection.query(LINES, &wholes([w, d, id]))?;
        if lines.len() as i64 != order.whole(1)? {
            let found = lines.len();
            return Err(wrong(format_args!("{found} lines of order {w} {d} {id}")).into());
        }
        Ok(Ending::Commit)
    }
}
