//! Settings, as they are asked for and as they are.

use super::*;

/// The setting as it is, and whether it is as asked for.
fn is_as_asked(instance: &dyn Instance, name: &str, asked: &str) -> (String, bool) {
    let effective = instance.effective(name).unwrap().unwrap();
    let same = instance.is_same(name, asked, &effective);
    (effective, same)
}

#[test]
fn settings_are_read_back_as_asked() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for (mode, hash, memory) in [
        ("Super", "8191", "7M"),
        ("superclassic", "30011", "2 MiB"),
        ("MultiProcess", "101", "3145728"),
    ] {
        let home = Home::new();
        let settings = [
            ("ServerMode", mode),
            ("defaultdbcachepages", "333"),
            ("LockHashSlots", hash),
            ("LockMemSize", memory),
            ("page_size", "16 KiB"),
            ("forced_writes", "off"),
        ];
        let instance = home.start(engine, &settings);
        for (name, asked) in settings {
            let (effective, same) = is_as_asked(&*instance, name, asked);
            assert!(same, "{name}: {asked} {effective}");
        }
        for name in ["TempCacheLimit", "GCPolicy", "NoSuchThing"] {
            assert_eq!(instance.effective(name), Ok(None), "{name}");
        }
        instance.stop().unwrap();
    }
}

#[test]
fn what_is_not_as_asked_is_seen() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let settings = [
        ("LockHashSlots", "99999"),
        ("DefaultDbCachePages", "400"),
        ("page_buffers", "555"),
        ("TempCacheLimit", "32 MiB"),
        ("GCPolicy", "combined"),
        ("FileSystemCacheThreshold", "1000"),
        ("DeadlockTimeout", "3"),
    ];
    let instance = home.start(engine, &settings);
    assert_eq!(
        is_as_asked(&*instance, "LockHashSlots", "99999"),
        ("65521".into(), false)
    );
    // The head of the database goes before the configuration.
    assert_eq!(
        is_as_asked(&*instance, "DefaultDbCachePages", "400"),
        ("555".into(), false)
    );
    assert_eq!(
        is_as_asked(&*instance, "page_buffers", "555"),
        ("555".into(), true)
    );
    let all = instance.all_settings().unwrap();
    for (name, value) in [
        ("TempCacheLimit", "33554432"),
        ("GCPolicy", "combined"),
        ("FileSystemCacheThreshold", "1000"),
        ("DeadlockTimeout", "3"),
        ("WireCrypt", "Disabled"),
        ("LockHashSlots", "65521"),
        ("page_buffers", "555"),
        ("page_size", "8192"),
        ("forced_writes", "1"),
        ("ServerMode", "Super"),
    ] {
        assert_eq!(
            all.get(name).map(|it| &**it),
            Some(value),
            "{name}: {all:?}"
        );
    }
    let secret = fs::read_to_string(home.folder().join("secret")).unwrap();
    for (name, value) in &all {
        assert!(!value.contains('/') && !value.contains(&secret), "{name}");
    }
    let gone = ["remoteserviceport", "ipcname", "securitydatabase"];
    let told = all
        .keys()
        .find(|name| gone.contains(&&*name.to_ascii_lowercase()));
    assert_eq!(told, None);
    instance.stop().unwrap();
    // A copy has its own settings, not those of where it comes from.
    let copy = Home::new();
    let settings = [
        ("ServerMode", "Classic"),
        ("DefaultDbCachePages", "100"),
        ("page_size", "16384"),
    ];
    let from = home.folder();
    let instance = copy
        .try_start(engine, Some(&from), &settings, &limit(), None)
        .unwrap();
    assert_eq!(
        is_as_asked(&*instance, "ServerMode", "Classic"),
        ("Classic".into(), true)
    );
    assert_eq!(
        is_as_asked(&*instance, "DefaultDbCachePages", "100"),
        ("100".into(), true)
    );
    // Data that are there keep their pages.
    assert_eq!(
        is_as_asked(&*instance, "page_size", "16384"),
        ("8192".into(), false)
    );
    instance.stop().unwrap();
}

#[test]
fn settings_that_can_not_be_are_refused() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let refused = |name: &str, value: &str| {
        let home = Home::new();
        let started = home.try_start(engine, None, &[(name, value)], &limit(), None);
        let message = started.err().unwrap().message;
        let asked = Requested {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(engine.refuse(&asked, false), Some(message.clone()));
        message
    };
    let told = refused("DefaultDbCashPages", "100");
    assert!(
        told.contains("did you mean `DefaultDbCachePages`?"),
        "{told}"
    );
    assert!(refused("SecurityDatabase", "/etc/passwd").contains("benchbook's"));
    assert!(refused("ServerMode", "Fast").contains("one of `Super`"));
    // Firebird takes what it can't read for nothing, or for its own value.
    for (name, value) in [
        ("LockHashSlots", "many"),
        ("DefaultDbCachePages", "-1"),
        ("GCPolicy", "never"),
        ("page_buffers", "x"),
        ("TempCacheLimit", "1 bushel"),
    ] {
        assert!(refused(name, value).contains(name), "{name}");
    }
}

/// Passwords stand in files that nobody else may read, and in environments, which nobody else may read either.
#[cfg(unix)]
#[test]
fn nobody_else_sees_a_password() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut lines = std::collections::BTreeSet::new();
            let mut open = std::collections::BTreeSet::new();
            while !is_over.load(Ordering::Relaxed) {
                lines.extend(home.processes().into_iter().map(|(_, line)| line));
                let mut folders = vec![home.folder()];
                while let Some(folder) = folders.pop() {
                    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                        let Ok(kind) = entry.file_type() else {
                            continue;
                        };
                        let mode = entry.metadata().map_or(0, |it| it.permissions().mode());
                        if kind.is_dir() {
                            folders.push(entry.path());
                        } else if kind.is_file() && mode & 0o077 != 0 {
                            let text = fs::read(entry.path()).unwrap_or_default();
                            open.insert((entry.path(), text));
                        }
                    }
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            (lines, open)
        });
        let instance = home.start(engine, &[("forced_writes", "off")]);
        let backup = instance.backup().unwrap();
        create(&mut *instance.connect().unwrap(), &*instance);
        let files = home.temp.path().join("files");
        fs::create_dir(&files).unwrap();
        backup.back_up(&files, &limit()).unwrap();
        backup.restore(&files, &limit()).unwrap();
        instance.check_soundness().unwrap();
        let secret = fs::read_to_string(home.folder().join("secret")).unwrap();
        assert!(secret.len() >= 20);
        instance.stop().unwrap();
        is_over.store(true, Ordering::Relaxed);
        let (lines, open) = looking.join().unwrap();
        assert!(lines.iter().any(|line| line.contains("isql")), "{lines:?}");
        assert!(
            !lines.iter().any(|line| line.contains(&secret)),
            "{lines:?}"
        );
        for (path, text) in open {
            let found = text
                .windows(secret.len())
                .any(|bytes| bytes == secret.as_bytes());
            assert!(!found, "{}", path.display());
        }
    });
}
