//! Payment: a customer pays, mostly at home, sometimes at another warehouse.

use crate::runner::engine::{Connection, Value};
use crate::runner::random::Random;
use crate::runner::workload::answer::money;
use crate::runner::workload::crowd::{Ending, Setback};

use super::books::Books;
use super::scale::{DISTRICTS, Scale};
use super::statement::{change, only, wholes};
use super::who::Who;

/// What the terminal sends.
#[derive(Debug, Clone)]
pub(super) struct Payment {
    warehouse: i64,
    district: i64,
    /// Where the customer is at home.
    home: (i64, i64),
    who: Who,
    /// In hundredths.
    amount: i64,
    /// Seconds since 1970.
    now: i64,
}

/// How many letters the notes on a customer may have.
const NOTES: usize = 500;

const PAY_WAREHOUSE: &str = "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
const WAREHOUSE: &str = "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip \
                         FROM warehouse WHERE w_id = ?";
const PAY_DISTRICT: &str = "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
const DISTRICT: &str = "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip \
                        FROM district WHERE d_w_id = ? AND d_id = ?";
const PAY: &str = "UPDATE customer SET c_balance = c_balance - ?, \
                   c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1 \
                   WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
const CUSTOMER: &str = "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, \
                        c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount, c_balance \
                        FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
const READ_NOTES: &str = "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
const NOTE: &str = "UPDATE customer SET c_data = ? WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
const HISTORY: &str = "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, \
                       h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

impl Payment {
    pub(super) fn draw(scale: &Scale, warehouse: i64, random: &mut Random, now: i64) -> Self {
        let district = random.between(1, DISTRICTS);
        let is_away = random.below(100) < 15 && scale.warehouses > 1;
        let other = scale.draw_other(warehouse, random);
        let other_district = random.between(1, DISTRICTS);
        Self {
            warehouse,
            district,
            home: if is_away {
                (other, other_district)
            } else {
                (warehouse, district)
            },
            who: Who::draw(scale, random),
            amount: random.between(100, 500_000),
            now,
        }
    }

    pub(super) fn attempt(
        &self,
        connection: &mut dyn Connection,
        books: &mut Books,
    ) -> Result<Ending, Setback> {
        let (w, d) = (self.warehouse, self.district);
        let (home_w, home_d) = self.home;
        let amount = money(self.amount);
        change(connection, PAY_WAREHOUSE, &[amount.clone(), w.into()])?;
        let warehouse = only(connection, WAREHOUSE, &wholes([w]))?;
        change(
            connection,
            PAY_DISTRICT,
            &[amount.clone(), w.into(), d.into()],
        )?;
        let district = only(connection, DISTRICT, &wholes([w, d]))?;
        let c = self.who.number(connection, home_w, home_d)?;
        let key = wholes([home_w, home_d, c]);
        let mut values = vec![amount.clone(), amount.clone()];
        values.extend(key.clone());
        change(connection, PAY, &values)?;
        let customer = only(connection, CUSTOMER, &key)?;
        if customer.text(0)? == "BC" {
            let old = only(connection, READ_NOTES, &key)?;
            let mut notes = format!("{c} {home_d} {home_w} {d} {w} {} ", self.amount);
            notes.push_str(old.text(0)?);
            notes.truncate(NOTES);
            let mut values = vec![Value::Text(notes)];
            values.extend(key);
            change(connection, NOTE, &values)?;
        }
        let note = format!("{}    {}", warehouse.text(0)?, district.text(0)?);
        let mut values = wholes([c, home_d, home_w, d, w, self.now]).to_vec();
        values.extend([amount, Value::Text(note)]);
        change(connection, HISTORY, &values)?;
        books.payments += 1;
        books.paid += self.amount;
        Ok(Ending::Commit)
    }
}
