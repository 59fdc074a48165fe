//! Cases and their order: the product of the levels, and what is drawn from the seed.
//!
//! Anyone can recompute an order. Cases are numbered as the product of the levels runs, the last
//! factor fastest. Block `b` draws from `Random::new(seed, "order", b)`:
//!
//! - `random`: the cases 0, 1, 2 … are shuffled.
//! - `grouped`: cases that agree in all factors that occur in a setting which the engine applies by a
//!   restart or by building data anew make a group. The groups, in the order of their first cases, are
//!   shuffled; then the cases of each group, from the first group of the new order to the last, are
//!   shuffled within it, all from the same stream.
//! - `fixed`: the cases stay as they are.

use std::collections::BTreeMap;

use crate::model::Order;

use super::random::Random;

/// The product of levels, the last factor fastest.
pub(super) fn product(kept: &[Vec<u32>]) -> Vec<Box<[u32]>> {
    let count = kept.iter().map(Vec::len).product();
    let mut cases = Vec::with_capacity(count);
    for number in 0..count {
        let mut rest = number;
        let mut case: Box<[u32]> = kept.iter().map(|_| 0).collect();
        for (level, levels) in case.iter_mut().zip(kept).rev() {
            *level = levels[rest % levels.len()];
            rest /= levels.len();
        }
        cases.push(case);
    }
    cases
}

/// The cases that agree in some factors, in the order of the first of each.
pub(super) fn groups(cases: &[Box<[u32]>], factors: &[usize]) -> Vec<Vec<u32>> {
    let mut places: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let key = factors.iter().map(|&factor| case[factor]).collect();
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(index as u32);
    }
    groups
}

/// The order of the cases of one block.
pub(super) fn block(
    order: Order,
    groups: &[Vec<u32>],
    cases: u32,
    seed: u64,
    block: u32,
) -> Vec<u32> {
    let mut random = Random::new(seed, "order", u64::from(block));
    match order {
        Order::Fixed => (0..cases).collect(),
        Order::Random => {
            let mut all: Vec<u32> = (0..cases).collect();
            random.shuffle(&mut all);
            all
        }
        Order::Grouped => {
            let mut drawn: Vec<usize> = (0..groups.len()).collect();
            random.shuffle(&mut drawn);
            let mut all = Vec::with_capacity(cases as usize);
            for group in drawn {
                let start = all.len();
                all.extend(&groups[group]);
                random.shuffle(&mut all[start..]);
            }
            all
        }
    }
}
