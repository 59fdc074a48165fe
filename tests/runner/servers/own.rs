//! Servers that belong to somebody: a test starts each with the programs of its engine, with a password, on a port of
//! the loopback interface.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::super::site::wait;

pub(super) const USER: &str = "payer";
pub(super) const PASSWORD: &str = "s3cret-Pass";
pub(super) const DATABASE: &str = "payroll";

/// A running server.
pub(super) struct Own {
    child: Child,
    folder: TempDir,
    port: u16,
    scheme: &'static str,
}

impl Own {
    pub(super) fn start(engine: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("own-server-")
            .tempdir_in("/tmp")
            .expect("a folder");
        open_to_all(folder.path());
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = bound.local_addr().expect("an address").port();
        drop(bound);
        let (child, scheme) = match engine {
            "postgres" => (postgres(folder.path(), port), "postgres"),
            "mariadb" => (mariadb(folder.path(), port), "mysql"),
            "firebird" => (firebird(folder.path(), port), "firebird"),
            other => panic!("no server for {other}"),
        };
        let own = Self {
            child,
            folder,
            port,
            scheme,
        };
        wait(|| own.databases());
        own
    }

    /// Its address, without the password.
    pub(super) fn address(&self) -> String {
        let database = match self.scheme {
            "firebird" => self.folder.path().join(DATABASE).display().to_string(),
            _ => DATABASE.to_owned(),
        };
        let Self { scheme, port, .. } = self;
        format!("{scheme}://{USER}@127.0.0.1:{port}/{database}")
    }

