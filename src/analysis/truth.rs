//! True, false, or unknown.

use std::ops::Not;

/// A statement's truth, with room for doubt (Kleene 1952, "Introduction to metamathematics", § 64).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It doesn't hold, whatever the uncertain figures are.
    False,
    /// It may or may not hold.
    Unknown,
    /// It holds, whatever the uncertain figures are.
    True,
}

impl Truth {
    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// One of them holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// True if always, false if never, unknown otherwise.
    pub(super) fn decide(always: bool, never: bool) -> Self {
        match (always, never) {
            (true, _) => Self::True,
            (false, true) => Self::False,
            (false, false) => Self::Unknown,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_follows_kleene() {
        use Truth::{False, True, Unknown};
        let all = [False, Unknown, True];
        for a in all {
            assert_eq!(!!a, a);
            assert_eq!(a.and(True), a);
            assert_eq!(a.or(False), a);
            assert_eq!((a.and(False), a.or(True)), (False, True));
            for b in all {
                assert_eq!(!a.and(b), (!a).or(!b));
                assert_eq!((a.and(b), a.or(b)), (b.and(a), b.or(a)));
                assert_eq!(a.or(a.and(b)), a);
                for c in all {
                    assert_eq!(a.and(b.or(c)), a.and(b).or(a.and(c)));
                    assert_eq!(a.and(b).and(c), a.and(b.and(c)));
                }
            }
        }
        assert_eq!(Unknown.or(!Unknown), Unknown);
        assert_eq!(Truth::from(true), True);
    }
}
