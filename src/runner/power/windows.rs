//! Power plans of Windows: the schemes that `powercfg` lists, told apart by their GUIDs.
//!
//! A wish is a GUID, or `powersave`, `balanced` or `performance` for the schemes that every Windows knows
//! under the same GUIDs. Names are translated and may be changed, so they are never compared.

use super::super::fault::Fault;
use super::plans::{Change, Neutral, Plans};

/// The one place of a power plan: which scheme is active.
const SCHEME: &str = "scheme";

/// Calls `powercfg` with some arguments and answers what it prints.
pub(super) type Call = fn(&[&str]) -> Result<String, String>;

/// The power schemes of Windows.
#[derive(Debug)]
pub(super) struct Windows {
    call: Call,
}

impl Windows {
    pub(super) fn new(call: Call) -> Self {
        Self { call }
    }

    fn active(&self) -> Result<String, Fault> {
        let text = (self.call)(&["/getactivescheme"]).map_err(Fault::unsupported)?;
        guid(&text).ok_or_else(|| Fault::unsupported("powercfg names no active power scheme"))
    }

    fn schemes(&self) -> Result<Vec<String>, Fault> {
        let text = (self.call)(&["/list"]).map_err(Fault::unsupported)?;
        Ok(schemes(&text))
    }
}

/// The GUID of the scheme that each word means, the same on every Windows.
fn known(word: Neutral) -> &'static str {
    match word {
        Neutral::Powersave => "a1841308-3541-4fab-bc81-f71556f20b4a",
        Neutral::Balanced => "381b4222-f694-41f0-9685-ff5bb260df2e",
        Neutral::Performance => "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c",
    }
}

/// The first GUID of a text, in small letters.
fn guid(text: &str) -> Option<String> {
    const LENGTH: usize = 36;
    let bytes = text.as_bytes();
    let joins = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let found = bytes.windows(LENGTH).enumerate().find(|(at, window)| {
        let has_shape = window.iter().enumerate().all(|(place, byte)| {
            if [8, 13, 18, 23].contains(&place) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        });
        has_shape && !joins(at + LENGTH) && (*at == 0 || !joins(at - 1))
    });
    found.map(|(_, window)| String::from_utf8_lossy(window).to_ascii_lowercase())
}

/// The GUIDs that `powercfg /list` prints, whatever its language.
fn schemes(text: &str) -> Vec<String> {
    text.lines().filter_map(guid).collect()
}

/// What a wish means: a GUID.
fn wished(wish: &str) -> Result<String, Fault> {
    if let Some(word) = Neutral::parse(wish) {
        return Ok(known(word).to_owned());
    }
    let trimmed = wish.trim().trim_matches(['{', '}']);
    guid(trimmed)
        .filter(|guid| guid.len() == trimmed.len())
        .ok_or_else(|| {
            Fault::unsupported(format!(
                "`{wish}` is no power plan on Windows; write `powersave`, `balanced`, `performance` or \
                 the GUID of a scheme that `powercfg /list` shows"
            ))
        })
}

/// A scheme in a word, if it has one.
fn shown(guid: &str) -> String {
    let word = Neutral::ALL.into_iter().find(|word| known(*word) == guid);
    word.map_or_else(|| guid.to_owned(), |word| word.word().to_owned())
}

impl Plans for Windows {
    fn places(&self) -> Vec<String> {
        vec![SCHEME.to_owned()]
    }

    fn value(&self, _place: &str) -> Option<String> {
        self.active().ok()
    }

    fn accepts(&self, place: &str, value: &str) -> bool {
        let listed = self
            .schemes()
            .is_ok_and(|it| it.iter().any(|it| it == value));
        place == SCHEME && listed
    }

    fn write(&self, _place: &str, value: &str) -> Result<(), Fault> {
        match (self.call)(&["/setactive", value]) {
            Ok(_) => Ok(()),
            Err(error) => Err(Fault::unsupported(format!(
                "the power scheme could not be set: {error}"
            ))),
        }
    }

    fn read(&self) -> Result<String, Fault> {
        self.active().map(|guid| shown(&guid))
    }

