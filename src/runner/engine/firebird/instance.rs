//! An instance of Firebird.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rsfbclient::{FbError, SqlType};

use super::super::guard::{Guard, Ticket};
use super::super::{Backup, Connection, Dialect, Instance, Observed, Start, Value};
use super::connection::{FirebirdClient, FirebirdConnection, fault, rows};
use super::dialect::FirebirdDialect;
use super::locks::Locks;
use super::observe;
use super::place::{Place, Private, put_out};
use super::setting::{
    self, CACHE_PAGES, FORCED_WRITES, HASH_SLOTS, LOCK_MEMORY, PAGE_BUFFERS, PAGE_SIZE,
    SERVER_MODE, is,
};
use super::watch::{LockWatch, PageWatch, Seen};
use super::{backup, configuration, programs};
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;
use crate::runner::watch::Watch;

/// A server, or a database on one.
pub(super) struct FirebirdInstance {
    // Closed before the server ends.
    control: Mutex<Option<FirebirdClient>>,
    guard: Guard,
    place: Place,
    /// What its configuration says, if the server is a private one.
    told: Vec<(String, String)>,
    /// The database that connections go to: after a restore, the restored one.
    database: Mutex<String>,
    deadline: Deadline,
    version: String,
    seen: Seen,
    first: Mutex<Option<Locks>>,
    has_left: bool,
}

pub(super) fn start(start: &Start<'_>) -> Result<FirebirdInstance, Fault> {
    let own = start.server.is_none();
    let major = programs::Programs::find()
        .ok()
        .map(programs::Programs::major);
    for asked in start.settings {
        if let Some(why) = setting::refuse(asked, major.filter(|_| own)) {
            return Err(Fault::failed(why));
        }
    }
    let (place, mut control) = Place::find(start)?;
    let version = text(
        &mut control,
        "SELECT RDB$GET_CONTEXT('SYSTEM', 'ENGINE_VERSION') FROM RDB$DATABASE",
    );
    let version = version.map_err(|error| Fault::from(fault(&error, start.deadline)))?;
    let version = version.unwrap_or_default();
    let database = Mutex::new(place.database.clone());
    if programs::major(&version) < 3 {
        drop(control);
        let _ = place.leave();
        let message = format!("Firebird {version} is too old; benchbook knows 3 and later");
        return Err(Fault::unsupported(message));
    }
    let instance = FirebirdInstance {
        control: Mutex::new(Some(control)),
        guard: Guard::new(start.deadline),
        told: configuration::told(start.settings),
        place,
        database,
        deadline: start.deadline.clone(),
        version,
        seen: Seen::default(),
        first: Mutex::default(),
        has_left: false,
    };
    instance.has_all(start)?;
    Ok(instance)
}

/// The first value of a query's answer, as text.
fn text(client: &mut FirebirdClient, sql: &str) -> Result<Option<String>, FbError> {
    let rows = rows(client, sql, Vec::new())?;
    Ok(rows
        .into_iter()
        .flatten()
        .next()
        .and_then(|value| match value {
            Value::Null => None,
            Value::Whole(number) => Some(number.to_string()),
            Value::Number(number) => Some(number.to_string()),
            Value::Text(text) => Some(text.trim_end().to_owned()),
        }))
}

impl FirebirdInstance {
    /// Whether the server knows every setting, so that none is passed over without a word.
    fn has_all(&self, start: &Start<'_>) -> Result<(), Fault> {
        let major = programs::major(&self.version);
        for asked in start.settings {
            if self.place.private.is_none()
                && let Some(why) = setting::refuse(asked, Some(major))
                    .or_else(|| setting::refuse_untold(asked, Some(major)))
            {
                return Err(Fault::unsupported(why));
            }
            let is_key = major >= 4 && !setting::is_of_database(&asked.name);
            if is_key && self.configured(&asked.name)?.is_none() {
                let name = asked.name.trim();
                return Err(Fault::failed(format!(
                    "Firebird {major} has no setting `{name}`"
                )));
            }
        }
        Ok(())
    }

    fn database(&self) -> String {
        self.database
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn control(&self) -> MutexGuard<'_, Option<FirebirdClient>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self, error: &FbError) -> Fault {
        fault(error, &self.deadline).into()
    }

    fn client(&self) -> Result<FirebirdClient, Fault> {
        let opened = self.place.door.open(&self.database());
        opened.map_err(|error| self.told(&error))
    }

    fn with<T>(
        &self,
        act: impl FnOnce(&mut FirebirdClient) -> Result<T, FbError>,
    ) -> Result<T, Fault> {
        let _ticket = self.ticket();
        let mut control = self.control();
        let client = match &mut *control {
            Some(client) => client,
            None => control.insert(self.client()?),
        };
        act(client).map_err(|error| self.told(&error))
    }

    /// The protocol has no way to end a statement that the client could use, so at the limit the private server
    /// ends, which nobody needs any more then. Somebody else's server can put a single connection out.
    fn ticket(&self) -> Option<Ticket> {
        let private = self.place.private.clone()?;
        Some(self.guard.guard(move || private.kill()))
    }

