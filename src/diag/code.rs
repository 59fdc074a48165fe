//! The table of faults: name, severity and meaning of every kind; the reference page comes from it.

use std::fmt;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The site can't be published like this.
    Error,
    /// Worth mending; `--strict` makes it an error.
    Warning,
    /// Said for information only.
    Note,
}

impl Severity {
    /// The word shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($variant:ident, $name:literal, $severity:ident, $meaning:literal;)*) => {
        /// A kind of fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The name shown in brackets and used by tools.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The severity it starts with.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// What it means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    // files
    NotUtf8, "not-utf8", Error, "A text file isn't in UTF-8.";
    ByteOrderMark, "byte-order-mark", Note, "A file begins with a byte order mark; it was skipped.";
    UnsafePath, "unsafe-path", Error, "A path leaves the site or has a name that some systems reserve.";
    EmptyFile, "empty-file", Error, "A result file holds nothing.";
    // configuration
    BadToml, "bad-toml", Error, "A text isn't valid TOML.";
    BadYaml, "bad-yaml", Error, "A front matter isn't valid YAML.";
    UnknownKey, "unknown-key", Error, "A key isn't known in this place.";
    BadConfig, "bad-config", Error, "A setting in `site.toml` has a value that can't be used.";
    UnknownLanguage, "unknown-language", Error, "A language isn't among those of the site.";
    MissingMessage, "missing-message", Warning, "An interface catalog lacks a message; the English words are shown.";
    BadMessage, "bad-message", Error, "An interface message has placeholders or plural forms that don't fit.";
    // data
    BadDefinition, "bad-definition", Error, "An `experiment.toml` says something that can't be used.";
    MissingDataFile, "missing-data-file", Error, "An experiment names a result file that isn't there.";
    UnknownFormat, "unknown-format", Error, "A result file is in no known format.";
    BadResultFile, "bad-result-file", Error, "A result file can't be read in its format.";
    UnmappedColumn, "unmapped-column", Warning, "A column is neither a factor nor a metric and was ignored.";
    MissingColumn, "missing-column", Error, "A result file lacks a column that is needed.";
    RaggedRow, "ragged-row", Error, "A row has more or fewer cells than the header.";
    BadNumber, "bad-number", Error, "A cell doesn't hold a finite number.";
    DecimalComma, "decimal-comma", Error, "A number has a decimal comma where a point is expected.";
    BadQuantity, "bad-quantity", Error, "A size, duration or unit can't be read.";
    WrongUnit, "wrong-unit", Error, "A value's unit measures something else than its metric.";
    UnknownLevel, "unknown-level", Error, "A value isn't among the factor's levels.";
    DuplicateCase, "duplicate-case", Error, "A metric has two values for the same case and replicate.";
    ReceiptNote, "receipt-note", Note, "Something in a result file was guessed or skipped when it was read.";
    // content
    BadFrontMatter, "bad-front-matter", Error, "A page's front matter can't be used.";
    UnclosedFrontMatter, "unclosed-front-matter", Error, "A front matter has no closing line.";
    ReservedCharacter, "reserved-character", Error, "A text holds a character that benchbook keeps for marks of its own.";
    MisspelledBlock, "misspelled-block", Warning, "A fence looks like a block whose name is misspelled.";
    BadBlock, "bad-block", Error, "A block's arguments can't be read.";
    UnknownArgument, "unknown-argument", Error, "A block or function has no such argument.";
    MissingArgument, "missing-argument", Error, "A block or function lacks an argument.";
    BadArgument, "bad-argument", Error, "An argument's value can't be used.";
    UnclosedExpression, "unclosed-expression", Error, "An inline value or claim isn't closed.";
    BadExpression, "bad-expression", Error, "An expression can't be read.";
    UnsupportedStatement, "unsupported-statement", Error, "A page holds a template statement other than a claim.";
    UnclosedClaim, "unclosed-claim", Error, "A claim has no end, or its end lies in another paragraph.";
    StrayEnd, "stray-end", Error, "An `end` has no claim before it.";
    UnsafeLink, "unsafe-link", Error, "A link uses a scheme that can run code.";
    // names
    UnknownExperiment, "unknown-experiment", Error, "No experiment has this name.";
    UnknownFactor, "unknown-factor", Error, "The experiment has no such factor.";
    UnknownMetric, "unknown-metric", Error, "The experiment has no such metric.";
    UnknownRun, "unknown-run", Error, "The experiment has no such run.";
    UnknownSeries, "unknown-series", Error, "No run of the experiment has watched such a series.";
    UnknownSetting, "unknown-setting", Error, "The experiment has no such setting.";
    UnknownName, "unknown-name", Error, "An expression uses a name that means nothing here.";
    UnknownFunction, "unknown-function", Error, "No function has this name.";
    UnknownFilter, "unknown-filter", Error, "No filter has this name.";
    NoExperiment, "no-experiment", Error, "Neither the block nor the page names an experiment.";
    // values
    AmbiguousValue, "ambiguous-value", Error, "More than one value matches where one is needed.";
    MissingValue, "missing-value", Error, "The case has no value, and one is needed.";
    NotANumber, "not-a-number", Error, "Something that isn't a number is used as one.";
    DivisionByZero, "division-by-zero", Error, "A calculation divides by zero.";
    MixedRuns, "mixed-runs", Error, "Values of different runs or origins would be pooled.";
    EmptyFigure, "empty-figure", Error, "A block has nothing to show.";
    TooManyLevels, "too-many-levels", Error, "A figure would have more series or levels than can be told apart.";
    // claims
    ClaimRefuted, "claim-refuted", Error, "The data contradict a claim.";
    ClaimHolds, "claim-holds", Error, "A claim that was expected to be refuted holds.";
    ClaimUndecided, "claim-undecided", Warning, "The data can't decide a claim.";
    // pages
    UrlCollision, "url-collision", Error, "Two pages or files would have the same address.";
    CircularAlias, "circular-alias", Error, "An alias leads to a page's own address or to another alias.";
    DeadLink, "dead-link", Error, "A link leads to no page or file of the site.";
    DeadAnchor, "dead-anchor", Error, "A link leads to an anchor that its page doesn't have.";
    MissingImage, "missing-image", Error, "An image isn't there.";
    DuplicateAnchor, "duplicate-anchor", Error, "Two places of a page have the same anchor.";
    MissingTranslation, "missing-translation", Note, "A page has no translation into one of the site's languages.";
    StaleTranslation, "stale-translation", Warning, "The original changed since it was translated.";
    UnstampedTranslation, "unstamped-translation", Note, "A translation doesn't say which state of the original it translates.";
    OrphanTranslation, "orphan-translation", Warning, "A translation's original doesn't exist.";
    TranslationDiffers, "translation-differs", Warning, "A translation states other values or claims than its original.";
    // templates and output
    TemplateError, "template-error", Error, "A template can't be read or rendered.";
    ForeignFolder, "foreign-folder", Error, "The output folder holds files that benchbook didn't write.";
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