    fn resolve(&self, wish: &str) -> Result<Vec<Change>, Fault> {
        let value = wished(wish)?;
        let offered = self.schemes()?;
        if !offered.contains(&value) {
            let offered: Vec<String> = offered.iter().map(|guid| shown(guid)).collect();
            return Err(Fault::unsupported(format!(
                "this machine has no power scheme `{}`, only {}",
                shown(&value),
                offered.join(", ")
            )));
        }
        Ok(vec![Change {
            name: SCHEME,
            place: SCHEME.to_owned(),
            value,
        }])
    }

    fn effective(&self, _wish: &[Change]) -> String {
        self.read().unwrap_or_else(|fault| fault.message)
    }
}

/// Calls the real `powercfg`.
#[cfg(windows)]
pub(super) fn powercfg(arguments: &[&str]) -> Result<String, String> {
    let output = std::process::Command::new("powercfg")
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .map_err(|error| format!("powercfg can't be run: {error}"))?;
    // It prints in the code page of the console; GUIDs are the same in all of them.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() {
        &text
    } else {
        &*said
    };
    Err(format!("powercfg says: {}", said.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::Keeper;
    use super::*;
    use crate::model::MissingReason;

    fn unsupported(outcome: Result<String, Fault>, says: &str) {
        let fault = outcome.expect_err("a fault");
        assert_eq!(fault.reason, MissingReason::Unsupported, "{fault}");
        assert!(fault.message.contains(says), "{fault}");
    }
    const ENGLISH: &str = "\r\nExisting Power Schemes (* Active)\r\n-----------------------------------\r\n\
        Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced) *\r\n\
        Power Scheme GUID: 8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c  (High performance)\r\n\
        Power Scheme GUID: 11111111-2222-3333-4444-5555AAAABBBB  (Quiet - 24/7)\r\n";
    const GERMAN: &str = "\r\nBestehende Energieschemen (* Aktiv)\r\n-----------------------------------\r\n\
        GUID des Energieschemas: 381b4222-f694-41f0-9685-ff5bb260df2e  (Ausbalanciert)\r\n\
        GUID des Energieschemas: 8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c  (H\u{fffd}chstleistung) *\r\n\
        GUID des Energieschemas: a1841308-3541-4fab-bc81-f71556f20b4a  (Energiesparmodus)\r\n";

    fn english(arguments: &[&str]) -> Result<String, String> {
        match arguments {
            ["/list"] => Ok(ENGLISH.to_owned()),
            ["/getactivescheme"] => Ok(
                "Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)\r\n".into(),
            ),
            _ => Err("powercfg says: access is denied".into()),
        }
    }

    fn german(arguments: &[&str]) -> Result<String, String> {
        match arguments {
            ["/list"] => Ok(GERMAN.to_owned()),
            _ => {
                Ok("GUID des Energieschemas: 8C5E7FDA-E8BF-4A96-9A85-A6E23A8C635C  (H)\r\n".into())
            }
        }
    }

    #[test]
    fn schemes_are_told_apart_by_guid() {
        let german = Windows::new(german);
        assert_eq!(german.read(), Ok("performance".into()));
        let changes = german.resolve("powersave").expect("a plan");
        assert_eq!(changes[0].value, "a1841308-3541-4fab-bc81-f71556f20b4a");
        let english = Windows::new(english);
        assert_eq!(english.read(), Ok("balanced".into()));
        let changes = english
            .resolve("{11111111-2222-3333-4444-5555aaaabbbb}")
            .expect("a plan");
        assert_eq!(changes[0].value, "11111111-2222-3333-4444-5555aaaabbbb");
    }

    #[test]
    fn schemes_that_are_not_listed_are_unsupported() {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = folder.path().join("power.json");
        let mut keeper = Keeper::with(Box::new(Windows::new(english)), &memory);
        unsupported(
            keeper.set("powersave"),
            "`powersave`, only balanced, performance",
        );
        unsupported(keeper.set("High performance"), "no power plan on Windows");
        unsupported(
            keeper.set("381b4222-f694-41f0-9685-ff5bb260df2e0"),
            "no power plan",
        );
        unsupported(keeper.set("performance"), "access is denied");
        assert_eq!(keeper.set("balanced"), Ok("balanced".into()));
    }
}
