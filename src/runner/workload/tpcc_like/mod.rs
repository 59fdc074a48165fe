//! `tpcc-like`: the five transactions and nine tables of TPC-C. It is TPC-C-like and not audited: its
//! figures must not be compared with published results of TPC-C.

mod books;
mod check;
mod data;
mod delivery;
mod new_order;
mod order_status;
mod payment;
mod scale;
mod schema;
mod statement;
mod stock_level;
mod terminal;
mod who;

use crate::runner::engine::Table;
use crate::runner::fault::Fault;

use super::fill::dialect;
use super::{Load, Measured, Outcome, Parameter, ParameterKind, Parameters, Task, Workload, crowd};
use books::Books;
use check::Check;
use scale::{DISTRICTS, Scale};
use terminal::{MIX, NEW_ORDER, Terminal};

/// The workload.
pub(super) struct TpccLike;

const PARAMETERS: &[Parameter] = &[
    crowd::connections("10"),
    crowd::DURATION,
    crowd::WARM_UP,
    Parameter {
        name: "warehouses",
        kind: ParameterKind::Count(1, 100_000),
        default: "1",
        shapes_data: true,
        meaning: "How many warehouses there are, with ten districts each. Connections are dealt out to \
                  them in turn.",
    },
    Parameter {
        name: "customers",
        kind: ParameterKind::Count(1, 3000),
        default: "3000",
        shapes_data: true,
        meaning: "How many customers a district has, and orders at the beginning: 3000 in TPC-C, fewer \
                  for a miniature.",
    },
    Parameter {
        name: "items",
        kind: ParameterKind::Count(1, 100_000),
        default: "100000",
        shapes_data: true,
        meaning: "How many items there are, and rows of stock in each warehouse: 100000 in TPC-C, fewer \
                  for a miniature.",
    },
];

/// A rate and the percentile that goes with it.
const fn rate(name: &'static str, meaning: &'static str) -> Outcome {
    Outcome {
        name,
        unit: "1/s",
        meaning,
    }
}

const fn p95(name: &'static str, meaning: &'static str) -> Outcome {
    Outcome {
        name,
        unit: "s",
        meaning,
    }
}

const RESULTS: &[Outcome] = &[
    rate(
        "new_orders_per_minute",
        "New orders committed; those that were rolled back don't count. Like every rate it is kept per \
         second: a metric with the unit `1/min` shows it per minute. TPC-C-like, not audited.",
    ),
    rate(
        "throughput",
        "Transactions of all five kinds committed per second.",
    ),
    rate(
        "payments_per_second",
        "Payments committed per second: a customer pays.",
    ),
    rate(
        "order_statuses_per_second",
        "Times per second that a customer asked about the last order.",
    ),
    rate(
        "deliveries_per_second",
        "Deliveries committed per second: one is the oldest new order of each of ten districts.",
    ),
    rate(
        "stock_levels_per_second",
        "Times per second that the items of twenty orders were looked up which are running low.",
    ),
    rate(
        "rollbacks_per_second",
        "New orders per second that turned out to be mistakes and were rolled back, as one in a hundred \
         is meant to.",
    ),
    crowd::CONFLICTS,
    crowd::LATENCIES[0],
    crowd::LATENCIES[1],
    crowd::LATENCIES[2],
    p95(
        "new_order_p95",
        "Time within which 95 % of new orders were committed, read like `latency_p50`.",
    ),
    p95(
        "payment_p95",
        "Time within which 95 % of payments were committed, read like `latency_p50`.",
    ),
    p95(
        "order_status_p95",
        "Time within which 95 % of questions about an order were answered, read like `latency_p50`.",
    ),
    p95(
        "delivery_p95",
        "Time within which 95 % of deliveries were committed, read like `latency_p50`.",
    ),
    p95(
        "stock_level_p95",
        "Time within which 95 % of questions about stock were answered, read like `latency_p50`.",
    ),
];

/// Rate and percentile of each kind of transaction, in the order of [`MIX`].
const KINDS: [(&str, &str); 5] = [
    ("new_orders_per_minute", "new_order_p95"),
    ("payments_per_second", "payment_p95"),
    ("order_statuses_per_second", "order_status_p95"),
    ("deliveries_per_second", "delivery_p95"),
    ("stock_levels_per_second", "stock_level_p95"),
];

