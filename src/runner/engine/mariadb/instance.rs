//! An instance of MariaDB or MySQL.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mysql::prelude::Queryable as _;
use mysql::{Conn, Error};

use super::super::amount::size;
use super::super::guard::Guard;
use super::super::{Connection, Dialect, Instance, Observed, Start};
use super::Version;
use super::age;
use super::connection::{MariaDbConnection, fault, words};
use super::dialect::MariaDbDialect;
use super::observe::{self, AT_LIMIT};
use super::place::{Door, Place, is_resized_online};
use super::setting::{self, LOG_CAPACITY, LOG_FILE_SIZE, LOG_RESIZE, variable};
use super::watch::{InnoDbWatch, Looks};
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;
use crate::runner::watch::Watch;

/// How long between two looks at something that is waited for.
const STEP: Duration = Duration::from_millis(10);

/// A server, or a database on one.
pub(super) struct MariaDbInstance {
    // Closed before the server ends.
    control: Mutex<Conn>,
    guard: Guard,
    place: Mutex<Place>,
    door: Door,
    deadline: Deadline,
    version: Version,
    resize: Option<String>,
    looks: Looks,
    first: Mutex<BTreeMap<String, String>>,
    is_private: bool,
}

pub(super) fn start(start: &Start<'_>) -> Result<MariaDbInstance, Fault> {
    for asked in start.settings {
        if let Some(why) = setting::refuse(asked, None) {
            return Err(Fault::failed(why));
        }
    }
    let place = Place::find(start)?;
    let door = place.door().clone();
    let told = |error: Error| Fault::failed(words(&error)).with_log(&place.log_tail());
    let mut control = door.open().map_err(told)?;
    let text: Option<String> = control.query_first("SELECT VERSION()").map_err(told)?;
    let text = text.unwrap_or_default();
    let version = Version::parse(&text)
        .ok_or_else(|| Fault::unsupported(format!("the server's version `{text}` isn't known")))?;
    // What only this version tells: it may be another than that of the programs here.
    for asked in start.settings {
        if let Some(why) = setting::refuse(asked, Some(version)) {
            return Err(Fault::unsupported(why));
        }
    }
    let mut settings = start.settings.iter().rev();
    let resize = settings.find(|asked| variable(&asked.name) == LOG_RESIZE);
    let resize = resize.map(|asked| asked.value.trim().to_owned());
    if resize.as_deref() == Some("online") && !setting::resizes_online(version) {
        let message = format!("{version} can't change the size of its log while it runs");
        return Err(Fault::unsupported(message));
    }
    let instance = MariaDbInstance {
        control: Mutex::new(control),
        guard: Guard::new(start.deadline),
        door,
        deadline: start.deadline.clone(),
        version,
        resize,
        looks: Looks::default(),
        first: Mutex::default(),
        is_private: start.server.is_none(),
        place: Mutex::new(place),
    };
    if instance.is_private && is_resized_online(start, version) {
        for asked in start.settings {
            let name = variable(&asked.name);
            if [LOG_FILE_SIZE, LOG_CAPACITY].contains(&&*name) {
                instance.resize_log(&name, &asked.value)?;
            }
        }
    }
    Ok(instance)
}

impl MariaDbInstance {
    fn control(&self) -> MutexGuard<'_, Conn> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Conn) -> Result<T, Error>) -> Result<T, Fault> {
        let mut control = self.control();
        let _ticket = self.guard.guard(self.door.canceller(&control));
        act(&mut control).map_err(|error| self.told(&error))
    }

    fn told(&self, error: &Error) -> Fault {
        fault(error, &self.deadline).into()
    }

    /// Changes the size of the log while the server runs, and waits until that is done: it goes on in the
    /// background until the next checkpoint, or several under load.
    fn resize_log(&self, name: &str, value: &str) -> Result<(), Fault> {
        let wanted =
            size(value).ok_or_else(|| Fault::failed(format!("`{value}` is no size of a log")))?;
        self.with(|conn| conn.query_drop(format!("SET GLOBAL {name} = {wanted:.0}")))?;
        loop {
            let now = match self.version.is_mysql {
                false => self.variable(name)?,
                true => self
                    .with(age::status)?
                    .remove("innodb_redo_log_capacity_resized"),
            };
            let done = now.as_deref().and_then(size);
            if done.is_some_and(|done| (done - wanted).abs() < 1.0) {
                return Ok(());
            }
            self.deadline.check()?;
            std::thread::sleep(STEP);
        }
    }

    /// What a variable is for sessions, else for the server; none if there is no such.
    fn variable(&self, name: &str) -> Result<Option<String>, Fault> {
        const UNKNOWN: u16 = 1193;
        const NOT_OF_SESSIONS: u16 = 1238;
        let read = |conn: &mut Conn| {
            let found = conn.query_first::<Option<String>, _>(format!("SELECT @@{name}"));
            match found {
                Err(Error::MySqlError(told)) if told.code == NOT_OF_SESSIONS => {
                    conn.query_first::<Option<String>, _>(format!("SELECT @@GLOBAL.{name}"))
                }
                Err(Error::MySqlError(told)) if told.code == UNKNOWN => Ok(None),
                found => found,
            }
        };
        Ok(self.with(read)?.flatten())
    }

    /// Lets the server write all changed pages to its files, and waits for that.
    fn write_pages(&self) -> Result<(), Fault> {
        const PATIENCE: Duration = Duration::from_secs(120);
        let begin = Instant::now();
        loop {
            let status = self.with(age::status)?;
            let dirty = status.get("innodb_buffer_pool_pages_dirty");
            let pending = status.get("innodb_data_pending_writes");
            let is_none = |number: Option<&String>| number.is_none_or(|number| number == "0");
            if is_none(dirty) && is_none(pending) {
                return Ok(());
            }
            self.deadline.check()?;
            if begin.elapsed() > PATIENCE {
                return Err(Fault::failed("the server doesn't come to rest"));
            }
            std::thread::sleep(STEP);
        }
    }
}

