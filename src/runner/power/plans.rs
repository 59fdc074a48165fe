//! What a system has to offer so that its power plan can be kept: places that hold a value each.

use super::super::fault::Fault;

/// One value to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// What it is, in the words of a wish (`governor`).
    pub name: &'static str,
    /// Where it stands.
    pub place: String,
    /// What it is to be.
    pub value: String,
}

/// The power plans of a system.
pub(super) trait Plans: Send + std::fmt::Debug {
    /// Every place that a change may touch, directly or not, in the order in which they are put back.
    fn places(&self) -> Vec<String>;

    /// The value at a place; `None` where it can't be read or is no more.
    fn value(&self, place: &str) -> Option<String>;

    /// Whether a value may be set at a place.
    fn accepts(&self, place: &str, value: &str) -> bool;

    /// Sets a value.
    fn write(&self, place: &str, value: &str) -> Result<(), Fault>;

    /// What is in effect, in words of a wish.
    fn read(&self) -> Result<String, Fault>;

    /// What a wish means here, in the order in which it is to be set. It is unsupported if something
    /// of it is unknown, isn't offered here or can't be changed by this user. Nothing is changed yet.
    fn resolve(&self, wish: &str) -> Result<Vec<Change>, Fault>;

    /// What is in effect of a wish, in its own words.
    fn effective(&self, wish: &[Change]) -> String;
}

/// The words for a plan that every system understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neutral {
    Powersave,
    Balanced,
    Performance,
}

impl Neutral {
    pub(super) const ALL: [Self; 3] = [Self::Powersave, Self::Balanced, Self::Performance];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Powersave => "powersave",
            Self::Balanced => "balanced",
            Self::Performance => "performance",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}
