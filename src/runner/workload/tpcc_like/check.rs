//! Whether the database holds what was done: consistency conditions that TPC-C names (the first five,
//! the eighth, the ninth, and what the tenth and twelfth say of sums), and the terminals' own books.

use std::collections::BTreeMap;

use crate::runner::engine::{Connection, Value};
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;
use crate::runner::workload::answer::{self, cents, equal, whole, wrong};

use super::books::Books;
use super::data::{self, FIRST_PAYMENT};
use super::scale::{DISTRICTS, Scale};

pub(super) struct Check<'a> {
    pub(super) connection: &'a mut dyn Connection,
    pub(super) deadline: &'a Deadline,
    pub(super) scale: &'a Scale,
    pub(super) books: &'a Books,
}

/// Warehouse and district.
type Place = (i64, i64);

impl Check<'_> {
    pub(super) fn all(mut self) -> Result<(), Fault> {
        self.orders()?;
        self.payments()?;
        self.stock()?;
        self.customers()?;
        self.lines()
    }

    /// What a query gives for each district, whose rows begin with warehouse and district.
    fn by_place(&mut self, sql: &str) -> Result<BTreeMap<Place, Vec<Value>>, Fault> {
        let mut all = BTreeMap::new();
        for mut row in self.rows(sql)? {
            let rest = row.split_off(2);
            all.insert((whole(&row[0])?, whole(&row[1])?), rest);
        }
        Ok(all)
    }

    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Value>>, Fault> {
        self.deadline.check()?;
        let rows = self.connection.query(sql, &[]);
        rows.map_err(|fault| answer::fault(fault, self.deadline))
    }

    fn row(&mut self, sql: &str) -> Result<Vec<Value>, Fault> {
        self.deadline.check()?;
        answer::row(self.connection, sql, &[], self.deadline)
    }

    /// Numbers of orders, in each district and in all.
    fn orders(&mut self) -> Result<(), Fault> {
        let next = self.by_place("SELECT d_w_id, d_id, d_next_o_id FROM district")?;
        let places = self.scale.warehouses * DISTRICTS;
        equal("districts", next.len() as i64, places)?;
        let orders = self.by_place(
            "SELECT o_w_id, o_d_id, COUNT(*), MAX(o_id), SUM(o_ol_cnt) FROM orders \
             GROUP BY o_w_id, o_d_id",
        )?;
        let new = self.by_place(
            "SELECT no_w_id, no_d_id, COUNT(*), MIN(no_o_id), MAX(no_o_id) FROM new_order \
             GROUP BY no_w_id, no_d_id",
        )?;
        let lines = self.by_place(
            "SELECT ol_w_id, ol_d_id, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id",
        )?;
        let (mut all, mut all_new) = (0, 0);
        for (place, next) in &next {
            let at =
                |what: &str| format!("{what} in district {} of warehouse {}", place.1, place.0);
            let last = whole(&next[0])? - 1;
            let none = [Value::Whole(0), Value::Whole(0), Value::Whole(0)];
            let row = orders.get(place).map_or(&none[..], Vec::as_slice);
            equal(&at("orders"), whole(&row[0])?, last)?;
            equal(&at("highest order"), whole(&row[1])?, last)?;
            let counted = lines.get(place).map_or(&none[..], Vec::as_slice);
            equal(&at("order lines"), whole(&counted[0])?, whole(&row[2])?)?;
            all += last;
            // Where everything is delivered, there is no newest order to compare.
            if let Some(row) = new.get(place) {
                let (count, lowest, highest) = (whole(&row[0])?, whole(&row[1])?, whole(&row[2])?);
                equal(&at("highest new order"), highest, last)?;
                equal(&at("new orders"), count, highest - lowest + 1)?;
                all_new += count;
            }
        }
        let customers = self.scale.customers;
        let initial = places * customers;
        let initial_new = places * (customers - self.scale.delivered());
        let books = self.books;
        equal("orders", all, initial + books.new_orders)?;
        equal(
            "orders to deliver",
            all_new,
            initial_new + books.new_orders - books.delivered,
        )?;
        let undelivered = self.row("SELECT COUNT(*) FROM orders WHERE o_carrier_id IS NULL")?;
        equal("orders without a carrier", whole(&undelivered[0])?, all_new)
    }

    /// What was paid: warehouses, districts and history agree, and so do the books.
    fn payments(&mut self) -> Result<(), Fault> {
        let warehouses = self.rows("SELECT w_id, w_ytd FROM warehouse")?;
        let districts = self.by_place("SELECT d_w_id, d_id, d_ytd FROM district")?;
        let history = self.by_place(
            "SELECT h_w_id, h_d_id, SUM(h_amount), COUNT(*) FROM history GROUP BY h_w_id, h_d_id",
        )?;
        let mut sums: BTreeMap<i64, i64> = BTreeMap::new();
        for (place, row) in &districts {
            let what = format!(
                "sum of payments in district {} of warehouse {}",
                place.1, place.0
            );
            let paid = history.get(place).map_or(Ok(0), |row| cents(&row[0]))?;
            equal(&what, paid, cents(&row[0])?)?;
            *sums.entry(place.0).or_default() += paid;
        }
        equal("warehouses", warehouses.len() as i64, self.scale.warehouses)?;
        for row in &warehouses {
            let warehouse = whole(&row[0])?;
            let paid = sums.get(&warehouse).copied().unwrap_or_default();
            equal(
                &format!("payments to warehouse {warehouse}"),
                cents(&row[1])?,
                paid,
            )?;
        }
        let count = history
            .values()
            .map(|row| whole(&row[1]))
            .sum::<Result<i64, _>>()?;
        let customers = self.scale.warehouses * DISTRICTS * self.scale.customers;
        equal("payments", count, customers + self.books.payments)?;
        let paid = sums.values().sum();
        let expected = customers * FIRST_PAYMENT + self.books.paid;
        equal("sum of payments, in hundredths", paid, expected)
    }

    /// What was taken from stock is what was ordered.
    fn stock(&mut self) -> Result<(), Fault> {
        let row = self.row(
            "SELECT COUNT(*), SUM(s_ytd), SUM(s_order_cnt), SUM(s_remote_cnt), MIN(s_quantity) \
             FROM stock",
        )?;
        let (scale, books) = (self.scale, self.books);
        equal(
            "rows of stock",
            whole(&row[0])?,
            scale.warehouses * scale.items,
        )?;
        equal("taken from stock", whole(&row[1])?, books.quantity)?;
        equal("orders of stock", whole(&row[2])?, books.lines)?;
        equal(
            "orders of stock from elsewhere",
            whole(&row[3])?,
            books.remote_lines,
        )?;
        let lowest = whole(&row[4])?;
        if lowest < 10 {
            return Err(wrong(format_args!("{lowest} of an item are in stock")));
        }
        let items = self.row("SELECT COUNT(*) FROM item")?;
        equal("items", whole(&items[0])?, scale.items)
    }

    /// What customers were charged and paid.
    fn customers(&mut self) -> Result<(), Fault> {
        let (scale, books) = (self.scale, self.books);
        let customers = scale.warehouses * DISTRICTS * scale.customers;
        let row = self.row(
            "SELECT COUNT(*), SUM(c_balance), SUM(c_ytd_payment), SUM(c_payment_cnt), \
             SUM(c_delivery_cnt) FROM customer",
        )?;
        let (balance, paid) = (cents(&row[1])?, cents(&row[2])?);
        equal("customers", whole(&row[0])?, customers)?;
        let first = customers * FIRST_PAYMENT;
        let owed = books.charged - books.paid - first;
        equal("balances, in hundredths", balance, owed)?;
        equal("paid by customers, in hundredths", paid, first + books.paid)?;
        equal(
            "payments of customers",
            whole(&row[3])?,
            customers + books.payments,
        )?;
        equal("deliveries to customers", whole(&row[4])?, books.delivered)?;
        let delivered = self.row(
            "SELECT COALESCE(SUM(ol_amount), 0) FROM order_line WHERE ol_delivery_d IS NOT NULL",
        )?;
        equal(
            "lines delivered, in hundredths",
            cents(&delivered[0])?,
            balance + paid,
        )
    }

    /// What was ordered.
    fn lines(&mut self) -> Result<(), Fault> {
        let (lines, amount) = data::ordered(self.scale);
        let row = self.row("SELECT COUNT(*), SUM(ol_amount), SUM(ol_quantity) FROM order_line")?;
        let books = self.books;
        equal("order lines", whole(&row[0])?, lines + books.lines)?;
        equal(
            "ordered, in hundredths",
            cents(&row[1])?,
            amount + books.ordered,
        )?;
        equal(
            "ordered quantity",
            whole(&row[2])?,
            5 * lines + books.quantity,
        )
    }
}
