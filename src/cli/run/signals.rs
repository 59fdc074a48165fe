//! Ctrl-C and the other ways to ask a run to end.

use crate::runner::stop::Stop;

/// What is said after the first Ctrl-C.
const FIRST: &str = "stopping after the trial under way; press Ctrl-C again to drop it";
/// What is said when the trial under way is dropped.
const DROPPED: &str = "stopping; the trial under way is dropped";

/// Hears signals from now on: Ctrl-C ends the run after the trial under way, a second one drops that,
/// and so does a wish of the system (the end of the terminal, a shutdown, a scheduler's limit).
#[cfg(unix)]
pub(super) fn hear(stop: &Stop, say: impl Fn(&str) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    // A file that may not grow any more is a fault like a full disk, and no reason to die.
    signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default())?;
    let wanted = [SIGHUP, SIGINT, SIGTERM];
    let wanted = wanted.into_iter();
    let wanted = wanted.filter(|signal| !crate::runner::ignored::is_ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    let stop = stop.clone();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                raise(&stop, signal == SIGINT, &say);
            }
        })?;
    Ok(())
}

/// The same where signals can only leave a mark: it is looked for from time to time.
#[cfg(not(unix))]
pub(super) fn hear(stop: &Stop, say: impl Fn(&str) + Send + 'static) -> std::io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use signal_hook::consts::{SIGINT, SIGTERM};

    let marks = [SIGINT, SIGTERM].map(|signal| (signal, Arc::new(AtomicBool::new(false))));
    for (signal, mark) in &marks {
        signal_hook::flag::register(*signal, Arc::clone(mark))?;
    }
    let stop = stop.clone();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            loop {
                for (signal, mark) in &marks {
                    if mark.swap(false, Ordering::Relaxed) {
                        raise(&stop, *signal == SIGINT, &say);
                    }
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        })?;
    Ok(())
}

fn raise(stop: &Stop, is_polite: bool, say: &impl Fn(&str)) {
    if is_polite {
        stop.raise();
    } else {
        stop.drop_trial();
    }
    say(if stop.drops_trial() { DROPPED } else { FIRST });
}
