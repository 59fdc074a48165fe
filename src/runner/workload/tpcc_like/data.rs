//! What the tables hold at the beginning. Each row follows from the seed and its key.

use crate::runner::fault::Fault;
use crate::runner::random::Random;
use crate::runner::workload::Task;
use crate::runner::workload::fill::{Cell, Filler};

use super::scale::{DISTRICTS, Scale};
use super::schema::{INDEXES, TABLES};

/// When everything that is there at the beginning was entered: any second will do, as long as it is
/// always the same.
const LONG_AGO: i64 = 1_700_000_000;

/// What every customer has paid before, in hundredths.
pub(super) const FIRST_PAYMENT: i64 = 1000;

pub(super) fn prepare(task: &Task<'_>, scale: &Scale) -> Result<(), Fault> {
    let mut filler = Filler::new(task)?;
    for table in TABLES {
        let rows: Box<dyn Iterator<Item = Vec<Cell>>> = match table.name {
            "warehouse" => Box::new((1..=scale.warehouses).map(|w| warehouse(scale, w))),
            "district" => Box::new(districts(scale).map(|(w, d)| district(scale, w, d))),
            "customer" => Box::new(customers(scale).map(|(w, d, c)| customer(scale, w, d, c))),
            "history" => Box::new(customers(scale).map(|(w, d, c)| history(scale, w, d, c))),
            "orders" => Box::new(orders(scale).map(Order::cells)),
            "new_order" => Box::new((orders(scale).filter(|order| !order.delivered)).map(
                |order| {
                    [order.warehouse, order.district, order.id]
                        .map(Cell::Whole)
                        .into()
                },
            )),
            "order_line" => Box::new(orders(scale).flat_map(|order| order_lines(scale, &order))),
            "item" => Box::new((1..=scale.items).map(|i| item(scale, i))),
            _ => Box::new(
                (1..=scale.warehouses)
                    .flat_map(|w| (1..=scale.items).map(move |i| (w, i)))
                    .map(|(w, i)| stock(scale, w, i)),
            ),
        };
        filler.table(table, rows)?;
    }
    INDEXES.iter().try_for_each(|index| filler.index(index))
}

fn districts(scale: &Scale) -> impl Iterator<Item = (i64, i64)> + use<> {
    (1..=scale.warehouses).flat_map(|w| (1..=DISTRICTS).map(move |d| (w, d)))
}

fn customers(scale: &Scale) -> impl Iterator<Item = (i64, i64, i64)> + use<> {
    let number = scale.customers;
    districts(scale).flat_map(move |(w, d)| (1..=number).map(move |c| (w, d, c)))
}

/// The stream of a row: districts are numbered through, and so are the rows within each.
fn stream(scale: &Scale, name: &str, w: i64, d: i64, row: i64) -> Random {
    let district = w * DISTRICTS + d;
    Random::new(scale.seed, name, (district as u64) << 32 | row as u64)
}

/// Letters, as many as drawn between two lengths.
fn letters(random: &mut Random, shortest: i64, longest: i64) -> Cell {
    let length = random.between(shortest, longest);
    random.letters(length as usize).into()
}

fn digits(random: &mut Random, length: usize) -> String {
    (0..length)
        .map(|_| char::from(b'0' + random.below(10) as u8))
        .collect()
}

/// Two lines of a street, town, state and postal code.
fn address(random: &mut Random) -> [Cell; 5] {
    [
        letters(random, 10, 20),
        letters(random, 10, 20),
        letters(random, 10, 20),
        letters(random, 2, 2),
        Cell::Text(digits(random, 4) + "11111"),
    ]
}

/// The text of an item or its stock, one in ten of which is marked as an original.
fn remark(random: &mut Random) -> Cell {
    let length = random.between(26, 50) as usize;
    let mut text = random.letters(length);
    if random.below(10) == 0 {
        let at = random.below(length as u64 - 7) as usize;
        text.replace_range(at..at + 8, "ORIGINAL");
    }
    text.into()
}

fn warehouse(scale: &Scale, w: i64) -> Vec<Cell> {
    let mut random = Random::new(scale.seed, "warehouse", w as u64);
    let mut row = vec![w.into(), letters(&mut random, 6, 10)];
    row.extend(address(&mut random));
    row.push(random.between(0, 2000).into());
    row.push(Cell::Cents(DISTRICTS * scale.customers * FIRST_PAYMENT));
    row
}

fn district(scale: &Scale, w: i64, d: i64) -> Vec<Cell> {
    let mut random = stream(scale, "district", w, d, 0);
    let mut row = vec![w.into(), d.into(), letters(&mut random, 6, 10)];
    row.extend(address(&mut random));
    row.push(random.between(0, 2000).into());
    row.push(Cell::Cents(scale.customers * FIRST_PAYMENT));
    row.push((scale.customers + 1).into());
    row
}

