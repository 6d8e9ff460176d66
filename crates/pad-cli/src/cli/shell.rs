//! `pad completions` prints a shell completion script. `pad man` writes the manual pages to a
//! folder.

use std::{fs, path::PathBuf};

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};
use serde_json::json;

use super::{Arguments, Failure, Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad completions bash > ~/.local/share/bash-completion/completions/pad
  pad completions fish > ~/.config/fish/completions/pad.fish")]
pub(super) struct Completions {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad man ~/.local/share/man/man1
  pad man pages && man pages/pad.1")]
pub(super) struct Man {
    /// The folder for the pages, created if missing.
    ///
    /// Existing pages of the same names are replaced.
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        if output.is_json() {
            return Err(Failure::input("pad completions writes no JSON").help("leave out --json"));
        }
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "pad", &mut script);
        output.raw(&script)
    }
}

impl Man {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(Failure::at(folder))?;
        clap_mangen::generate_to(Arguments::command(), folder).map_err(Failure::at(folder))?;
        let folder = folder.display().to_string();
        let text = format!("the manual pages are in {folder}; man {folder}/pad.1 shows the first");
        output.say(&text, &json!({ "folder": folder }))
    }
}
