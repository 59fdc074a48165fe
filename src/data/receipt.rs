//! What became of a result file: read, ignored, guessed, repaired.

use crate::diag::{Code, Diagnostic, Report, Span};

/// What a reader did with a file.
#[derive(Debug, Clone, Default)]
pub struct Receipt {
    /// Path of the file below the site's root.
    pub path: String,
    /// Name of the format it was read in.
    pub format: &'static str,
    /// Rows (or steps, or commands) that were read.
    pub rows: usize,
    /// Observations they gave.
    pub observations: usize,
    /// Lines without figures that were passed over.
    pub ignored_lines: usize,
    /// Columns that mean nothing here.
    pub ignored_columns: Vec<String>,
    /// What was guessed or repaired.
    pub remarks: Vec<Remark>,
}

/// What became of a file that was imported.
#[derive(Debug)]
pub struct FileReceipt {
    /// What was read, ignored and repaired.
    pub receipt: Receipt,
    /// What each column became.
    pub columns: Vec<(String, String)>,
    /// What nobody said.
    pub guessed: Vec<String>,
    /// How many of the observations are the reason why there is no value.
    pub lacking: usize,
    /// Values of a case that has one already; each such row is a fault.
    pub doubled: usize,
}

/// A thing that was guessed or repaired.
#[derive(Debug, Clone)]
pub struct Remark {
    /// Where.
    pub span: Span,
    /// What was done.
    pub text: String,
}

impl Receipt {
    /// An empty receipt for a file.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..Self::default()
        }
    }

    /// Writes down that something was guessed or repaired.
    pub fn remark(&mut self, span: Span, text: impl Into<String>) {
        self.remarks.push(Remark {
            span,
            text: text.into(),
        });
    }

    /// Says what was guessed or repaired; stays silent otherwise.
    pub fn tell(&self, report: &mut Report) {
        for remark in &self.remarks {
            report.push(
                Diagnostic::new(Code::ReceiptNote, remark.text.clone()).at(remark.span.clone(), ""),
            );
        }
    }
}
