//! Settings: asked for, read back, refused.

use super::super::super::Apply;
use super::*;

#[test]
fn every_kind_of_setting_is_read_back_as_asked() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let settings = [
        ("fillfactor", "70"),
        ("data_checksums", "true"),
        ("wal_segment_size", "4 MiB"),
        ("shared_buffers", "20 MiB"),
        ("max_wal_size", "96MB"),
        ("min_wal_size", "8"),
        ("checkpoint_timeout", "10min"),
        ("checkpoint_completion_target", "0.5"),
        ("Synchronous_Commit", "TRUE"),
        ("wal_compression", "on"),
        ("max_connections", "30"),
        ("work_mem", "8 MiB"),
        ("random_page_cost", "1.1"),
        ("full_page_writes", "0"),
        ("wal_level", "minimal"),
        ("max_wal_senders", "0"),
        ("autovacuum_naptime", "90"),
        ("log_line_prefix", "%m it's [%p] "),
    ];
    let home = Home::new();
    let instance = home.start(engine, &settings);
    assert_eq!(instance.effective("fillfactor"), Ok(None));
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let all = instance.all_settings().unwrap();
    for (name, requested) in settings {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(
            instance.is_same(name, requested, &effective),
            "{name}: {requested} {effective}"
        );
        assert_eq!(all[&name.to_ascii_lowercase()], effective);
    }
    for (name, requested) in [
        ("fillfactor", "71"),
        ("data_checksums", "off"),
        ("wal_segment_size", "8"),
        ("work_mem", "8"),
        ("synchronous_commit", "local"),
        ("wal_compression", "off"),
        ("log_line_prefix", "%m"),
    ] {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(!instance.is_same(name, requested, &effective), "{name}");
    }
    assert!(instance.is_same("wal_segment_size", "4", "4MB"));
    assert_eq!(instance.effective("no_such_setting"), Ok(None));
    assert!(!all.contains_key("data_directory"));
    drop(connection);
    instance.stop().unwrap();
}

#[test]
fn what_can_not_be_is_refused_with_its_name() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let first = Home::new();
    first.start(engine, &[]).stop().unwrap();
    for (name, value, words) in [
        ("no_such_setting", "1", "no_such_setting"),
        ("max_worker_processes", "-1", "max_worker_processes"),
        ("temp_file_limit", "8 pages", "temp_file_limit"),
        ("bytea_output", "sometimes", "bytea_output"),
        ("block_size", "4096", "block_size"),
    ] {
        let home = Home::new();
        let fault = home.try_start(
            engine,
            Some(&first.folder()),
            &[(name, value)],
            &limit(),
            None,
        );
        let fault = fault.err().unwrap();
        assert!(fault.message.contains("exit status 1"), "{fault}");
        assert!(fault.log.contains(words), "{name}: {}", fault.log);
    }
    let home = Home::new();
    let unread = home.try_start(
        engine,
        Some(&first.folder()),
        &[("autovacum.x", "1")],
        &limit(),
        None,
    );
    let unread = unread.err().unwrap().message;
    assert!(unread.contains("no setting `autovacum.x`"), "{unread}");
    let home = Home::new();
    let ours = home.try_start(engine, None, &[("port", "1")], &limit(), None);
    let ours = ours.err().unwrap().message;
    assert_eq!(engine.refuse(&requested("port", "1"), false), Some(ours));
}

#[test]
fn the_server_agrees_when_settings_take_effect_and_what_it_clamps_is_seen() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("wal_buffers", "8kB")]);
    let effective = instance.effective("wal_buffers").unwrap().unwrap();
    assert_eq!(effective, "32kB");
    assert!(!instance.is_same("wal_buffers", "8kB", &effective));
    let mut connection = instance.connect().unwrap();
    let sql =
        "SELECT name, context, current_setting(name) FROM pg_settings WHERE context <> 'internal'";
    let mut wrong = Vec::new();
    for row in connection.query(sql, &[]).unwrap() {
        let [Value::Text(name), Value::Text(context), Value::Text(value)] = &*row else {
            panic!("{row:?}");
        };
        // What the server has can be asked for.
        if let Some(why) = engine.refuse(&requested(name, value), false) {
            assert!(why.contains("benchbook's"), "{why}");
            continue;
        }
        let apply = engine.apply(name);
        // From version 18 on it needs none.
        let is_milder = name == "autovacuum_max_workers" && context == "sighup";
        if (apply == Apply::Restart) != (context == "postmaster") && !is_milder {
            wrong.push((name.clone(), context.clone(), apply));
        }
    }
    assert_eq!(wrong, []);
    drop(connection);
    instance.stop().unwrap();
}
