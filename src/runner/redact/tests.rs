//! Tests that secrets don't survive and that ordinary texts do.

use proptest::prelude::*;

use super::*;

#[test]
fn secrets_are_hidden() {
    for (written, stored) in [
        (
            "postgres://bench:geheim@db:5432/x",
            "postgres://bench:***@db:5432/x",
        ),
        (
            "mysql://root:p%40ss/w@rd@h and http://h:80/a@b",
            "mysql://root:***@h and http://h:80/a@b",
        ),
        (
            "http://h:80/?to=postgres://u:geheim@db/x",
            "http://h:80/?to=postgres://u:***@db/x",
        ),
        ("redis://:geheim@localhost", "redis://:***@localhost"),
        (
            "PGPASSWORD=geheim psql -p 5432",
            "PGPASSWORD=*** psql -p 5432",
        ),
        (
            "export ISC_PASSWORD='ge heim'; isql",
            "export ISC_PASSWORD='***'; isql",
        ),
        ("MYSQL_PWD=geheim mysqld", "MYSQL_PWD=*** mysqld"),
        (
            "password = \"ge \\\"heim\" # mine",
            "password = \"***\" # mine",
        ),
        (
            "{\"user\":\"u\",\"password\":\"geheim\",\"port\":1}",
            "{\"user\":\"u\",\"password\":\"***\",\"port\":1}",
        ),
        (
            "{\\\"token\\\":\\\"geheim\\\"}",
            "{\\\"token\\\":\\\"***\\\"}",
        ),
        ("Passwd: geheim", "Passwd: ***"),
        (
            "api_key=geheim api-key: geheim apikey:geheim",
            "api_key=*** api-key: *** apikey:***",
        ),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = ***",
        ),
        ("key AKIAIOSFODNN7EXAMPLE used", "key *** used"),
        ("--password=geheim --port=1", "--password=*** --port=1"),
        ("--password geheim --port 1", "--password *** --port 1"),
        (
            "sysbench --mysql-password=geheim run",
            "sysbench --mysql-password=*** run",
        ),
        (
            "tool --db-password 'ge heim' --token geheim",
            "tool --db-password '***' --token ***",
        ),
        (
            "gbak -user SYSDBA -pas geheim -b a b",
            "gbak -user SYSDBA -pas *** -b a b",
        ),
        (
            "isql-fb -q -user SYSDBA -p geheim h:bench",
            "isql-fb -q -user SYSDBA -p *** h:bench",
        ),
        (
            "fbsvcmgr service_mgr user SYSDBA password geheim action_x",
            "fbsvcmgr service_mgr user SYSDBA password *** action_x",
        ),
        ("mysql -u root -pgeheim bench", "mysql -u root -p*** bench"),
        (
            "/usr/bin/mariadb-dump -P3306 -p'ge heim' bench",
            "/usr/bin/mariadb-dump -P3306 -p'***' bench",
        ),
        ("mysql -p'ge'heim -u x", "mysql -p*** -u x"),
        ("run -pGe4heim!", "run -p***"),
        (
            "CREATE USER a PASSWORD 'ge''heim';",
            "CREATE USER a PASSWORD '***';",
        ),
        (
            "create user b identified by 'geheim'",
            "create user b identified by '***'",
        ),
        ("Authorization: Bearer geheim", "Authorization: Bearer ***"),
        (
            "curl -H 'Authorization: Basic Z2VoZWlt'",
            "curl -H 'Authorization: Basic ***'",
        ),
        (
            "host=h user=u password=geheim dbname=d",
            "host=h user=u password=*** dbname=d",
        ),
        (
            "password=\"not closed\nnext line",
            "password=***\nnext line",
        ),
        ("Server=h;Uid=sa;Pwd=geheim", "Server=h;Uid=sa;Pwd=***"),
        ("token ghp_0123456789abcdefghij0123456789abcd", "token ***"),
    ] {
        assert_eq!(text(written), stored, "{written}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for ordinary in [
        "psql -p 5432 -U bench",
        "psql -p5432",
        "-passive",
        "Access denied for user (using password: YES)",
        "password changed",
        "the password was changed",
        "gcc -pipe -pthread -pedantic-errors",
        "ffmpeg -pix_fmt yuv",
        "configure -prefix=/usr",
        "mkdir -p/tmp/x",
        "mysql -u root -p",
        "http://example.org:8080/a?b=c@d",
        "https://example.org/@someone",
        "mail ann@example.org",
        "password_encryption: scram",
        "max_tokens = 100",
        "tokens: 512",
        "cat: /etc/passwd: Permission denied",
        "psql --no-password -c x",
        "psql --password --host h",
        "ratio 1:2@3",
        "tps = 1234.5 (including connections)",
        "Innodb_checkpoint_age 7",
        "cache_size = -2000",
        "secretary: Ann",
        "",
        "\n\n",
        "time -p make",
        "gbak: time     delta  reads  writes ",
        "wrong password",
    ] {
        assert_eq!(text(ordinary), ordinary);
    }
}

/// The forms with a place for the secret, which stands by itself there.
const BARE: [&str; 20] = [
    "postgres://bench:{}@db:5432/bench?x=1",
    "x mysql://root:{}@h",
    "password={}",
    "PASSWORD: {}",
    "pwd={}",
    "user=a password={} dbname=c",
    "PGPASSWORD={} psql",
    "--password={}",
    "a --password={} b",
    "api_key: {}",
    "client_secret={}\nnext",
    "AWS_SECRET_ACCESS_KEY={}",
    "mysql -u root -p{} bench",
    "mysqldump -p{}",
    "sshpass -p{} ssh h",
    "\"C:/x/mysql.exe\" -p{}",
    "token={}",
    "Authorization: Bearer {}",
    "x-api-key: {}",
    "db.passwd2={}",
];
const SPACED: [&str; 4] = [
    "tool --password {} x",
    "gbak -pas {} b",
    "isql -u a -p {} b",
    "--auth-token {}",
];
const QUOTED: [&str; 8] = [
    "password=\"{}\"",
    "{\"password\": \"{}\", \"b\": 1}",
    "PASSWORD '{}'",
    "mysql -p'{}' bench",
    "--password \"{}\"",
    "IDENTIFIED BY '{}'",
    "secret: '{}'",
    "\"C:/x/mysql.exe\" -p\"{}\"",
];

