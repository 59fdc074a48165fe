//! New-Order: a customer orders some items, and one order in a hundred turns out to be a mistake.

use crate::runner::engine::{Connection, Value};
use crate::runner::random::Random;
use crate::runner::workload::answer::{money, wrong};
use crate::runner::workload::crowd::{Ending, Setback};

use super::books::Books;
use super::scale::{DISTRICTS, Scale};
use super::statement::{change, first, only, wholes};

/// What the terminal sends.
#[derive(Debug, Clone)]
pub(super) struct NewOrder {
    warehouse: i64,
    district: i64,
    customer: i64,
    lines: Vec<Line>,
    /// Seconds since 1970.
    now: i64,
}

#[derive(Debug, Clone)]
struct Line {
    item: i64,
    supplier: i64,
    quantity: i64,
}

const TAX: &str = "SELECT w_tax FROM warehouse WHERE w_id = ?";
// Changed before it is read: so no two orders get the same number, whatever the isolation.
const TAKE_NUMBER: &str =
    "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?";
const NUMBER: &str = "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ?";
const CUSTOMER: &str = "SELECT c_discount, c_last, c_credit FROM customer \
                        WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
const ORDER: &str = "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, \
                     o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, ?, NULL, ?, ?)";
const NEW: &str = "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (?, ?, ?)";
const ITEM: &str = "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?";
// Stock that would fall below 10 is filled up by 91. Changed before it is read, as above.
const TAKE_STOCK: &str = "UPDATE stock SET s_quantity = CASE WHEN s_quantity >= ? \
                          THEN s_quantity - ? ELSE s_quantity + ? END, s_ytd = s_ytd + ?, \
                          s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? \
                          WHERE s_w_id = ? AND s_i_id = ?";
const LINE: &str = "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, \
                    ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) \
                    VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)";

/// What is asked of the stock, by the district that orders.
const STOCK: [&str; DISTRICTS as usize] = [
    "SELECT s_quantity, s_dist_01, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_02, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_03, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_04, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_05, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_06, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_07, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_08, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_09, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
    "SELECT s_quantity, s_dist_10, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ?",
];

impl NewOrder {
    pub(super) fn draw(scale: &Scale, warehouse: i64, random: &mut Random, now: i64) -> Self {
        let district = random.between(1, DISTRICTS);
        let customer = scale.draw_customer(random);
        let number = random.between(5, 15);
        let is_mistake = random.below(100) == 0;
        let mut line = || {
            let item = scale.draw_item(random);
            let remote = random.below(100) == 0;
            let other = scale.draw_other(warehouse, random);
            Line {
                item,
                supplier: if remote { other } else { warehouse },
                quantity: random.between(1, 10),
            }
        };
        let mut lines: Vec<Line> = (0..number).map(|_| line()).collect();
        if is_mistake && let Some(last) = lines.last_mut() {
            last.item = scale.items + 1;
        }
        Self {
            warehouse,
            district,
            customer,
            lines,
            now,
        }
    }

    pub(super) fn attempt(
        &self,
        connection: &mut dyn Connection,
        books: &mut Books,
    ) -> Result<Ending, Setback> {
        let (w, d) = (self.warehouse, self.district);
        only(connection, TAX, &wholes([w]))?.whole(0)?;
        change(connection, TAKE_NUMBER, &wholes([w, d]))?;
        let order = only(connection, NUMBER, &wholes([w, d]))?.whole(0)? - 1;
        only(connection, CUSTOMER, &wholes([w, d, self.customer]))?;
        let is_local = self.lines.iter().all(|line| line.supplier == w);
        let count = self.lines.len() as i64;
        let values = [w, d, order, self.customer, self.now, count, is_local.into()];
        change(connection, ORDER, &wholes(values))?;
        change(connection, NEW, &wholes([w, d, order]))?;
        for (number, line) in (1..).zip(&self.lines) {
            let Some(item) = first(connection, ITEM, &wholes([line.item]))? else {
                return Ok(Ending::Rollback);
            };
            let amount = line.quantity * item.cents(0)?;
            self.take_stock(connection, line)?;
            let place = wholes([line.supplier, line.item]);
            let stock = only(connection, STOCK[d as usize - 1], &place)?;
            if stock.whole(0)? < 10 {
                return Err(wrong(format_args!("stock of item {} ran low", line.item)).into());
            }
            let mut values =
                wholes([w, d, order, number, line.item, line.supplier, line.quantity]).to_vec();
            values.extend([money(amount), Value::Text(stock.text(1)?.to_owned())]);
            change(connection, LINE, &values)?;
            books.lines += 1;
            books.quantity += line.quantity;
            books.remote_lines += i64::from(line.supplier != w);
            books.ordered += amount;
        }
        books.new_orders += 1;
        Ok(Ending::Commit)
    }

    fn take_stock(&self, connection: &mut dyn Connection, line: &Line) -> Result<(), Setback> {
        let quantity = line.quantity;
        let is_remote = line.supplier != self.warehouse;
        let values = [
            quantity + 10,
            quantity,
            91 - quantity,
            quantity,
            is_remote.into(),
            line.supplier,
            line.item,
        ];
        change(connection, TAKE_STOCK, &wholes(values))
    }
}
