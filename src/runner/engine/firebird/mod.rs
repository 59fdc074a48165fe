//! Firebird: a private server for each trial, or a database of its own on a server by its address.

mod backup;
mod configuration;
mod connection;
mod dialect;
mod instance;
mod keys;
mod locks;
mod observe;
mod place;
mod programs;
mod setting;
#[cfg(test)]
mod tests;
mod watch;

use super::{Apply, Availability, Engine, Instance, Requested, Start};
use crate::runner::fault::Fault;
use crate::runner::workload::Outcome;
use programs::Programs;

/// The engine.
#[derive(Debug)]
pub(super) struct Firebird;

impl Engine for Firebird {
    fn name(&self) -> &'static str {
        "firebird"
    }

    fn probe(&self) -> Availability {
        match Programs::find() {
            Ok(programs) => Availability::Ready(format!("Firebird {}", programs.version)),
            Err(lacks) => Availability::Missing {
                what: format!("{lacks} isn't here"),
                help: "install the packages `firebird3.0-server` and `firebird3.0-utils` (`apt-get install \
                       firebird3.0-server firebird3.0-utils` on Debian and Ubuntu), or Firebird's own package, which lands in /opt/firebird; its service needn't run"
                    .to_owned(),
            },
        }
    }

    fn apply(&self, setting: &str) -> Apply {
        setting::apply(setting)
    }

    fn refuse(&self, asked: &Requested, elsewhere: bool) -> Option<String> {
        let here = Programs::find().ok().filter(|_| !elsewhere);
        let untold = || setting::refuse_untold(asked, None).filter(|_| elsewhere);
        setting::refuse(asked, here.map(Programs::major)).or_else(untold)
    }

    fn results(&self) -> &'static [Outcome] {
        observe::RESULTS
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["firebird"]
    }

    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        Ok(Box::new(instance::start(start)?))
    }
}
