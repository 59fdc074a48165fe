//! What is watched, and what is counted.

use std::collections::BTreeMap;

use super::*;
use crate::runner::watch::Watch;

fn readings(watches: &mut [Box<dyn Watch>]) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    for watch in watches {
        let mut told = Vec::new();
        watch
            .read(&mut |series, value| told.push((series, value)))
            .unwrap();
        for (series, value) in told {
            assert!(watch.tells(series), "{series}");
            assert!(all.insert(series, value).is_none(), "{series}");
        }
    }
    all
}

#[test]
fn pages_and_locks_are_counted_in_each_mode() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in ["Super", "SuperClassic", "Classic"] {
        let home = Home::new();
        let settings = [
            ("ServerMode", mode),
            ("DefaultDbCachePages", "100"),
            ("forced_writes", "off"),
        ];
        let instance = home.start(engine, &settings);
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        let rows: String = (1..=20_000).map(|id| format!("{id},,1,n{id}\n")).collect();
        let file = home.file(&rows);
        assert_eq!(connection.load(&TABLE, &file), Ok(20_000));
        let mut watches = instance.watches().unwrap();
        for series in crate::model::SERIES.iter().map(|it| it.0) {
            let tellers = watches.iter().filter(|watch| watch.tells(series)).count();
            assert!(tellers <= 1, "{series}");
        }
        readings(&mut watches);
        instance.mark().unwrap();
        // More pages than the cache holds are read, and some are changed.
        for _ in 0..3 {
            let sum = answer(&mut *connection, "SELECT SUM(price) FROM things");
            assert_eq!(sum, 20_000.0.into());
        }
        connection
            .execute("UPDATE things SET price = 2 WHERE id < 2000", &[])
            .unwrap();
        // Locks are looked at once a second.
        std::thread::sleep(Duration::from_millis(1100));
        let told = readings(&mut watches);
        for series in ["page_reads", "page_fetches", "page_marks"] {
            assert!(told[series] > 0.0, "{mode} {series}: {told:?}");
        }
        assert!(told["page_writes"] >= 0.0, "{mode}: {told:?}");
        assert!(told["page_fetches"] > told["page_reads"], "{told:?}");
        assert!(told["lock_requests"] >= 0.0, "{told:?}");
        let observed = instance.observed().unwrap();
        let value = |name: &str| {
            let mut values = observed.values.iter();
            values.find(|(it, _)| *it == name).map(|it| it.1)
        };
        let fetches = value("page_fetches").unwrap();
        assert!(fetches > 60_000.0 && fetches < 1e7, "{mode} {fetches}");
        let reads = value("page_reads").unwrap();
        assert!(reads > 50.0 && reads < fetches, "{mode} {reads}");
        assert!(value("page_marks").unwrap() > 1999.0);
        assert!(value("lock_acquires").unwrap() > 0.0);
        assert!((0.0..=1.0).contains(&value("lock_mutex_wait").unwrap()));
        assert_eq!(value("lock_hash_slots"), Some(8191.0));
        assert!(value("lock_hash_longest").unwrap() >= 1.0);
        assert!(value("lock_table_size").unwrap() >= 1_048_576.0);
        let known = engine.results();
        for (name, _) in &observed.values {
            assert!(known.iter().any(|it| it.name == *name), "{name}");
        }
        // From a new mark everything is counted anew.
        instance.mark().unwrap();
        readings(&mut watches);
        let observed = instance.observed().unwrap();
        let fetches = observed.values.iter().find(|it| it.0 == "page_fetches");
        assert!(fetches.unwrap().1 < 10_000.0, "{mode}: {observed:?}");
        drop((watches, connection));
        instance.stop().unwrap();
    }
}

#[test]
fn connections_that_have_ended_stay_counted() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("ServerMode", "SuperClassic")]);
    let mut watches = instance.watches().unwrap();
    create(&mut *instance.connect().unwrap(), &*instance);
    readings(&mut watches);
    instance.mark().unwrap();
    let mut connection = instance.connect().unwrap();
    for id in 1..=50 {
        insert(&mut *connection, id);
    }
    readings(&mut watches);
    drop(connection);
    readings(&mut watches);
    let observed = instance.observed().unwrap();
    let marks = observed.values.iter().find(|it| it.0 == "page_marks");
    assert!(marks.unwrap().1 >= 50.0, "{observed:?}");
    drop(watches);
    instance.stop().unwrap();
}
