//! `pad demo`.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, Output};

#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The folder for the page with the plots and for the example files.
    #[arg(long, value_name = "FOLDER", default_value = "target/demo")]
    out: PathBuf,
    /// The time for each measurement, in milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 300)]
    budget: u64,
    /// Publish your own data in place of the bundled prices: a trace as `pad import` takes it. The first 50 snapshots are
    /// taken, and some 2000 of the keys.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

impl Demo {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let settings = crate::demo::Settings {
            out: self.out.clone(),
            budget: core::time::Duration::from_millis(self.budget),
            trace: self.trace.clone(),
        };
        crate::demo::run(&settings, output)
    }
}