fn customer(scale: &Scale, w: i64, d: i64, c: i64) -> Vec<Cell> {
    let mut random = stream(scale, "customer", w, d, c);
    let last = scale.name_of(c, &mut random);
    let mut row = vec![w.into(), d.into(), c.into(), letters(&mut random, 8, 16)];
    row.extend(["OE".into(), last.into()]);
    row.extend(address(&mut random));
    let credit = if random.below(10) == 0 { "BC" } else { "GC" };
    row.extend([
        digits(&mut random, 16).into(),
        LONG_AGO.into(),
        credit.into(),
        Cell::Cents(5_000_000),
        random.between(0, 5000).into(),
        Cell::Cents(-FIRST_PAYMENT),
        Cell::Cents(FIRST_PAYMENT),
        Cell::Whole(1),
        Cell::Whole(0),
        letters(&mut random, 300, 500),
    ]);
    row
}

fn history(scale: &Scale, w: i64, d: i64, c: i64) -> Vec<Cell> {
    let mut random = stream(scale, "history", w, d, c);
    let mut row = [c, d, w, d, w, LONG_AGO].map(Cell::Whole).to_vec();
    row.extend([Cell::Cents(FIRST_PAYMENT), letters(&mut random, 12, 24)]);
    row
}

/// An order that is there at the beginning, and the stream that its lines are drawn from.
struct Order {
    warehouse: i64,
    district: i64,
    id: i64,
    customer: i64,
    carrier: i64,
    lines: i64,
    delivered: bool,
    random: Random,
}

/// Every customer has one order; which, is drawn.
fn orders(scale: &Scale) -> impl Iterator<Item = Order> + use<> {
    let scale = *scale;
    districts(&scale).flat_map(move |(warehouse, district)| {
        let mut customers: Vec<i64> = (1..=scale.customers).collect();
        stream(&scale, "customers of orders", warehouse, district, 0).shuffle(&mut customers);
        (1..).zip(customers).map(move |(id, customer)| {
            let mut random = stream(&scale, "orders", warehouse, district, id);
            Order {
                warehouse,
                district,
                id,
                customer,
                carrier: random.between(1, 10),
                lines: random.between(5, 15),
                delivered: id <= scale.delivered(),
                random,
            }
        })
    })
}

impl Order {
    fn cells(self) -> Vec<Cell> {
        let numbers = [
            self.warehouse,
            self.district,
            self.id,
            self.customer,
            LONG_AGO,
        ];
        let mut row = numbers.map(Cell::Whole).to_vec();
        row.push(if self.delivered {
            self.carrier.into()
        } else {
            Cell::Null
        });
        row.extend([self.lines.into(), Cell::Whole(1)]);
        row
    }
}

/// A line of an order that is there at the beginning.
struct Line {
    number: i64,
    item: i64,
    cents: i64,
    /// Where its text is drawn from.
    random: Random,
}

impl Order {
    /// What is delivered was free of charge, so that customers owe nothing for it.
    fn lines(&self, scale: &Scale) -> impl Iterator<Item = Line> + use<> {
        let (items, delivered, random) = (scale.items, self.delivered, self.random.clone());
        (1..=self.lines).map(move |number| {
            let mut random = Random::new(random.clone().bits(), "lines", number as u64);
            let item = random.between(1, items);
            let drawn = random.between(1, 999_999);
            Line {
                number,
                item,
                cents: if delivered { 0 } else { drawn },
                random,
            }
        })
    }
}

fn order_lines(scale: &Scale, order: &Order) -> Vec<Vec<Cell>> {
    let cells = |mut line: Line| {
        let Line { number, item, .. } = line;
        let place = [
            order.warehouse,
            order.district,
            order.id,
            number,
            item,
            order.warehouse,
        ];
        let mut row = place.map(Cell::Whole).to_vec();
        row.extend([
            if order.delivered {
                LONG_AGO.into()
            } else {
                Cell::Null
            },
            Cell::Whole(5),
            Cell::Cents(line.cents),
            line.random.letters(24).into(),
        ]);
        row
    };
    order.lines(scale).map(cells).collect()
}

/// How many order lines there are at the beginning, and what they amount to in hundredths.
pub(super) fn ordered(scale: &Scale) -> (i64, i64) {
    let lines = orders(scale).flat_map(|order| order.lines(scale));
    lines.fold((0, 0), |(count, sum), line| (count + 1, sum + line.cents))
}

fn item(scale: &Scale, i: i64) -> Vec<Cell> {
    let mut random = Random::new(scale.seed, "item", i as u64);
    vec![
        i.into(),
        random.between(1, 10_000).into(),
        letters(&mut random, 14, 24),
        Cell::Cents(random.between(100, 10_000)),
        remark(&mut random),
    ]
}

fn stock(scale: &Scale, w: i64, i: i64) -> Vec<Cell> {
    let mut random = stream(scale, "stock", w, 0, i);
    let mut row = vec![w.into(), i.into(), random.between(10, 100).into()];
    row.extend((0..DISTRICTS).map(|_| Cell::Text(random.letters(24))));
    row.extend([
        Cell::Whole(0),
        Cell::Whole(0),
        Cell::Whole(0),
        remark(&mut random),
    ]);
    row
}
