//! The machine's power plan: read, set for a case, checked, and put back on every way out.

// Neither has a use on the other's system but for its tests.
#[cfg_attr(windows, allow(dead_code))]
mod linux;
mod memory;
mod plans;
#[cfg(test)]
mod tests;
#[cfg_attr(not(windows), allow(dead_code))]
mod windows;

use std::path::{Path, PathBuf};

use super::fault::Fault;
use plans::{Change, Neutral, Plans};

/// How often values are written until all of them stand: setting one may change another.
const PASSES: usize = 3;

/// Keeps the power plan: changes it, and puts it back when dropped.
#[derive(Debug)]
pub struct Keeper {
    /// What became of a plan that an earlier run had changed and, being killed, not put back: what is
    /// in effect now. `None` if there was no such run.
    pub recovered: Option<Result<String, Fault>>,
    plans: Box<dyn Plans>,
    memory: PathBuf,
    /// Place and value before the first change; empty while nothing is changed.
    before: Vec<(String, String)>,
    /// What was asked for last.
    wish: Vec<Change>,
}

impl Keeper {
    /// Looks at what there is below `root` (`/` unless a test says otherwise; Windows has no use for it).
    /// If the file `memory` is there, a run was killed after it had changed the plan; what it remembers is
    /// put back first.
    pub fn open(root: &Path, memory: &Path) -> Self {
        Self::with(here(root), memory)
    }

    fn with(plans: Box<dyn Plans>, memory: &Path) -> Self {
        let mut keeper = Self {
            recovered: None,
            plans,
            memory: memory.to_owned(),
            before: Vec::new(),
            wish: Vec::new(),
        };
        keeper.recovered = keeper.recover().transpose();
        keeper
    }

    fn recover(&mut self) -> Result<Option<String>, Fault> {
        let remembered = memory::read(&self.memory).map_err(|error| {
            Fault::failed(format!(
                "a run that was ended by force had changed the power plan, but what it was before can't \
                 be read from `{}`: {error}; set the plan by hand and remove that file",
                self.memory.display()
            ))
        })?;
        let Some(remembered) = remembered else {
            return Ok(None);
        };
        // A run folder may come from anybody: only places of a power plan are written to, and only
        // values that they offer.
        let places = self.plans.places();
        self.before = remembered
            .into_iter()
            .filter(|(place, value)| places.contains(place) && self.plans.accepts(place, value))
            .collect();
        self.restore()?;
        Ok(Some(self.read().unwrap_or_else(|fault| fault.message)))
    }

    /// The plan in effect, in words that [`Self::set`] understands.
    pub fn read(&self) -> Result<String, Fault> {
        self.plans.read()
    }

    /// Sets a plan and answers what is in effect then, as read back. What the wish doesn't name is as it
    /// was before the first change, whatever was set in between, so that a case doesn't depend on the
    /// one before it.
    pub fn set(&mut self, wish: &str) -> Result<String, Fault> {
        self.wish.clear();
        if let Some(fault) = self.lost() {
            return Err(fault.clone());
        }
        self.put_back()?;
        let changes = self.plans.resolve(wish)?;
        if !changes.iter().all(|change| self.stands(change)) {
            self.remember()?;
            let wanted = |change: &Change| (change.place.clone(), change.value.clone());
            self.write(&changes.iter().map(wanted).collect::<Vec<_>>())?;
        }
        let effective = self.plans.effective(&changes);
        if !changes.iter().all(|change| self.stands(change)) {
            return Err(Fault::failed(format!(
                "the power plan `{wish}` was asked for, but `{effective}` is in effect"
            )));
        }
        self.wish = changes;
        Ok(effective)
    }

    /// Why it isn't known what the plan was before an earlier run: nothing is changed then.
    fn lost(&self) -> Option<&Fault> {
        let fault = self.recovered.as_ref()?.as_ref().err()?;
        self.before.is_empty().then_some(fault)
    }

