//! What Firebird's lock table tells of itself, as `fb_lock_print` prints it.

/// The head of the lock table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Locks {
    /// Bytes that the table has now.
    pub(super) length: f64,
    /// How often somebody took hold of the table.
    pub(super) acquires: f64,
    /// How often it was held by somebody else then.
    pub(super) blocks: f64,
    /// Chains of the table.
    pub(super) slots: f64,
    /// Length of the longest chain now.
    pub(super) longest: f64,
}

/// Reads what the program printed; nothing where that isn't the head of a lock table.
pub(super) fn parse(text: &str) -> Option<Locks> {
    let number = |label: &str| {
        let (_, rest) = text.split_once(label)?;
        let rest = rest.trim_start();
        let end = rest
            .find(|sign: char| !sign.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse::<f64>().ok()
    };
    // The shortest, the average and the longest, with bars in between.
    let longest = || {
        let (_, rest) = text.split_once("Hash lengths (min/avg/max):")?;
        let line = rest.lines().next()?;
        line.rsplit('/').next()?.trim().parse::<f64>().ok()
    };
    Some(Locks {
        length: number("Length:")?,
        acquires: number("Acquires:")?,
        blocks: number("Acquire blocks:")?,
        slots: number("Hash slots:")?,
        longest: longest()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_read() {
        let text = "LOCK_HEADER BLOCK\n\tVersion: 146, Creation timestamp: 2026-01-01 00:00:00\n\
                    \tActive owner:      0, Length: 1048576, Used: 20480\n\
                    \tEnqs:   5000, Converts:     10, Rejects:      2, Blocks:     30\n\
                    \tAcquires:  12000, Acquire blocks:    600, Spin count:   0\n\tMutex wait: 5.0%\n\
                    \tHash slots: 8191, Hash lengths (min/avg/max):    0/   0/   3\n\
                    \tOwners (21):\tforward: 26544, backward: 25296\n";
        let locks = parse(text).expect("a head");
        assert_eq!((locks.acquires, locks.blocks), (12_000.0, 600.0));
        assert_eq!((locks.slots, locks.longest), (8191.0, 3.0));
        assert_eq!(locks.length, 1_048_576.0);
        assert_eq!(parse("Unable to access lock table"), None);
    }
}