/// Settings that tell of places, of people or of benchbook itself.
fn is_untold(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "basedir",
        "datadir",
        "dir",
        "file",
        "hostname",
        "pseudo",
        "proxy",
        "socket",
        "timestamp",
    ];
    const KEPT: [&str; 6] = [
        LOG_FILE_SIZE,
        "innodb_file_per_table",
        "innodb_log_file_buffering",
        "innodb_log_files_in_group",
        "max_connections",
        "innodb_max_dirty_pages_pct",
    ];
    if KEPT.contains(&name) || name.contains("file_size") {
        return false;
    }
    WORDS.iter().any(|word| name.contains(word)) && !name.contains("dirty")
        || [
            "port",
            "server_uuid",
            "server_uid",
            "in_transaction",
            "last_gtid",
            "rand_seed1",
            "rand_seed2",
        ]
        .contains(&name)
        || name.starts_with("report_")
        || name.contains("insert_id")
}

impl Instance for MariaDbInstance {
    fn version(&self) -> String {
        self.version.to_string()
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&MariaDbDialect)
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        let conn = self.door.open().map_err(|error| self.told(&error))?;
        let ticket = self.guard.guard(self.door.canceller(&conn));
        Ok(Box::new(MariaDbConnection::new(
            conn,
            &self.deadline,
            ticket,
        )))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        let name = variable(setting);
        if name == LOG_RESIZE {
            return Ok(self.resize.clone());
        }
        self.variable(&name)
    }

    fn is_same(&self, _: &str, requested: &str, effective: &str) -> bool {
        setting::is_same(requested, effective)
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        let rows: Vec<(String, String)> = self.with(|conn| conn.query("SHOW VARIABLES"))?;
        let rows = rows
            .into_iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value));
        Ok(rows.filter(|(name, _)| !is_untold(name)).collect())
    }

    fn keeps_data(&self) -> bool {
        self.is_private
    }

    fn mark(&self) -> Result<(), Fault> {
        self.looks.clear();
        let status = self.with(age::status)?;
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = status;
        Ok(())
    }

    fn observed(&self) -> Result<Observed, Fault> {
        let share = self.looks.share();
        let after = self.with(age::status)?;
        let before = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = observe::between(&before, &after);
        values.extend(share.map(|share| (AT_LIMIT, share)));
        Ok(Observed {
            values,
            waits: None,
        })
    }

    fn flush(&self) -> Result<(), Fault> {
        /// No changed page may stay, and nothing holds back those who write.
        const TOLD: [(&str, &str); 4] = [
            ("innodb_io_capacity_max", "100000"),
            ("innodb_io_capacity", "100000"),
            ("innodb_max_dirty_pages_pct_lwm", "0"),
            ("innodb_max_dirty_pages_pct", "0"),
        ];
        if !self.is_private {
            // It would slow down whoever else works there, and few may do it.
            return Ok(());
        }
        let before = TOLD
            .iter()
            .map(|(name, _)| self.variable(name))
            .collect::<Result<Vec<_>, _>>()?;
        for (name, value) in TOLD {
            self.with(|conn| conn.query_drop(format!("SET GLOBAL {name} = {value}")))?;
        }
        let written = self.write_pages();
        for ((name, _), value) in TOLD.iter().zip(before).rev() {
            if let Some(value) = value {
                self.with(|conn| conn.query_drop(format!("SET GLOBAL {name} = {value}")))?;
            }
        }
        written
    }

    fn check_soundness(&self) -> Result<(), Fault> {
        let tables: Vec<String> = self.with(|conn| {
            conn.query(
                "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()",
            )
        })?;
        for table in tables {
            type Told = (String, String, String, String);
            let rows: Vec<Told> = self.with(|conn| conn.query(format!("CHECK TABLE {table}")))?;
            for (_, _, kind, text) in rows {
                let is_fine = kind == "note" || (kind == "status" && text == "OK");
                if !is_fine {
                    let message = format!("the database is damaged: {table}: {text}");
                    return Err(Fault::failed(message));
                }
            }
        }
        Ok(())
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        let conn = self.door.open().map_err(|error| self.told(&error))?;
        Ok(vec![Box::new(InnoDbWatch::new(conn, &self.looks)?)])
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
