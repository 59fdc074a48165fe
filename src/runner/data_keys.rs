//! Which trials begin with the same data, and whether any of them is still to come.

use std::collections::BTreeMap;

use super::execute::DataKey;
use super::plan::Plan;

/// The data that the trials of a plan begin with.
#[derive(Debug, Default)]
pub(super) struct DataKeys {
    keys: Vec<String>,
    /// How many trials with each key are to come.
    left: Vec<u32>,
    /// Index of each case's key; none where the workload builds no data.
    of_case: Vec<usize>,
}

impl DataKeys {
    /// Counts the trials that are left.
    pub(super) fn new(plan: &Plan<'_>, is_left: impl Fn(usize) -> bool) -> Self {
        let mut all = Self::default();
        if !plan.workload.builds_data() {
            return all;
        }
        let mut indices = BTreeMap::new();
        for case in 0..plan.cases.len() as u32 {
            let key = plan.data_key(case);
            let index = *indices.entry(key).or_insert_with_key(|key| {
                all.keys.push(key.clone());
                all.keys.len() - 1
            });
            all.of_case.push(index);
        }
        all.left = vec![0; all.keys.len()];
        for (index, trial) in plan.trials.iter().enumerate() {
            if is_left(index) {
                all.left[all.of_case[trial.case as usize]] += 1;
            }
        }
        all
    }

    /// The key of a trial that begins now.
    pub(super) fn take(&mut self, case: u32) -> Option<DataKey> {
        let index = *self.of_case.get(case as usize)?;
        self.left[index] = self.left[index].saturating_sub(1);
        Some(DataKey {
            key: self.keys[index].clone(),
            is_needed: self.left[index] > 0,
        })
    }
}
