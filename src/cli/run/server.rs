//! The server that a run uses instead of private ones, as it is named by flags and the environment.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail, ensure};

use super::ending::say;
use super::flags::Flags;
use crate::runner::engine::{Password, Server};
use crate::runner::plan::Plan;

/// The variable that names a server.
const ADDRESS: &str = "BENCHBOOK_SERVER";
/// The variable that holds its password.
const PASSWORD: &str = "BENCHBOOK_PASSWORD";

/// The server that was named, if one was.
pub(super) fn named(flags: &Flags) -> anyhow::Result<Option<Server>> {
    choose(
        flags.server.as_deref(),
        flags.password_file.as_deref(),
        |name| std::env::var_os(name),
    )
}

fn choose(
    flag: Option<&str>,
    file: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> anyhow::Result<Option<Server>> {
    let variable = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty());
        let text = value.map(OsString::into_string).transpose();
        text.map_err(|_| anyhow!("the variable {name} is no text in UTF-8"))
    };
    let (place, address) = match (flag, variable(ADDRESS)?) {
        (Some(flag), _) => ("--server", flag.to_owned()),
        (None, Some(address)) => (ADDRESS, address),
        (None, None) => {
            ensure!(
                file.is_none(),
                "`--password-file` belongs to a server: name it with `--server` or the variable {ADDRESS}"
            );
            return Ok(None);
        }
    };
    let server = Server::parse(&address).map_err(|why| anyhow!("{place}: {why}"));
    let mut server = server?;
    if flag.is_some() && server.password.is_some() {
        bail!(
            "--server: a password on a command line is seen by everybody in the list of processes\n\
             write the address without it, and the password into the variable {PASSWORD} or a file for \
             `--password-file`"
        );
    }
    if let Some(file) = file {
        let password = Password::read(file).map_err(|why| anyhow!(why));
        server.password = Some(password.context("--password-file")?);
    } else if let Some(secret) = variable(PASSWORD)? {
        server.password = Some(Password::new(secret));
    }
    Ok(Some(server))
}

/// Whether the engine of a plan can use the server; says why not.
pub(super) fn fits(plan: &Plan<'_>, server: &Server) -> bool {
    let schemes = plan.engine.schemes();
    if schemes.contains(&&*server.scheme) {
        return true;
    }
    let engine = plan.engine.name();
    say(&match schemes {
        [] => format!(
            "benchbook: the engine `{engine}` uses no server\n\
             run `{}` without `--server` and the variable {ADDRESS}",
            plan.definition.key
        ),
        [first, ..] => format!(
            "benchbook: the engine `{engine}` can't use a server whose address begins with `{}://`\n\
             its addresses begin with {}; write them like `{first}://user@host`, and run experiments of other \
             engines by themselves",
            server.scheme,
            schemes
                .iter()
                .map(|scheme| format!("`{scheme}://`"))
                .collect::<Vec<_>>()
                .join(" or ")
        ),
    });
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(
        flag: Option<&str>,
        file: Option<&Path>,
        variables: &[(&str, &str)],
    ) -> Result<Option<(String, Option<String>)>, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let server = choose(flag, file, variable).map_err(|fault| format!("{fault:#}"))?;
        Ok(server.map(|server| {
            let password = server.password.map(|it| it.reveal().to_owned());
            (server.host, password)
        }))
    }

    #[test]
    fn the_nearest_word_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("password");
        std::fs::write(&file, "filed\n").expect("written");
        let file = Some(&*file);
        let password = |text: &str| Some(text.to_owned());
        let by_variable = (ADDRESS, "mysql://u:inside@variable");
        assert_eq!(chosen(None, None, &[]), Ok(None));
        assert_eq!(
            chosen(None, None, &[(ADDRESS, ""), (PASSWORD, "x")]),
            Ok(None)
        );
        assert_eq!(
            chosen(None, None, &[by_variable]),
            Ok(Some(("variable".into(), password("inside"))))
        );
        assert_eq!(
            chosen(None, None, &[by_variable, (PASSWORD, "beside")]),
            Ok(Some(("variable".into(), password("beside"))))
        );
        assert_eq!(
            chosen(Some("mysql://flag"), None, &[by_variable]),
            Ok(Some(("flag".into(), None)))
        );
        assert_eq!(
            chosen(Some("mysql://flag"), file, &[(PASSWORD, "beside")]),
            Ok(Some(("flag".into(), password("filed"))))
        );
    }

    #[test]
    fn secrets_stay_out_of_command_lines_and_faults() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join("password");
        for (flag, file, variables, words) in [
            (
                Some("mysql://u:s3cret@h"),
                None,
                vec![],
                "variable BENCHBOOK_PASSWORD or a file",
            ),
            (
                None,
                None,
                vec![(ADDRESS, "mysql://u:s3cret@")],
                "BENCHBOOK_SERVER: ",
            ),
            (None, Some(&*missing), vec![], "name it with `--server`"),
            (
                Some("mysql://u@h"),
                Some(&*missing),
                vec![],
                "--password-file: the password can't be read",
            ),
        ] {
            let told = chosen(flag, file, &variables).expect_err(words);
            assert!(told.contains(words), "{told}");
            assert!(!told.contains("s3cret"), "{told}");
        }
    }
}
