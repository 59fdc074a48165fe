//! A terminal: draws transactions in the mix of TPC-C, and does them without keying or thinking time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::runner::engine::{Connection, Dialect};
use crate::runner::random::Random;
use crate::runner::workload::crowd::{Beginning, Drawn, Ending, Setback, Worker};

use super::books::Books;
use super::delivery::{self, Delivery};
use super::new_order::NewOrder;
use super::order_status::{self, OrderStatus};
use super::payment::Payment;
use super::scale::Scale;
use super::stock_level::StockLevel;

/// Kinds of transactions, by index: the share in a hundred, and how each begins.
pub(super) const MIX: [(u64, Beginning); 5] = [
    (45, Beginning::Writing),
    (43, Beginning::Writing),
    (4, Beginning::Reading),
    (4, Beginning::Writing),
    (4, Beginning::Reading),
];

/// The index of New-Order in [`MIX`].
pub(super) const NEW_ORDER: usize = 0;

pub(super) struct Terminal {
    number: usize,
    scale: Scale,
    random: Random,
    oldest: String,
    last_order: String,
    job: Option<Job>,
    /// What the transaction under way would add.
    pending: Books,
    pub(super) books: Books,
}

enum Job {
    NewOrder(NewOrder),
    Payment(Payment),
    OrderStatus(OrderStatus),
    Delivery(Delivery),
    StockLevel(StockLevel),
}

impl Terminal {
    pub(super) fn new(number: usize, scale: Scale, dialect: &dyn Dialect) -> Self {
        let one = dialect.limit(1);
        Self {
            number,
            scale,
            random: Random::new(scale.seed, "terminals", number as u64),
            oldest: format!("{}{one}", delivery::OLDEST),
            last_order: format!("{}{one}", order_status::LAST_ORDER),
            job: None,
            pending: Books::default(),
            books: Books::default(),
        }
    }
}

impl Worker for Terminal {
    fn draw(&mut self) -> Drawn {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = since.map_or(0, |since| since.as_secs() as i64);
        let scale = &self.scale;
        let warehouse = self.number as i64 % scale.warehouses + 1;
        let random = &mut self.random;
        let mut at = random.below(100);
        let mut kind = 0;
        while kind + 1 < MIX.len() && at >= MIX[kind].0 {
            at -= MIX[kind].0;
            kind += 1;
        }
        self.job = Some(match kind {
            NEW_ORDER => Job::NewOrder(NewOrder::draw(scale, warehouse, random, now)),
            1 => Job::Payment(Payment::draw(scale, warehouse, random, now)),
            2 => Job::OrderStatus(OrderStatus::draw(scale, warehouse, random)),
            3 => Job::Delivery(Delivery::draw(warehouse, random, now)),
            _ => Job::StockLevel(StockLevel::draw(warehouse, self.number, random)),
        });
        Drawn {
            kind,
            operations: 1,
            beginning: MIX[kind].1,
        }
    }

    fn attempt(&mut self, connection: &mut dyn Connection) -> Result<Ending, Setback> {
        self.pending = Books::default();
        let books = &mut self.pending;
        match &self.job {
            None => Ok(Ending::Rollback),
            Some(Job::NewOrder(job)) => job.attempt(connection, books),
            Some(Job::Payment(job)) => job.attempt(connection, books),
            Some(Job::OrderStatus(job)) => job.attempt(connection, &self.last_order),
            Some(Job::Delivery(job)) => job.attempt(connection, &self.oldest, books),
            Some(Job::StockLevel(job)) => job.attempt(connection),
        }
    }

    fn keep(&mut self) {
        self.books.add(&self.pending);
    }
}
