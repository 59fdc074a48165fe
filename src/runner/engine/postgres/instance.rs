//! An instance of PostgreSQL.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postgres::Client;
use postgres::error::SqlState;

use super::super::guard::Guard;
use super::super::{Connection, Dialect, Instance, Observed, Start};
use super::connection::{PostgresConnection, words};
use super::dialect::PostgresDialect;
use super::observe::Counters;
use super::place::{CONTROL, Door, Place};
use super::setting::{self, FILLFACTOR, Known, WAL_SEGMENT_SIZE};
use super::watch::{LogWatch, Seen, WORKERS, WaitWatch};
use super::{major, version};
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;
use crate::runner::watch::Watch;

/// A server, or a database on one.
pub(super) struct PostgresInstance {
    // Closed before the server ends.
    control: Mutex<Client>,
    guard: Guard,
    place: Mutex<Place>,
    door: Door,
    aside: Door,
    deadline: Deadline,
    dialect: PostgresDialect,
    version: String,
    known: BTreeMap<String, Known>,
    seen: Seen,
    first: Mutex<Option<Counters>>,
    is_private: bool,
}

pub(super) fn start(start: &Start<'_>) -> Result<PostgresInstance, Fault> {
    for asked in start.settings {
        if let Some(why) = setting::refuse(asked, None) {
            return Err(Fault::failed(why));
        }
    }
    let place = Place::find(start)?;
    let (door, aside) = (place.door().clone(), place.aside().clone());
    let made = (|| {
        let mut control = door.open(CONTROL)?;
        let told: String = control.query_one("SELECT version()", &[])?.get(0);
        let known = known(&mut control)?;
        Ok((control, told, known))
    })();
    let (control, told, known) = made.map_err(|error: postgres::Error| {
        Fault::failed(words(&error)).with_log(&place.log_tail())
    })?;
    let version = version(&told).unwrap_or(told);
    for asked in start.settings {
        // What only this version tells: it may be another than that of the programs here.
        if let Some(why) = setting::refuse(asked, Some(major(&version))) {
            return Err(Fault::unsupported(why));
        }
        // A server takes any name with a point in it, and nobody may ever read it.
        let name = &asked.name;
        if name.eq_ignore_ascii_case(FILLFACTOR) || known.contains_key(&name.to_ascii_lowercase()) {
            continue;
        }
        let message = format!("PostgreSQL {version} tells of no setting `{name}`");
        return Err(Fault::failed(message).with_log(&place.log_tail()));
    }
    let asked = start.settings.iter();
    let fillfactor = asked
        .rev()
        .find(|asked| asked.name.eq_ignore_ascii_case(FILLFACTOR));
    Ok(PostgresInstance {
        control: Mutex::new(control),
        guard: Guard::new(start.deadline),
        place: Mutex::new(place),
        door,
        aside,
        deadline: start.deadline.clone(),
        dialect: PostgresDialect {
            fillfactor: fillfactor.map(|asked| asked.value.trim().to_owned()),
        },
        version,
        known,
        seen: Seen::default(),
        first: Mutex::new(None),
        is_private: start.server.is_none(),
    })
}

fn known(client: &mut Client) -> Result<BTreeMap<String, Known>, postgres::Error> {
    let sql = "SELECT name, coalesce(setting, ''), coalesce(current_setting(name), ''), coalesce(unit, ''), vartype \
               FROM pg_settings";
    let rows = client.query(sql, &[])?;
    let known = rows.iter().map(|row| {
        let known = Known {
            raw: row.get(1),
            shown: row.get(2),
            unit: row.get(3),
            kind: row.get(4),
        };
        (row.get::<_, String>(0).to_ascii_lowercase(), known)
    });
    Ok(known.collect())
}

/// Whether an error says that files don't hold what they should.
fn is_damage(error: &postgres::Error) -> bool {
    let damage = [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED];
    error.code().is_some_and(|code| damage.contains(code))
}

/// Settings that tell of places, of people or of benchbook itself.
const UNTOLD: &[&str] = &[
    "application_name",
    "archive_cleanup_command",
    "archive_command",
    "cluster_name",
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "krb_server_keyfile",
    "listen_addresses",
    "port",
    "primary_conninfo",
    "recovery_end_command",
    "restore_command",
    "session_authorization",
    "ssl_passphrase_command",
    "unix_socket_directories",
];