impl Workload for TpccLike {
    fn name(&self) -> &'static str {
        "tpcc-like"
    }

    fn meaning(&self) -> &'static str {
        "The wholesaler of TPC-C: five kinds of transactions in its mix on its nine tables, without \
         pauses between them. TPC-C-like, not audited: not comparable with published results."
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn results(&self) -> &'static [Outcome] {
        RESULTS
    }

    fn tables(&self) -> &'static [Table] {
        schema::TABLES
    }

    fn disk(&self, parameters: &Parameters) -> Option<f64> {
        let (warehouses, customers) = (
            parameters.number("warehouses"),
            parameters.number("customers"),
        );
        // A customer with a payment and an order of ten lines takes about 1700 bytes in tables and
        // indexes; twice that while files are loaded and logs hold what is new.
        let people = warehouses * DISTRICTS as f64 * customers * 1700.0;
        let items = parameters.number("items") * (100.0 + warehouses * 350.0);
        Some(2.0 * (people + items))
    }

    fn seconds(&self, parameters: &Parameters) -> Option<f64> {
        Some(crowd::told(parameters))
    }

    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault> {
        data::prepare(task, &Scale::new(task.seed, task.parameters))
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Trial {
            task,
            scale: Scale::new(task.seed, task.parameters),
            books: Books::default(),
        })
    }
}

struct Trial<'a> {
    task: &'a Task<'a>,
    scale: Scale,
    /// What all terminals have committed.
    books: Books,
}

impl Load for Trial<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let dialect = dialect(self.task)?;
        let work = crowd::work(self.task, MIX.len(), |number| {
            Ok(Terminal::new(number, self.scale, dialect))
        })?;
        let mut measured = work.measured();
        let values = &mut measured.values;
        for (kind, (rate, percentile)) in work.tally.kinds.iter().zip(KINDS) {
            values.push((rate.to_owned(), work.rate(kind.operations)));
            let p95 = kind.latencies.percentile(0.95);
            values.extend(p95.map(|time| (percentile.to_owned(), time)));
        }
        let rolled_back = work.tally.kinds[NEW_ORDER].rolled_back;
        values.push(("rollbacks_per_second".to_owned(), work.rate(rolled_back)));
        for terminal in &work.workers {
            self.books.add(&terminal.books);
        }
        Ok(measured)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let mut connection = self.task.instance.connect()?;
        let check = Check {
            connection: connection.as_mut(),
            deadline: self.task.deadline,
            scale: &self.scale,
            books: &self.books,
        };
        check.all()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use super::super::examples::TPCC_LIKE;
    use super::super::trial::{Bench, gives_all, limit, value};
    use super::*;

    #[test]
    fn what_was_committed_is_there() {
        let bench = Bench::new("tpcc-like", TPCC_LIKE.parameters);
        bench.prepare().unwrap();
        assert_eq!(bench.leftovers(), 0);
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        assert_eq!(load.verify(), Ok(()));
        let measured = load.measure().unwrap();
        gives_all(bench.workload, &measured);
        let new_orders = value(&measured, "new_orders_per_minute");
        assert!(new_orders > value(&measured, "stock_levels_per_second"));
        assert!(value(&measured, "rollbacks_per_second") < new_orders / 10.0);
        bench.check_sees(&mut *load, TPCC_LIKE.changes);
    }

    #[test]
    fn every_kind_of_transaction_is_sound_when_alone_and_when_crowded() {
        // One connection has no conflicts at all; without patience, several have.
        for (connections, patience) in [("1", "10000"), ("4", "0")] {
            let settings = [("busy_timeout", patience), ("journal_mode", "DELETE")];
            let parameters = [&TPCC_LIKE.parameters[1..], &[("connections", connections)]].concat();
            let bench = Bench::with("tpcc-like", &parameters, &settings, limit());
            bench.prepare().unwrap();
            let task = bench.task();
            let mut load = bench.workload.load(&task);
            let measured = load.measure().unwrap();
            let conflicts = value(&measured, "conflicts_per_second");
            assert_eq!(conflicts > 0.0, connections == "4", "{conflicts}");
            assert_eq!(load.verify(), Ok(()));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_data() {
        let digests = |seed| {
            let mut bench = Bench::new("tpcc-like", TPCC_LIKE.parameters);
            bench.seed = seed;
            bench.prepare().unwrap();
            bench.digests()
        };
        let (first, other) = (digests(1), digests(2));
        assert_eq!(first, digests(1));
        // Which orders are new doesn't depend on the seed.
        let same: Vec<bool> = first.iter().zip(&other).map(|(a, b)| a == b).collect();
        let new_order = schema::TABLES.iter().map(|table| table.name == "new_order");
        assert_eq!(same, new_order.collect::<Vec<_>>());
    }

    #[test]
    fn names_are_looked_up_among_several() {
        let parameters = [
            &TPCC_LIKE.parameters[..3],
            &[("customers", "1300"), ("items", "50")],
        ]
        .concat();
        let bench = Bench::new("tpcc-like", &parameters);
        bench.prepare().unwrap();
        let mut connection = bench.connect();
        let names = "SELECT COUNT(*), COUNT(DISTINCT c_last) FROM customer \
                     WHERE c_w_id = 1 AND c_d_id = 10";
        let row = connection.query(names, &[]).unwrap();
        assert_eq!(row, [[1300.into(), 1000.into()]]);
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        load.measure().unwrap();
        assert_eq!(load.verify(), Ok(()));
    }
}