    fn ticket_of(&self, client: &mut FirebirdClient) -> Result<Ticket, Fault> {
        let own = text(client, "SELECT CURRENT_CONNECTION FROM RDB$DATABASE");
        let own = own.map_err(|error| self.told(&error))?;
        let number = own.and_then(|own| own.parse::<i64>().ok()).unwrap_or(-1);
        let (door, database) = (self.place.door.clone(), self.database());
        let is_out = AtomicBool::new(false);
        Ok(self.guard.guard(move || {
            if !is_out.load(Ordering::Relaxed) {
                let done = put_out(&door, &database, number);
                is_out.store(done.is_ok(), Ordering::Relaxed);
            }
        }))
    }

    fn private(&self) -> Option<&Private> {
        self.place.private.as_deref()
    }

    fn locks(&self) -> Option<Locks> {
        self.private()?.locks(&self.database())
    }

    /// How the server shares its work, by what it does: Classic has a process for each connection, and only a
    /// server with one cache for all has somebody of its own who writes that.
    fn mode(&self) -> Result<Option<String>, Fault> {
        let own = "SELECT MON$SERVER_PID FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID = CURRENT_CONNECTION";
        let writer = "SELECT COUNT(*) FROM MON$ATTACHMENTS \
                      WHERE MON$SYSTEM_FLAG = 1 AND MON$USER = 'Cache Writer'";
        let first = self.with(|client| text(client, own))?;
        let mut other = self.client()?;
        let second = text(&mut other, own).map_err(|error| self.told(&error))?;
        let writers = text(&mut other, writer).map_err(|error| self.told(&error))?;
        let word = match (first == second, writers.as_deref()) {
            (false, _) => "Classic",
            (true, Some("0") | None) => "SuperClassic",
            (true, Some(_)) => "Super",
        };
        Ok(Some(word.to_owned()))
    }

    /// What a database of version 4 or later tells of its configuration.
    fn configured(&self, name: &str) -> Result<Option<String>, Fault> {
        if programs::major(&self.version) < 4 {
            return Ok(None);
        }
        let sql = "SELECT RDB$CONFIG_VALUE FROM RDB$CONFIG WHERE UPPER(RDB$CONFIG_NAME) = ?";
        let name = SqlType::Text(name.trim().to_ascii_uppercase());
        let rows = self.with(|client| rows(client, sql, vec![name]))?;
        Ok(match rows.into_iter().flatten().next() {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        })
    }

    fn of_database(&self, column: &str) -> Result<Option<String>, Fault> {
        self.with(|client| text(client, &format!("SELECT {column} FROM MON$DATABASE")))
    }
}