impl PostgresInstance {
    fn control(&self) -> MutexGuard<'_, Client> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        act: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, Fault> {
        let mut control = self.control();
        let _ticket = self.guard.guard(self.door.canceller(&control));
        act(&mut control).map_err(|error| self.told(&error))
    }

    fn told(&self, error: &postgres::Error) -> Fault {
        super::connection::fault(error, &self.deadline).into()
    }

    /// A connection for watching.
    fn watcher(&self) -> Result<Client, Fault> {
        self.aside.open(CONTROL).map_err(|error| self.told(&error))
    }

    /// The fillfactor of the tables, once there are any; those of several tables one after the other.
    fn fillfactor(&self) -> Result<Option<String>, Fault> {
        let sql = "SELECT string_agg(DISTINCT coalesce((SELECT option_value FROM \
                   pg_options_to_table(reloptions) WHERE option_name = 'fillfactor'), '100'), ', ') \
                   FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
        self.with(|client| client.query_one(sql, &[])?.try_get(0))
    }

    /// Waits until the workload's sessions have ended, which is when they tell the last of what they did. Before
    /// version 15, a process of its own collects that, and shows it up to half a second late.
    fn await_rest(&self) -> Result<(), Fault> {
        const PATIENCE: Duration = Duration::from_secs(3);
        const STEP: Duration = Duration::from_millis(10);
        const COLLECTING: Duration = Duration::from_millis(600);
        let begin = Instant::now();
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 \
                   AND datname = current_database()";
        loop {
            let left: i64 = self.with(|client| client.query_one(sql, &[&WORKERS])?.try_get(0))?;
            if left == 0 || begin.elapsed() > PATIENCE {
                if major(&self.version) < 15 {
                    std::thread::sleep(COLLECTING);
                }
                return Ok(());
            }
            std::thread::sleep(STEP);
        }
    }
}

impl Instance for PostgresInstance {
    fn version(&self) -> String {
        format!("PostgreSQL {}", self.version)
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&self.dialect)
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        let client = self.door.open(WORKERS).map_err(|error| self.told(&error))?;
        let ticket = self.guard.guard(self.door.canceller(&client));
        Ok(Box::new(PostgresConnection::new(
            client,
            &self.deadline,
            ticket,
        )))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        if setting.eq_ignore_ascii_case(FILLFACTOR) {
            return self.fillfactor();
        }
        let sql = "SELECT current_setting($1, true)";
        self.with(|client| client.query_one(sql, &[&setting])?.try_get(0))
    }

    fn is_same(&self, setting: &str, requested: &str, effective: &str) -> bool {
        if setting.eq_ignore_ascii_case(WAL_SEGMENT_SIZE) {
            // `initdb` counts in another unit than the server.
            return setting::mebibytes(requested) == setting::mebibytes(effective);
        }
        let known = self.known.get(&setting.to_ascii_lowercase());
        setting::is_same(known, requested, effective)
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        let told = self.known.iter();
        let mut all: BTreeMap<String, String> = told
            .filter(|(name, _)| !UNTOLD.contains(&&***name))
            .map(|(name, known)| (name.clone(), known.shown.clone()))
            .collect();
        if let Some(fillfactor) = self.fillfactor()? {
            all.insert(FILLFACTOR.to_owned(), fillfactor);
        }
        Ok(all)
    }

    fn keeps_data(&self) -> bool {
        self.is_private
    }

    fn mark(&self) -> Result<(), Fault> {
        self.seen.clear();
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        // Later, while sessions work, the counters are behind what was done.
        if first.is_none() {
            *first = Some(self.with(|client| Counters::read(client, major(&self.version)))?);
        }
        Ok(())
    }

    fn observed(&self) -> Result<Observed, Fault> {
        let waits = self.seen.waits();
        self.await_rest()?;
        let after = self.with(|client| Counters::read(client, major(&self.version)))?;
        let before = *self.first.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Observed {
            values: before.map_or_else(Vec::new, |before| after.since(&before)),
            waits,
        })
    }

    fn flush(&self) -> Result<(), Fault> {
        let may_not = SqlState::INSUFFICIENT_PRIVILEGE;
        self.with(|client| match client.batch_execute("CHECKPOINT") {
            // On somebody else's server not every user may ask for one.
            Err(error) if error.code() == Some(&may_not) && !self.is_private => Ok(()),
            done => done,
        })
    }

    fn check_soundness(&self) -> Result<(), Fault> {
        // It comes with the server, but some leave it out, and not every user may make it.
        let missing = [
            SqlState::INSUFFICIENT_PRIVILEGE,
            SqlState::UNDEFINED_FILE,
            SqlState::FEATURE_NOT_SUPPORTED,
        ];
        let is_there = self.with(|client| {
            let made = client.batch_execute("CREATE EXTENSION IF NOT EXISTS amcheck");
            match made {
                Err(error) if error.code().is_some_and(|code| missing.contains(code)) => Ok(false),
                other => other.map(|()| true),
            }
        })?;
        if !is_there {
            return Ok(());
        }
        let sql = "SELECT bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam \
                   WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace";
        let mut damage = None;
        let checked = self.with(|client| match client.query(sql, &[]) {
            Err(error) if is_damage(&error) => {
                damage = Some(words(&error));
                Ok(())
            }
            other => other.map(drop),
        });
        match damage {
            Some(what) => Err(Fault::failed(format!("the database is damaged: {what}"))),
            None => checked,
        }
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        let database = self.with(|client| {
            client
                .query_one("SELECT current_database()::text", &[])?
                .try_get(0)
        })?;
        Ok(vec![
            Box::new(WaitWatch::new(self.watcher()?, database, &self.seen)?),
            Box::new(LogWatch::new(self.watcher()?)?),
        ])
    }

    fn stop(self: Box<Self>) -> Result<(), Fault> {
        let Self { control, place, .. } = *self;
        drop(control);
        place
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .leave()
    }

    fn log_tail(&self) -> String {
        self.place().log_tail()
    }

    fn gone(&self) -> Option<String> {
        self.place().gone()
    }
}
