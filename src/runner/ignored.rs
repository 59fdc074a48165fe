//! Signals that whoever started the program wants ignored.

/// Whether a signal was set to be ignored when the program was started, as `nohup` does with the end of
/// a terminal and shells do with Ctrl-C for programs in the background. Such a wish is to be respected.
/// Where the system doesn't tell, nothing is taken to be ignored.
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    holds(&status, signal)
}

/// Whether the set of ignored signals in the text of `/proc/self/status` holds one.
fn holds(status: &str, signal: i32) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    let bit = u32::try_from(signal - 1).ok().filter(|bit| *bit < 64);
    set.zip(bit).is_some_and(|(set, bit)| set >> bit & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_signals_are_read() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        let ignored: Vec<i32> = (0..70).filter(|signal| holds(status, *signal)).collect();
        assert_eq!(ignored, [1, 13]);
        assert!(!holds("", 1) && !holds("SigIgn:\tx\n", 1));
    }
}
