//! Ends statements that would outlive their trial, on engines whose clients only wait.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::runner::stop::Deadline;

/// How long between two looks at the limit, and between two attempts to end what still runs.
const STEP: Duration = Duration::from_millis(50);

/// How a statement is ended from outside its connection.
type Cancel = Box<dyn Fn() + Send>;

/// Looks at a trial's limit in a thread of its own, until it is dropped.
pub(super) struct Guard {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ends: bool,
    next: u64,
    cancels: BTreeMap<u64, Cancel>,
}

/// The place of a connection among those that are guarded; dropping it takes it out.
pub(super) struct Ticket {
    shared: Arc<Shared>,
    number: u64,
}

impl Guard {
    /// Begins to look.
    pub(super) fn new(deadline: &Deadline) -> Self {
        let shared = Arc::new(Shared::default());
        let (watched, deadline) = (Arc::clone(&shared), deadline.clone());
        // Without a thread a statement may outlive its trial, which is better than none at all.
        let thread = std::thread::Builder::new().name("guard".to_owned());
        let _ = thread.spawn(move || watched.watch(&deadline));
        Self { shared }
    }

    /// Guards a connection: once the limit is over, `cancel` is called again and again.
    pub(super) fn guard(&self, cancel: impl Fn() + Send + 'static) -> Ticket {
        let mut state = self.shared.lock();
        let number = state.next;
        state.next += 1;
        state.cancels.insert(number, Box::new(cancel));
        Ticket {
            shared: Arc::clone(&self.shared),
            number,
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.shared.lock().ends = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.shared.lock().cancels.remove(&self.number);
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, deadline: &Deadline) {
        let mut state = self.lock();
        while !state.ends {
            if deadline.is_over() {
                for cancel in state.cancels.values() {
                    cancel();
                }
            }
            let waited = self.changed.wait_timeout(state, STEP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::runner::stop::Stop;

    #[test]
    fn only_what_is_guarded_is_ended_and_only_at_the_limit() {
        let stop = Stop::default();
        let guard = Guard::new(&stop.limit(Duration::from_secs(300)));
        let calls: Vec<Arc<AtomicU32>> = (0..2).map(|_| Arc::default()).collect();
        let tickets: Vec<Ticket> = (calls.iter().cloned())
            .map(|calls| {
                guard.guard(move || {
                    calls.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        let mut tickets = tickets.into_iter();
        drop(tickets.next());
        std::thread::sleep(2 * STEP);
        assert_eq!(calls[1].load(Ordering::Relaxed), 0);
        stop.drop_trial();
        while calls[1].load(Ordering::Relaxed) == 0 {
            std::thread::sleep(STEP);
        }
        assert_eq!(calls[0].load(Ordering::Relaxed), 0);
    }
}
