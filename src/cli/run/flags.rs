//! The flags of `benchbook run`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::model::Order;
use crate::runner::shard::Shard;
use crate::text::{Unit, parse_quantity};

/// What is said after the flags.
const AFTER: &str = "\
`benchbook workloads` lists what engines and workloads there are, with their parameters and results.

Exit codes: 0 every trial has its values; 1 some trials failed, and are stored so; 2 the run could not begin or \
go on; 3 trials are left, because the run was interrupted or its time was over.

Ctrl-C ends the run after the trial under way, a second one drops that trial. Whatever happens, every \
finished trial is on the disk, and `--resume` goes on from there.";

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(in crate::cli) struct Flags {
    /// Experiments with a table [run]: their folders below data/
    #[arg(value_name = "EXPERIMENT", required_unless_present = "resume")]
    pub(super) experiments: Vec<String>,
    /// The site's folder
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub(super) root: PathBuf,
    /// Another engine than the definition's
    #[arg(long, value_name = "NAME")]
    pub(super) engine: Option<String>,
    /// A server to use by its address, instead of private ones that are started
    ///
    /// Such as postgres://user@host:5432/database, mysql://user@host or firebird://user@host//folder/for/databases,
    /// with ?tls=require or ?tls=verify-full behind it where all has to be encrypted. A database is made there and
    /// removed again; nothing else is touched. The variable BENCHBOOK_SERVER says the same, and its address may hold
    /// the password. Neither is kept in any file, so --resume has to be given it again.
    #[arg(long, value_name = "URL")]
    pub(super) server: Option<String>,
    /// The file with the password of the server, unless the variable BENCHBOOK_PASSWORD holds it
    #[arg(long, value_name = "FILE")]
    pub(super) password_file: Option<PathBuf>,
    /// Show what would be run, and run nothing
    #[arg(long)]
    pub(super) plan: bool,
    /// A short trial, with what [run.quick] says
    #[arg(long)]
    pub(super) quick: bool,
    /// How often each case is measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) repetitions: Option<u32>,
    /// How long each run may take, such as 90s or 2h: repetitions are dropped before cases
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) budget: Option<Duration>,
    /// How the cases of a block are ordered
    #[arg(long, value_name = "ORDER", value_enum)]
    pub(super) order: Option<OrderFlag>,
    /// Seed of the order and of all generated data
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: Option<u64>,
    /// Only cases with this level; several levels of one factor add up
    #[arg(long, value_name = "FACTOR=LEVEL", value_parser = level)]
    pub(super) only: Vec<(String, String)>,
    /// Only a part of the blocks, such as 2/8; `auto` takes it from the variables of an array job
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(super) shard: Option<Shard>,
    /// Go on with a run: its folder, its name, or `last`
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = [
            "engine", "plan", "quick", "repetitions", "order", "seed", "only", "shard", "out", "unwatched"
        ]
    )]
    pub(super) resume: Option<String>,
    /// Try the trials that failed again
    #[arg(long, requires = "resume")]
    pub(super) retry_failed: bool,
    /// Where the run is written; data/EXPERIMENT/runs/START unless given
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Tell tools what happens, on standard output
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(super) events: Option<EventsFlag>,
    /// End with the first trial that fails
    #[arg(long)]
    pub(super) stop_on_failure: bool,
    /// Watch nothing while measuring, whatever [run.watch] says
    #[arg(long = "no-watch")]
    pub(super) unwatched: bool,
    /// Where trials write their databases, if not below the run's folder
    ///
    /// Each run makes a folder of its own there, and removes it at its end. It is for a disk that is to be measured,
    /// or one with more room; and for servers that refuse to run as root, where the user they run as may not enter
    /// the site's folder: --scratch /var/tmp lets it in. What a killed run has left there is found by --resume.
    #[arg(long, value_name = "DIR")]
    pub(super) scratch: Option<PathBuf>,
    /// Keep the folder of each trial, with its database
    #[arg(long)]
    pub(super) keep_scratch: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EventsFlag {
    /// One JSON object a line: begins, note, trial-begins, trial-ends, trial-fails, ends
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderFlag {
    /// Each block in an order drawn from the seed
    Random,
    /// The same, but cases that can share a running engine stay together
    Grouped,
    /// As declared
    Fixed,
}

impl From<OrderFlag> for Order {
    fn from(flag: OrderFlag) -> Self {
        match flag {
            OrderFlag::Random => Self::Random,
            OrderFlag::Grouped => Self::Grouped,
            OrderFlag::Fixed => Self::Fixed,
        }
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let unit = Unit::parse("s").unwrap_or_else(Unit::none);
    let seconds = parse_quantity(text, &unit, '.').ok();
    let time = seconds.filter(|seconds| *seconds > 0.0);
    time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "write a time with its unit, such as `90s`, `30min` or `2h`".to_owned())
}

fn level(text: &str) -> Result<(String, String), String> {
    let (factor, level) = text
        .split_once('=')
        .ok_or("write a factor and one of its levels, such as `page_cache=100`")?;
    Ok((factor.trim().to_owned(), level.trim().to_owned()))
}

fn shard(text: &str) -> Result<Shard, String> {
    Shard::choose(text, |name| std::env::var(name).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_levels_are_read() {
        assert_eq!(time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(time("2h"), Ok(Duration::from_secs(7200)));
        assert_eq!(time("1 h 30 min"), Ok(Duration::from_secs(5400)));
        assert_eq!(time("45"), Ok(Duration::from_secs(45)));
        for wrong in ["", "soon", "0", "-5s", "5 MiB"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        assert_eq!(level("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert!(level("a").is_err());
    }
}