fn survives(form: &str, secret: &str) -> bool {
    let written = form.replacen("{}", secret, 1);
    text(&written).contains(secret)
}

proptest! {
    #[test]
    fn no_bare_secret_survives(
        form in prop::sample::select(BARE.to_vec()),
        secret in "[!#-&(-~]{8,24}|[a-z]{8,12}|[0-9]{8,12}|\\PC{8,12}",
        before in "[a-z =:/-]{0,12}",
    ) {
        // Such a secret could not be written without quotes.
        let bare = |letter: char| !letter.is_whitespace() && letter != '"' && letter != '\'';
        let secret: String = secret.chars().map(|it| if bare(it) { it } else { 'x' }).collect();
        prop_assume!(!is_port(&secret));
        prop_assert!(!survives(form, &secret), "{}", text(&form.replace("{}", &secret)));
        let form = format!("{before}\n{form}");
        prop_assert!(!survives(&form, &secret), "{}", text(&form.replace("{}", &secret)));
    }

    #[test]
    fn no_spaced_secret_survives(
        form in prop::sample::select(SPACED.to_vec()),
        secret in "[!#-&(-,.-~][!#-&(-~]{7,24}",
    ) {
        prop_assert!(!survives(form, &secret), "{}", text(&form.replace("{}", &secret)));
    }

    #[test]
    fn no_quoted_secret_survives(
        form in prop::sample::select(QUOTED.to_vec()),
        secret in "[!#-&(-\\[\\]-~]{2}[ !#-&(-\\[\\]-~]{6,24}[!#-&(-\\[\\]-~]{2}|[a-z]{2,9} [a-z]{2,9} [a-z]{2,9}",
    ) {
        prop_assert!(!survives(form, &secret), "{}", text(&form.replace("{}", &secret)));
    }

    #[test]
    fn hiding_twice_is_hiding_once(
        form in prop::sample::select([&BARE[..], &SPACED, &QUOTED].concat()),
        secret in "[A-Za-z0-9]{8,24}",
    ) {
        let once = text(&form.replacen("{}", &secret, 1));
        prop_assert_eq!(text(&once), once);
    }

    #[test]
    fn no_text_breaks_it(written in "(\\PC|[\n\t =:'\"\\\\-]|password|token|-p|://a:|@|mysql ){0,30}") {
        let hidden = text(&written);
        prop_assert_eq!(hidden.lines().count(), written.lines().count());
    }

    #[test]
    fn texts_without_such_forms_are_left_alone(written in "([a-z0-9 .,;()%-]|\n| = |: |GET |tps)*") {
        let names = ["password", "passwd", "pwd", "secret", "token", "key", "credential", "bearer"];
        let lower = written.to_lowercase();
        prop_assume!(!names.iter().any(|name| lower.contains(name)));
        prop_assume!(!written.contains("-p"));
        prop_assert_eq!(text(&written), written);
    }
}

// ---- names -------------------------------------------------------------------------------------

fn ann() -> Names {
    Names {
        host: "anns-laptop.example.org".into(),
        user: "ann".into(),
        home: "/home/ann/".into(),
    }
}

#[test]
fn names_become_neutral_words() {
    for (written, stored) in [
        (
            "/home/ann/bench/data: no such file",
            "~/bench/data: no such file",
        ),
        ("cd /home/ann", "cd ~"),
        ("/home/anna/x and /home/ann2", "/home/anna/x and /home/ann2"),
        (
            "connected to ANNS-LAPTOP.example.org:5432",
            "connected to host:5432",
        ),
        ("anns-laptop kernel: x", "host kernel: x"),
        (
            "role \"ann\" does not exist",
            "role \"user\" does not exist",
        ),
        (
            "annual planning, Annika, ann_1",
            "annual planning, Annika, ann_1",
        ),
    ] {
        assert_eq!(names(written, &ann()), stored);
    }
}

#[test]
fn names_of_nobody_stay() {
    let nobody = Names {
        host: "localhost".into(),
        user: "root".into(),
        home: "/root".into(),
    };
    let log = "root page 5 of /root/x on localhost";
    assert_eq!(names(log, &nobody), log);
    assert_eq!(names(log, &Names::default()), log);
    let short = Names {
        host: "10".into(),
        user: "jo".into(),
        home: "C:\\Users\\jo".into(),
    };
    assert_eq!(
        names(
            "10 rows of jo in C:\\Users\\jo\\x, \"C:\\\\Users\\\\jo\\\\x\"",
            &short
        ),
        "10 rows of jo in ~\\x, \"~\\\\x\""
    );
}

proptest! {
    #[test]
    fn no_whole_name_survives(name in "[a-z][a-z0-9.+()-]{3,12}[a-z0-9]", before in "[ /\"'=]", after in "[ /\"':]") {
        prop_assume!(!NOBODY.contains(&name.as_str()) && name.parse::<f64>().is_err());
        let known = Names { user: name.clone(), ..Names::default() };
        let log = format!("x{before}{name}{after}y");
        prop_assert_eq!(names(&log, &known), format!("x{before}user{after}y"));
    }
}