impl Instance for FirebirdInstance {
    fn version(&self) -> String {
        format!("Firebird {}", self.version)
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&FirebirdDialect)
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        let ticket = self.ticket();
        let mut client = self.client()?;
        let ticket = match ticket {
            None => self.ticket_of(&mut client)?,
            Some(ticket) => ticket,
        };
        Ok(Box::new(FirebirdConnection::new(
            client,
            &self.deadline,
            Some(ticket),
        )))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        let number = |number: Option<f64>| Ok(number.map(|number| number.to_string()));
        if is(setting, PAGE_SIZE) {
            self.of_database("MON$PAGE_SIZE")
        } else if is(setting, CACHE_PAGES) || is(setting, PAGE_BUFFERS) {
            // The head of the database goes before the configuration, and this is what came of it.
            self.of_database("MON$PAGE_BUFFERS")
        } else if is(setting, FORCED_WRITES) {
            self.of_database("MON$FORCED_WRITES")
        } else if is(setting, SERVER_MODE) {
            self.mode()
        } else if is(setting, HASH_SLOTS) {
            number(self.locks().map(|locks| locks.slots))
        } else if is(setting, LOCK_MEMORY) {
            number(self.locks().map(|locks| locks.length))
        } else {
            self.configured(setting)
        }
    }

    fn is_same(&self, setting: &str, requested: &str, effective: &str) -> bool {
        setting::is_same(setting, requested, effective)
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        const OF_DATABASE: [(&str, &str); 5] = [
            (PAGE_SIZE, "MON$PAGE_SIZE"),
            (PAGE_BUFFERS, "MON$PAGE_BUFFERS"),
            (FORCED_WRITES, "MON$FORCED_WRITES"),
            ("sweep_interval", "MON$SWEEP_INTERVAL"),
            ("sql_dialect", "MON$SQL_DIALECT"),
        ];
        let mut all = BTreeMap::new();
        for (name, column) in OF_DATABASE {
            if let Some(value) = self.of_database(column)? {
                all.insert(name.to_owned(), value);
            }
        }
        for name in [SERVER_MODE, HASH_SLOTS, LOCK_MEMORY] {
            if let Some(value) = self.effective(name)? {
                all.insert(name.to_owned(), value);
            }
        }
        if programs::major(&self.version) >= 4 {
            let sql = "SELECT RDB$CONFIG_NAME, RDB$CONFIG_VALUE FROM RDB$CONFIG";
            for row in self.with(|client| rows(client, sql, Vec::new()))? {
                if let [Value::Text(name), Value::Text(value)] = &row[..]
                    && !value.contains('/')
                {
                    all.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        } else if self.place.private.is_some() {
            // This version doesn't tell; these are what its file says, but for those that were read above.
            for (name, value) in &self.told {
                let is_known = all.keys().any(|known| is(known, name)) || is(name, CACHE_PAGES);
                if !is_known && !value.contains('/') {
                    all.insert(name.clone(), value.clone());
                }
            }
        }
        Ok(all)
    }

    fn keeps_data(&self) -> bool {
        self.place.private.is_some()
    }

    fn mark(&self) -> Result<(), Fault> {
        self.seen.clear();
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = self.locks();
        Ok(())
    }

    fn observed(&self) -> Result<Observed, Fault> {
        let before = *self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let (pages, longest) = (self.seen.pages(), self.seen.longest());
        Ok(Observed {
            values: observe::between(pages, (before, self.locks()), longest),
            waits: None,
        })
    }

    fn backup(&self) -> Option<&dyn Backup> {
        self.place.private.is_some().then_some(self as &dyn Backup)
    }

    fn flush(&self) -> Result<(), Fault> {
        // What is committed has left the cache; without forced writes the system may hold it back.
        if self.place.private.is_none() {
            return Ok(());
        }
        let synced = File::open(self.database()).and_then(|file| file.sync_all());
        synced.map_err(|error| {
            Fault::failed(format!("the database can't be brought to disk: {error}"))
        })
    }

    fn check_soundness(&self) -> Result<(), Fault> {
        let Some(private) = self.private() else {
            return Ok(());
        };
        // It wants the database for itself.
        drop(self.control().take());
        let target = format!(
            "{}/{}:{}",
            self.place.door.host,
            self.place.door.port,
            self.database()
        );
        let words = [
            private.programs().gfix.clone().into(),
            "-v".into(),
            "-full".into(),
            "-no_update".into(),
            target.into(),
        ];
        let printed = private.run(&words, private.log(), &self.deadline)?;
        let errors: Vec<&str> = printed
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        if errors.is_empty() {
            return Ok(());
        }
        Err(Fault::failed(format!(
            "the database is damaged: {}",
            errors.join("; ")
        )))
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        let mut watches: Vec<Box<dyn Watch>> =
            vec![Box::new(PageWatch::new(self.client()?, &self.seen))];
        if let Some(private) = &self.place.private {
            let watch = LockWatch::new(private, &self.database(), &self.seen);
            watches.push(Box::new(watch));
        }
        Ok(watches)
    }

    fn stop(mut self: Box<Self>) -> Result<(), Fault> {
        drop(self.control().take());
        self.has_left = true;
        self.place.leave()
    }

    fn log_tail(&self) -> String {
        self.place.log_tail()
    }

    fn gone(&self) -> Option<String> {
        self.place.gone()
    }
}

impl Drop for FirebirdInstance {
    fn drop(&mut self) {
        drop(self.control().take());
        if !self.has_left {
            let _ = self.place.leave();
        }
    }
}

impl Backup for FirebirdInstance {
    fn back_up(&self, folder: &Path, deadline: &Deadline) -> Result<(), Fault> {
        let private = self
            .private()
            .ok_or_else(|| Fault::unsupported("gbak needs a private server"))?;
        backup::back_up(private, &self.place, &self.database(), folder, deadline)
    }

    fn restore(&self, folder: &Path, deadline: &Deadline) -> Result<Vec<(String, f64)>, Fault> {
        let private = self
            .private()
            .ok_or_else(|| Fault::unsupported("gbak needs a private server"))?;
        let before = self.database();
        let base = self.place.database.trim_end_matches(".fdb");
        let names = ["restored", "restored-again"].map(|name| format!("{base}-{name}.fdb"));
        let restored = names.into_iter().find(|name| *name != before);
        let restored = restored.unwrap_or_default();
        // Firebird goes on after an index that it couldn't build, and keeps it as one that isn't used.
        let idle =
            "SELECT LIST(TRIM(RDB$INDEX_NAME), ', ') FROM RDB$INDICES WHERE RDB$INDEX_INACTIVE = 1";
        let done =
            backup::restore(private, &self.place, &restored, folder, deadline).and_then(|steps| {
                let opened = self.place.door.open(&restored);
                let told = opened.and_then(|mut client| text(&mut client, idle));
                match told.map_err(|error| self.told(&error))? {
                    None => Ok(steps),
                    Some(names) => Err(Fault::failed(format!(
                        "gbak left an index that isn't used: {names}"
                    ))),
                }
            });
        if done.is_err() {
            let _ = fs::remove_file(&restored);
            return done;
        }
        drop(self.control().take());
        if before != self.place.database {
            let _ = fs::remove_file(before);
        }
        *self.database.lock().unwrap_or_else(PoisonError::into_inner) = restored;
        done
    }
}
