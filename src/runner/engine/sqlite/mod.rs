//! SQLite: embedded, always there. An instance is a database file in the trial's own folder.

mod connection;
mod dialect;
mod instance;
mod setting;
mod state;
#[cfg(test)]
mod tests;
mod value;
mod watch;

use super::{Apply, Availability, Engine, Instance, Requested, Start};
use crate::runner::fault::Fault;

/// The engine. It is compiled in, so there is nothing to install and nothing to start.
#[derive(Debug)]
pub struct Sqlite;

impl Engine for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn probe(&self) -> Availability {
        Availability::Ready(version())
    }

    fn apply(&self, setting: &str) -> Apply {
        setting::find(setting).map_or(Apply::NewConnection, |setting| setting.apply)
    }

    fn refuse(&self, asked: &Requested, _: bool) -> Option<String> {
        let checked = setting::Settings::new(std::slice::from_ref(asked));
        checked.err().map(|fault| fault.message)
    }

    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        Ok(Box::new(instance::start(start)?))
    }
}

fn version() -> String {
    format!("SQLite {}", rusqlite::version())
}
