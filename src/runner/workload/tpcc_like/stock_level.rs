//! Stock-Level: how many items of the last twenty orders of a district are running low.

use crate::runner::engine::Connection;
use crate::runner::random::Random;
use crate::runner::workload::answer::wrong;
use crate::runner::workload::crowd::{Ending, Setback};

use super::scale::DISTRICTS;
use super::statement::{only, wholes};

/// What the terminal sends.
#[derive(Debug, Clone)]
pub(super) struct StockLevel {
    warehouse: i64,
    district: i64,
    threshold: i64,
}

const NEXT: &str = "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?";
const LOW: &str = "SELECT COUNT(DISTINCT s_i_id) FROM order_line \
                   JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id \
                   WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ? \
                   AND s_quantity < ?";

impl StockLevel {
    /// A terminal always asks for the same district.
    pub(super) fn draw(warehouse: i64, terminal: usize, random: &mut Random) -> Self {
        Self {
            warehouse,
            district: terminal as i64 % DISTRICTS + 1,
            threshold: random.between(10, 20),
        }
    }

    pub(super) fn attempt(&self, connection: &mut dyn Connection) -> Result<Ending, Setback> {
        let (w, d) = (self.warehouse, self.district);
        let next = only(connection, NEXT, &wholes([w, d]))?.whole(0)?;
        let values = wholes([w, d, next - 20, next, self.threshold]);
        let low = only(connection, LOW, &values)?.whole(0)?;
        // Twenty orders have three hundred lines at most.
        if !(0..=300).contains(&low) {
            return Err(wrong(format_args!("{low} items of twenty orders run low")).into());
        }
        Ok(Ending::Commit)
    }
}
