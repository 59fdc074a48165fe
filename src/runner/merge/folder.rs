//! Writes the folder of a joined run: whole, or not at all.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::input::{Input, MergeFault, read};
use crate::data::join::{self, Part};
use crate::data::record::RunRecord;
use crate::runner::disk::{DiskFault, Growing, make_folder, sync_folder};
use crate::runner::plan_record::PlanRecord;
use crate::runner::run_record;

/// A folder that goes again unless it takes its place.
struct Folder {
    path: PathBuf,
    is_placed: bool,
}

impl Folder {
    fn beside(out: &Path) -> Result<Self, DiskFault> {
        let above = out.parent().filter(|above| !above.as_os_str().is_empty());
        if let Some(above) = above {
            make_folder(above)?;
        }
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        for number in 1_u32.. {
            // Names that begin with a dot are passed over by the site.
            let path = out.with_file_name(format!(".{name}.merge-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => {
                    return Ok(Self {
                        path,
                        is_placed: false,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(DiskFault::of("make the folder", &path)(error)),
            }
        }
        Err(DiskFault::of("make a folder for", out)(
            ErrorKind::AlreadyExists.into(),
        ))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), DiskFault> {
        let mut file = Growing::create(&self.path.join(name))?;
        file.add(text.as_bytes());
        file.sync()
    }

    fn take_place(mut self, out: &Path) -> Result<(), DiskFault> {
        sync_folder(&self.path)?;
        fs::rename(&self.path, out).map_err(DiskFault::of("make", out))?;
        self.is_placed = true;
        let above = out.parent().filter(|above| !above.as_os_str().is_empty());
        sync_folder(above.unwrap_or(Path::new(".")))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Writes the tables of all runs, and the record.
pub(super) fn write(
    inputs: &[Input],
    mut record: RunRecord,
    plan: &PlanRecord,
    out: &Path,
) -> Result<(), MergeFault> {
    let folder = Folder::beside(out)?;
    let samples: Vec<Part<'_>> = inputs
        .iter()
        .filter(|input| !input.samples.is_empty())
        .map(|input| Part {
            text: &input.samples,
            later: input.later,
        })
        .collect();
    let told = |name: &str, why: String| MergeFault::Refused(vec![format!("{name}: {why}")]);
    let samples = join::in_order(&samples).map_err(|why| told("samples.csv", why))?;
    folder.write("samples.csv", &samples)?;
    for (name, by) in [
        (
            "settings.csv",
            join::distinct as fn(&[Part<'_>]) -> Result<String, String>,
        ),
        ("timeline.csv", join::in_order),
    ] {
        let mut texts = Vec::new();
        for input in inputs {
            if let Some(text) = read(&input.path.join(name))? {
                texts.push((text, input.later));
            }
        }
        let parts: Vec<Part<'_>> = texts
            .iter()
            .map(|(text, later)| Part {
                text,
                later: *later,
            })
            .collect();
        if !parts.is_empty() {
            folder.write(name, &by(&parts).map_err(|why| told(name, why))?)?;
        }
    }
    copy_logs(inputs, &folder.path)?;
    run_record::write(&folder.path, &mut record, plan)?;
    folder.take_place(out)?;
    Ok(())
}

/// Logs are called by their trial's place in the plan, so no two parts have the same.
fn copy_logs(inputs: &[Input], folder: &Path) -> Result<(), DiskFault> {
    for input in inputs {
        let logs = input.path.join("logs");
        let entries = match fs::read_dir(&logs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(DiskFault::of("read", &logs)(error)),
        };
        let into = folder.join("logs");
        make_folder(&into)?;
        for entry in entries {
            let entry = entry.map_err(DiskFault::of("read", &logs))?;
            let path = entry.path();
            if path.is_file() {
                fs::copy(&path, into.join(entry.file_name()))
                    .map_err(DiskFault::of("copy", &path))?;
            }
        }
        sync_folder(&into)?;
    }
    Ok(())
}
