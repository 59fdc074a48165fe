//! `benchbook run`: measures the cases of experiments, and goes on where a run was left.

mod bars;
mod begin;
mod ending;
mod flags;
mod lines;
mod objects;
mod plans;
mod resume;
mod server;
mod signals;
mod words;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context as _;

use self::flags::EventsFlag;
use crate::runner::event::Listener;
use crate::runner::stop::Stop;

pub(super) use self::flags::Flags;

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    if flags.plan {
        return plans::show(flags);
    }
    let (mut listener, say) = told(flags);
    let stop = Stop::default();
    signals::hear(&stop, say).context("signals can't be heard")?;
    let ending = match &flags.resume {
        Some(run) => resume::resume(flags, run, &stop, &mut *listener),
        None => begin::begin(flags, &stop, &mut *listener),
    }?;
    Ok(ending.code())
}

/// Says a line to people, from any thread.
type Voice = Box<dyn Fn(&str) + Send>;

/// Who is told what happens, and who says what else there is to say.
fn told(flags: &Flags) -> (Box<dyn Listener>, Voice) {
    let is_terminal = std::io::stderr().is_terminal();
    if flags.events == Some(EventsFlag::Json) {
        let objects = objects::Objects(std::io::stdout());
        return (Box::new(objects), Box::new(ending::say));
    }
    if is_terminal {
        let bars = bars::Bars::new();
        let voice = bars.voice();
        return (Box::new(bars), Box::new(voice));
    }
    let lines = lines::Lines::new(std::io::stderr());
    (Box::new(lines), Box::new(ending::say))
}
