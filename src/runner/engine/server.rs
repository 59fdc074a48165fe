//! A server that somebody else runs, by its address; and the secret that opens it.

use std::io::Read as _;
use std::path::Path;
use std::{fmt, fs};

use url::Url;

/// A secret. It is never shown, whatever it is part of.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Password(String);

impl Password {
    /// Keeps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the client that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Reads a secret from a file, which holds nothing else but the end of its line.
    ///
    /// # Errors
    /// In one sentence.
    pub fn read(file: &Path) -> Result<Self, String> {
        const LONGEST: u64 = 4096;
        let fault =
            |why: &str| format!("the password can't be read from {}: {why}", file.display());
        let mut bytes = Vec::new();
        let opened = fs::File::open(file).map_err(|error| fault(&error.to_string()))?;
        let read = opened.take(LONGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| fault(&error.to_string()))?;
        if bytes.len() as u64 > LONGEST {
            return Err(fault("it is longer than a password"));
        }
        let text = String::from_utf8(bytes).map_err(|_| fault("it is no text in UTF-8"))?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let secret = line.strip_suffix('\r').unwrap_or(line);
        if secret.is_empty() || secret.contains('\n') {
            return Err(fault("it should hold one line, the password"));
        }
        Ok(Self(secret.to_owned()))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Password(…)")
    }
}

/// Whether what is said to a server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encryption {
    /// Where the server offers it; who it is isn't proven.
    #[default]
    Preferred,
    /// Never.
    Off,
    /// Always; who it is isn't proven.
    Required,
    /// Always, and its certificate has to prove that it is the host of the address.
    Verified,
}

impl Encryption {
    /// Its words in an address.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("prefer", Self::Preferred),
        ("disable", Self::Off),
        ("require", Self::Required),
        ("verify-full", Self::Verified),
    ];
}

/// A server that somebody else runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The kind of server, as its address begins (`postgres`, `mysql`, `firebird`).
    pub scheme: String,
    /// Its host: a name, or an address without brackets.
    pub host: String,
    /// Its port, if the address says so.
    pub port: Option<u16>,
    /// The user; each engine has a usual one.
    pub user: Option<String>,
    /// The secret, from the environment or a file.
    pub password: Option<Password>,
    /// The database, or for Firebird the folder on the server's machine in which databases may be made.
    pub database: Option<String>,
    /// Whether what is said is encrypted.
    pub encryption: Encryption,
}

impl Server {
    /// Reads an address such as `postgres://user@host:5432/database?tls=require`.
    ///
    /// # Errors
    /// In one sentence, without anything that may be secret.
    pub fn parse(address: &str) -> Result<Self, String> {
        const LIKE: &str = "write it like `postgres://user@host:5432/database`";
        let url = Url::parse(address).map_err(|error| format!("{error}; {LIKE}"))?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| format!("the address names no host; {LIKE}"))?;
        let text = |part: &str| {
            let decoded = percent_encoding::percent_decode_str(part).decode_utf8();
            let decoded =
                decoded.map_err(|_| format!("the address isn't text in UTF-8; {LIKE}"))?;
            Ok::<_, String>(Some(decoded.into_owned()).filter(|text| !text.is_empty()))
        };
        let mut encryption = Encryption::default();
        for (key, value) in url.query_pairs() {
            if key != "tls" {
                return Err(format!("there is no option `{key}`; there is `tls`"));
            }
            let known = Encryption::WORDS.iter().find(|(word, _)| *word == value);
            encryption = known.map(|(_, is)| *is).ok_or_else(|| {
                let words = Encryption::WORDS.map(|(word, _)| word).join("`, `");
                format!("`tls` is one of `{words}`")
            })?;
        }
        Ok(Self {
            scheme: url.scheme().to_owned(),
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port(),
            user: text(url.username())?,
            password: text(url.password().unwrap_or_default())?.map(Password),
            database: text(url.path().strip_prefix('/').unwrap_or_default())?,
            encryption,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let server = Server::parse("mysql://b%40d:s3cret@[::1]:3307/x?tls=verify-full");
        let server = server.expect("an address");
        assert_eq!((&*server.scheme, &*server.host), ("mysql", "::1"));
        assert_eq!(server.port, Some(3307));
        assert_eq!(server.user.as_deref(), Some("b@d"));
        assert_eq!(server.database.as_deref(), Some("x"));
        assert_eq!(server.encryption, Encryption::Verified);
        assert_eq!(server.password, Some(Password::new("s3cret")));
        assert!(!format!("{server:?}").contains("s3cret"));
        let path = Server::parse("firebird://host//var/lib/databases").expect("an address");
        assert_eq!(path.database.as_deref(), Some("/var/lib/databases"));
        assert_eq!(path.password, None);
    }

    #[test]
    fn a_file_holds_a_password_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("password");
        let read = |bytes: &[u8]| {
            fs::write(&file, bytes).expect("written");
            Password::read(&file).map(|it| it.reveal().to_owned())
        };
        for text in ["a b ", "a b \n", "a b \r\n"] {
            assert_eq!(read(text.as_bytes()), Ok("a b ".to_owned()));
        }
        let long = "s3cret".repeat(1000);
        for wrong in ["", "\n", "s3cret\ntwo\n", &long] {
            let told = read(wrong.as_bytes()).expect_err(wrong);
            assert!(!told.contains("s3cret"), "{told}");
        }
        assert!(read(b"\xff").is_err_and(|told| told.contains("UTF-8")));
        fs::remove_file(&file).expect("removed");
        assert!(Password::read(&file).is_err());
    }

    #[test]
    fn what_is_no_address_is_told_without_secrets() {
        for (address, words) in [
            ("s3cret", "without a base"),
            ("postgres://", "no host"),
            ("postgres://u:s3cret@h:99999999/", "port"),
            ("postgres://u:s3cret@h/?tls=yes", "`tls` is one of"),
            ("postgres://u:s3cret@h/?ssl=on", "no option `ssl`"),
        ] {
            let told = Server::parse(address).expect_err(address);
            assert!(told.contains(words), "{told}");
            assert!(!told.contains("s3cret"), "{told}");
        }
    }
}
