//! How much there is of everything, and how customers and items are drawn: not evenly, as TPC-C has it.

use crate::runner::random::Random;
use crate::runner::workload::Parameters;

/// Districts of a warehouse, as in TPC-C.
pub(super) const DISTRICTS: i64 = 10;

/// The parts that last names are put together from, one for each digit of a number.
const SYLLABLES: [&str; 10] = [
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING",
];

/// Sizes of the tables, and the constants of the uneven draws.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    pub(super) seed: u64,
    pub(super) warehouses: i64,
    /// Customers of a district; as many orders are there at the beginning.
    pub(super) customers: i64,
    pub(super) items: i64,
    customer: Uneven,
    item: Uneven,
    name_at_load: Uneven,
    name: Uneven,
}

/// The constants of an uneven draw: bits that are likelier set, and a shift.
#[derive(Debug, Clone, Copy)]
struct Uneven {
    bits: i64,
    shift: i64,
}

impl Uneven {
    /// A number from `low` to `high`: of two even draws, one over all numbers and one of as many bits as
    /// fit several times into them, those bits are taken that are set in either; the result is shifted
    /// in a circle.
    fn draw(self, random: &mut Random, low: i64, high: i64) -> i64 {
        let either = random.between(0, self.bits) | random.between(low, high);
        (either + self.shift) % (high - low + 1) + low
    }
}

/// All bits below the greatest power of two that keeps to `full` bits the ratio of `size` to
/// `full_size`, so that smaller tables are drawn from as unevenly as full ones.
fn bits(size: i64, full_size: i64, full: i64) -> i64 {
    let wanted = (size * (full + 1) / full_size).max(1);
    (1 << wanted.ilog2()) - 1
}

impl Scale {
    pub(super) fn new(seed: u64, parameters: &Parameters) -> Self {
        let customers = parameters.count("customers") as i64;
        let items = parameters.count("items") as i64;
        let mut random = Random::new(seed, "constants", 0);
        let names = bits(names(customers), 1000, 255);
        let mut shift = |bits: i64| random.between(0, bits);
        let at_load = shift(names);
        // The constant of the run has to keep a certain distance from that of the load, lest the run
        // asks for just those names that are frequent. Smaller tables have too few for that.
        let mut at_run = shift(names);
        while names == 255 && !is_far_enough(at_run, at_load) {
            at_run = shift(names);
        }
        let uneven = |bits: i64, shift: i64| Uneven { bits, shift };
        let customer = bits(customers, 3000, 1023);
        let item = bits(items, 100_000, 8191);
        Self {
            seed,
            warehouses: parameters.count("warehouses") as i64,
            customers,
            items,
            customer: uneven(customer, shift(customer)),
            item: uneven(item, shift(item)),
            name_at_load: uneven(names, at_load),
            name: uneven(names, at_run),
        }
    }

    /// How many of a district's first orders are delivered at the beginning: all but 30 %.
    pub(super) fn delivered(&self) -> i64 {
        self.customers - self.customers * 3 / 10
    }

    pub(super) fn draw_customer(&self, random: &mut Random) -> i64 {
        self.customer.draw(random, 1, self.customers)
    }

    pub(super) fn draw_item(&self, random: &mut Random) -> i64 {
        self.item.draw(random, 1, self.items)
    }

    pub(super) fn draw_name(&self, random: &mut Random) -> String {
        last_name(self.name.draw(random, 0, names(self.customers) - 1))
    }

    /// The last name of a customer: the first thousand of a district have one each.
    pub(super) fn name_of(&self, customer: i64, random: &mut Random) -> String {
        let names = names(self.customers);
        if customer <= names {
            last_name(customer - 1)
        } else {
            last_name(self.name_at_load.draw(random, 0, names - 1))
        }
    }

    /// Another warehouse than this, each as likely; this, where there is no other.
    pub(super) fn draw_other(&self, warehouse: i64, random: &mut Random) -> i64 {
        if self.warehouses == 1 {
            return warehouse;
        }
        let drawn = random.between(1, self.warehouses - 1);
        drawn + i64::from(drawn >= warehouse)
    }
}

/// How many last names there are in a district.
fn names(customers: i64) -> i64 {
    customers.min(1000)
}

fn is_far_enough(run: i64, load: i64) -> bool {
    let distance = run.abs_diff(load);
    (65..=119).contains(&distance) && distance != 96 && distance != 112
}

/// The last name that belongs to a number below 1000.
pub(super) fn last_name(number: i64) -> String {
    [number / 100, number / 10, number]
        .map(|part| SYLLABLES[part as usize % 10])
        .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(customers: u32, items: u32) -> Scale {
        let numbers = [
            ("warehouses", 3.0),
            ("customers", customers.into()),
            ("items", items.into()),
        ];
        let parameters = Parameters {
            numbers: numbers.map(|(name, value)| (name.to_owned(), value)).into(),
            ..Parameters::default()
        };
        Scale::new(7, &parameters)
    }

    #[test]
    fn full_size_has_the_constants_of_the_specification() {
        let scale = scale(3000, 100_000);
        assert_eq!(scale.customer.bits, 1023);
        assert_eq!(scale.item.bits, 8191);
        assert_eq!(scale.name.bits, 255);
        assert!(is_far_enough(scale.name.shift, scale.name_at_load.shift));
        assert_eq!(scale.delivered(), 2100);
    }

    #[test]
    fn names_are_made_of_syllables() {
        assert_eq!(last_name(0), "BARBARBAR");
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(999), "EINGEINGEING");
    }

    #[test]
    fn draws_are_uneven_and_stay_within() {
        for (customers, items) in [(3000, 100_000), (30, 100), (1, 1)] {
            let scale = scale(customers, items);
            let mut random = Random::new(1, "draws", 0);
            let mut counts = vec![0; customers as usize];
            for _ in 0..30 * customers {
                counts[scale.draw_customer(&mut random) as usize - 1] += 1;
                let item = scale.draw_item(&mut random);
                assert!((1..=i64::from(items)).contains(&item));
            }
            let most = counts.iter().max().expect("there is a customer");
            assert!(customers < 10 || *most >= 80, "{customers}: {most}");
        }
    }

    #[test]
    fn another_warehouse_is_never_the_own() {
        let scale = scale(10, 10);
        let mut random = Random::new(1, "draws", 0);
        let mut seen = [0; 4];
        for _ in 0..100 {
            seen[scale.draw_other(2, &mut random) as usize] += 1;
        }
        assert!(seen[1] > 30 && seen[3] > 30 && seen[0] + seen[2] == 0);
    }
}