    fn stands(&self, change: &Change) -> bool {
        self.plans.value(&change.place).as_ref() == Some(&change.value)
    }

    /// Whether the plan that was set last is still in effect; something else may have changed it.
    pub fn verify(&self) -> Result<(), Fault> {
        if self.wish.iter().all(|change| self.stands(change)) {
            return Ok(());
        }
        let effective = self.plans.effective(&self.wish);
        Err(Fault::failed(format!(
            "something else (power-profiles-daemon, tuned, a person) changed the power plan in the \
             meantime: `{effective}` is in effect"
        )))
    }

    /// Puts back what was in effect before the first change.
    pub fn restore(&mut self) -> Result<(), Fault> {
        self.wish.clear();
        if self.lost().is_some() {
            return Ok(());
        }
        self.put_back()?;
        self.before.clear();
        memory::forget(&self.memory).map_err(|error| {
            Fault::failed(format!(
                "the power plan is as it was, but `{}` can't be removed: {error}",
                self.memory.display()
            ))
        })
    }

    /// Keeps the values of now, here and on the disk, unless that was done before.
    fn remember(&mut self) -> Result<(), Fault> {
        if !self.before.is_empty() {
            return Ok(());
        }
        let before: Vec<(String, String)> = self
            .plans
            .places()
            .into_iter()
            .filter_map(|place| {
                let value = self.plans.value(&place)?;
                Some((place, value))
            })
            .collect();
        memory::write(&self.memory, &before).map_err(|error| {
            Fault::failed(format!(
                "the power plan is left alone, as it can't be remembered in `{}`: {error}",
                self.memory.display()
            ))
        })?;
        self.before = before;
        Ok(())
    }

    fn put_back(&self) -> Result<(), Fault> {
        let outcome = self.write(&self.before);
        let stands = |(place, value): &(String, String)| {
            let now = self.plans.value(place);
            now.is_none_or(|now| now == *value)
        };
        let why = match outcome {
            Ok(()) if self.before.iter().all(stands) => return Ok(()),
            Ok(()) => "other values are in effect".to_owned(),
            Err(fault) => fault.message,
        };
        Err(Fault::failed(format!(
            "the power plan can't be put back: {why}; what it was is kept in `{}`",
            self.memory.display()
        )))
    }

    /// Brings values about. Only what differs is written; what has gone away (a processor that was taken
    /// out of service) is passed over.
    fn write(&self, values: &[(String, String)]) -> Result<(), Fault> {
        let mut outcome = Ok(());
        for _ in 0..PASSES {
            outcome = Ok(());
            let mut all_stand = true;
            for (place, value) in values {
                let now = self.plans.value(place);
                if now.is_some_and(|now| now != *value) {
                    all_stand = false;
                    outcome = outcome.and(self.plans.write(place, value));
                }
            }
            if all_stand {
                break;
            }
        }
        outcome
    }
}

/// What a machine offers of power plans.
#[derive(Debug)]
pub struct Offer {
    /// The plan in effect.
    pub now: Result<String, Fault>,
    /// The words that every system understands, and why each can't be set, if it can't.
    pub words: Vec<(&'static str, Result<(), Fault>)>,
}

/// Looks at what there is below `root`, as [`Keeper::open`] does, and changes nothing.
pub fn offer(root: &Path) -> Offer {
    let plans = here(root);
    let words = Neutral::ALL.map(|word| {
        let check = plans.resolve(word.word()).map(|_| ());
        (word.word(), check)
    });
    Offer {
        now: plans.read(),
        words: words.into(),
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `restore` first. What couldn't be put back is kept in
        // the file.
        let _ = self.restore();
    }
}

#[cfg(windows)]
fn here(_root: &Path) -> Box<dyn Plans> {
    Box::new(windows::Windows::new(windows::powercfg))
}

#[cfg(not(windows))]
fn here(root: &Path) -> Box<dyn Plans> {
    Box::new(linux::Linux::new(super::tree::Tree::new(root)))
}