    /// Names of its databases, once it answers.
    pub(super) fn databases(&self) -> Option<String> {
        let port = self.port.to_string();
        match self.scheme {
            "postgres" => {
                let mut client = Command::new(newest_postgres().join("psql"));
                client.env("PGPASSWORD", PASSWORD);
                client.args(["-h", "127.0.0.1", "-U", USER, "-p", &port, "-d", DATABASE]);
                answer(client.args(["-Atc", "select datname from pg_database"]))
            }
            "mysql" => {
                let mut client = Command::new("mariadb");
                client.args(["--no-defaults", "-h", "127.0.0.1", "-u", USER, "-P", &port]);
                client.env("MYSQL_PWD", PASSWORD);
                answer(client.args(["-N", "-e", "show databases"]))
            }
            _ => {
                std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok()?;
                let files = fs::read_dir(self.folder.path().join(DATABASE)).ok()?;
                let names = files.flatten().map(|file| file.file_name());
                Some(
                    names
                        .map(|name| name.to_string_lossy().into_owned())
                        .collect(),
                )
            }
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // Some of them don't hear other signals, see there.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("opened");
}

fn answer(client: &mut Command) -> Option<String> {
    let output = client.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn done(program: &mut Command) {
    let output = program.stdin(Stdio::null()).output().expect("it starts");
    assert!(output.status.success(), "{program:?}: {output:?}");
}

fn started(program: &mut Command, folder: &Path) -> Child {
    let log = fs::File::create(folder.join("server.log")).expect("a log");
    let errors = log.try_clone().expect("a log");
    let program = program.stdin(Stdio::null()).stdout(log).stderr(errors);
    program.spawn().expect("the server starts")
}

/// The folder of PostgreSQL's programs.
pub(super) fn newest_postgres() -> PathBuf {
    let entries = fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL");
    let mut versions: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|it| Some((it.file_name().to_str()?.parse().ok()?, it.path())))
        .filter(|(_, path)| path.join("bin/postgres").exists())
        .collect();
    versions.sort();
    versions.pop().expect("a version").1.join("bin")
}

fn is_root() -> bool {
    let own = fs::metadata("/proc/self").expect("a process");
    std::os::unix::fs::MetadataExt::uid(&own) == 0
}

/// Whom PostgreSQL runs as, if not as the test.
fn account() -> Option<(u32, u32)> {
    if !is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("users");
    let line = users.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn postgres(folder: &Path, port: u16) -> Child {
    let programs = newest_postgres();
    let data = folder.join("data");
    fs::create_dir(&data).expect("made");
    let secret = folder.join("password");
    fs::write(&secret, PASSWORD).expect("written");
    let as_account = |program: &str| {
        let mut command = Command::new(programs.join(program));
        command.current_dir("/");
        if let Some((user, group)) = account() {
            command.uid(user).gid(group);
            chown(&data, Some(user), Some(group)).expect("given");
        }
        command
    };
    done(
        as_account("initdb")
            .args([
                "-N",
                "-U",
                USER,
                "-A",
                "scram-sha-256",
                "--no-locale",
                "-E",
                "UTF8",
            ])
            .arg(format!("--pwfile={}", secret.display()))
            .arg("-D")
            .arg(&data),
    );
    let mut server = as_account("postgres");
    server
        .arg("-D")
        .arg(&data)
        .args(["-k", "", "-c", "listen_addresses=127.0.0.1"]);
    let child = started(server.args(["-p", &port.to_string()]), folder);
    wait(|| {
        let mut client = Command::new(programs.join("createdb"));
        client.env("PGPASSWORD", PASSWORD);
        answer(client.args([
            "-h",
            "127.0.0.1",
            "-U",
            USER,
            "-p",
            &port.to_string(),
            DATABASE,
        ]))
    });
    child
}

fn mariadb(folder: &Path, port: u16) -> Child {
    let data = folder.join("data");
    let first = folder.join("first.sql");
    let text = format!(
        "CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\n\
         GRANT ALL ON *.* TO {USER}@'127.0.0.1';\nCREATE DATABASE {DATABASE};\n"
    );
    fs::write(&first, text).expect("written");
    // What begins removes old temporary tables, also those of others in /tmp.
    let mut install = Command::new("mariadb-install-db");
    install.env("TMPDIR", folder);
    install.args(["--no-defaults", "--skip-test-db", "--skip-log-bin"]);
    install.arg("--auth-root-authentication-method=normal");
    if is_root() {
        install.arg("--user=root");
    }
    done(install.arg(format!("--datadir={}", data.display())));
    let mut server = Command::new("/usr/sbin/mariadbd");
    server.env("TMPDIR", folder);
    server.args(["--no-defaults", "--skip-name-resolve", "--skip-log-bin"]);
    server.args(["--bind-address=127.0.0.1", "--innodb-buffer-pool-size=32M"]);
    for (flag, path) in [("datadir", &data), ("init-file", &first)] {
        server.arg(format!("--{flag}={}", path.display()));
    }
    server.arg(format!("--socket={}", folder.join("s").display()));
    if is_root() {
        server.arg("--user=root");
    }
    started(server.arg(format!("--port={port}")), folder)
}

fn firebird(folder: &Path, port: u16) -> Child {
    let path = |name: &str| folder.join(name).display().to_string();
    for name in ["root", "lock", "tmp", DATABASE] {
        fs::create_dir(folder.join(name)).expect("made");
    }
    fs::copy("/etc/firebird/3.0/plugins.conf", path("root/plugins.conf")).expect("copied");
    let libraries = fs::read_dir("/usr/lib").expect("libraries").flatten();
    let intl = libraries
        .map(|it| it.path().join("firebird/3.0/intl"))
        .find(|it| it.is_dir());
    symlink(intl.expect("Firebird"), path("root/intl")).expect("linked");
    let security = path("root/security3.fdb");
    let text = format!(
        "RemoteServicePort = {port}\nRemoteBindAddress = 127.0.0.1\nAuthServer = Srp256, Srp\n\
         AuthClient = Srp256, Srp\nUserManager = Srp\nWireCrypt = Enabled\nSecurityDatabase = {security}\n\
         TempDirectories = {}\nIpcName = OWN{port}\n",
        path("tmp")
    );
    fs::write(path("root/firebird.conf"), text).expect("written");
    let text = format!("security.db = {security}\n{{\n  RemoteAccess = false\n}}\n");
    fs::write(path("root/databases.conf"), text).expect("written");
    let text = format!(
        "create database '{security}' page_size 8192;\nin /usr/share/firebird/3.0/security.sql;\ncommit;\n\
         create user SYSDBA password '{PASSWORD}' using plugin Srp;\n\
         create user {USER} password '{PASSWORD}' using plugin Srp;\n\
         grant create database to user {USER};\ncommit;\n"
    );
    fs::write(path("first.sql"), text).expect("written");
    let within = |program: &str| {
        let mut command = Command::new(program);
        for (name, folder) in [("", "root"), ("_LOCK", "lock"), ("_TMP", "tmp")] {
            command.env(format!("FIREBIRD{name}"), path(folder));
        }
        command
    };
    done(within("isql-fb").args(["-q", "-user", "SYSDBA", "-i", &path("first.sql")]));
    started(&mut within("/usr/sbin/firebird"), folder)
}
