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
}

impl Demo {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        crate::demo::run(
            &self.out,
            core::time::Duration::from_millis(self.budget),
            output,
        )
    }
}
