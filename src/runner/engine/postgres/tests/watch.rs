//! What is watched and counted.

use std::collections::BTreeMap;

use super::*;
use crate::runner::watch::Watch;

type Watches = Vec<Box<dyn Watch>>;

fn readings(watches: &mut Watches) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    for watch in watches {
        let mut own = Vec::new();
        let read = watch.read(&mut |series, value| own.push((series, value)));
        read.unwrap();
        for (series, value) in own {
            assert!(watch.tells(series), "{series}");
            assert!(all.insert(series, value).is_none(), "{series}");
        }
    }
    all
}

fn observed(instance: &dyn Instance, engine: &dyn Engine) -> BTreeMap<&'static str, f64> {
    let values = instance.observed().unwrap().values;
    let listed = |name: &str| engine.results().iter().any(|it| it.name == name);
    assert!(values.iter().all(|(name, _)| listed(name)), "{values:?}");
    values.into_iter().collect()
}

#[test]
fn waits_and_the_age_of_the_log_are_seen() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let settings = [
        ("max_wal_size", "75MB"),
        ("checkpoint_completion_target", "0.5"),
    ];
    let instance = home.start(engine, &settings);
    assert_eq!(instance.observed().unwrap().waits, None);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    create(&mut *first, &*instance);
    insert(&mut *first, 1);
    let mut watches = instance.watches().unwrap();
    let calm = readings(&mut watches);
    for series in ["active", "waits_lock", "waits_cpu", "waits_io"] {
        assert_eq!(calm[series], 0.0, "{series}");
    }
    assert_eq!(calm["waits_client"], 2.0);
    first.begin().unwrap();
    first.execute("DELETE FROM things", &[]).unwrap();
    instance.mark().unwrap();
    let mut looks = 0;
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| second.execute("DELETE FROM things", &[]));
        let mut seen = BTreeMap::new();
        while seen.get("waits_lock") != Some(&1.0) {
            seen = readings(&mut watches);
            looks += 1;
        }
        assert_eq!(seen["active"], 1.0);
        assert_eq!(seen["waits_client"], 1.0);
        first.commit().unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(0));
    });
    drop((first, second));
    let waits = instance.observed().unwrap().waits.unwrap();
    assert_eq!(waits.looks, looks);
    let (kind, event) = ("Lock".to_owned(), "transactionid".to_owned());
    assert!(waits.events.contains(&(kind, event, 1)), "{waits:?}");
    // The age of the log.
    instance.flush().unwrap();
    let before = readings(&mut watches);
    assert_eq!(before["checkpoint_limit"], 50.0 * 1_048_576.0);
    assert!(before["log_size"] >= 16.0 * 1_048_576.0);
    let mut connection = instance.connect().unwrap();
    let fill = "INSERT INTO things SELECT n, -n, n, 'a' FROM generate_series(1, 20000) AS n";
    connection.execute(fill, &[]).unwrap();
    let after = readings(&mut watches);
    let growth = after["checkpoint_age"] - before["checkpoint_age"];
    assert!(growth > 1_000_000.0, "{before:?} {after:?}");
    instance.flush().unwrap();
    let rest = readings(&mut watches)["checkpoint_age"];
    assert!(rest < 10_000.0, "{rest}");
    // A watch ends with its server.
    drop(connection);
    instance.stop().unwrap();
    for watch in &mut watches {
        assert!(watch.read(&mut |_, _| ()).is_err());
    }
}

/// Updates every row twice, and tells what was counted.
fn updated(engine: &dyn Engine, instance: Box<dyn Instance>) -> BTreeMap<&'static str, f64> {
    let mut connection = instance.connect().unwrap();
    let drop_it = "DROP TABLE IF EXISTS things";
    connection.execute(drop_it, &[]).unwrap();
    create(&mut *connection, &*instance);
    let fill = "INSERT INTO things SELECT n, -n, 1, 'a' FROM generate_series(1, 5000) AS n";
    connection.execute(fill, &[]).unwrap();
    drop(connection);
    instance.flush().unwrap();
    let mut watches = instance.watches().unwrap();
    let mut connection = instance.connect().unwrap();
    instance.mark().unwrap();
    for _ in 0..100 {
        readings(&mut watches);
    }
    // The room of a half-full page is enough for half of its rows, and for what marks the others' way.
    for round in 0..4_i64 {
        let raise = "UPDATE things SET price = price + 1 WHERE id % 2 = ?";
        let half = (round % 2).into();
        assert_eq!(connection.execute(raise, &[half]), Ok(2500));
    }
    drop(connection);
    let values = observed(&*instance, engine);
    drop(watches);
    instance.stop().unwrap();
    values
}

#[test]
fn room_on_pages_makes_updates_heap_only() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let (home, copy) = (Home::new(), Home::new());
    let half = updated(engine, home.start(engine, &[("fillfactor", "50")]));
    let full = updated(
        engine,
        copy.start_copy(engine, &home, &[("fillfactor", "100")]),
    );
    assert_eq!(half["hot_share"], 1.0, "{half:?}");
    assert!(full["hot_share"] < 0.8, "{full:?}");
    assert_eq!(half["table_growth"], 0.0);
    assert!(full["table_growth"] > 0.0);
    for values in [&half, &full] {
        assert!(values["table_size"] > 5000.0 * 40.0, "{values:?}");
        // Four commits, and none of the many looks is among them.
        let commits = values["wal_bytes"] / values["wal_per_commit"];
        assert!((4.0..20.0).contains(&commits), "{values:?}");
        assert_eq!(values["checkpoints"], 0.0, "{values:?}");
    }
}
