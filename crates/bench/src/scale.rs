//! What a dictionary costs that is larger than any machine here: `bench scale`, which writes the tables and pictures of docs/scale.md.
//!
//! [`mod@coefficients`] are from the shipped report and from a recorded run of three processes, [`mod@assumptions`] from a file that
//! readers can change. [`mod@plan`] counts machines, bytes and dollars; [`mod@simulation`] runs batches, witnesses, mirrors, caches and
//! readers, first those of the recorded run ([`mod@recorded`]), then those of the plan ([`mod@worlds`]).

#![allow(
    missing_docs,
    reason = "figures are called what they are; the assumptions' file says what each of its keys means"
)]

use std::{
    fs,
    io::{Write as _, stdout},
    path::{Path, PathBuf},
};

use clap::Args;

pub mod assumptions;
pub mod coefficients;
pub mod document;
pub mod fit;
mod measure;
mod pictures;
pub mod plan;
pub mod popularity;
pub mod recorded;
pub mod simulation;
mod text;
pub mod worlds;

use crate::{
    Outcome,
    full_report::{readme::replaced, run::read_lines},
};
use document::Shown;
use recorded::Recorded;

/// The command line of `bench scale`.
#[derive(Clone, Debug, Args)]
pub struct ScaleArguments {
    /// What is assumed.
    #[arg(long, default_value = "crates/bench/data/scale/assumptions.toml")]
    assumptions: PathBuf,
    /// The run of three processes that the simulation is held against; `--measure` prints one.
    #[arg(long, default_value = "crates/bench/data/scale/run.jsonl")]
    run: PathBuf,
    /// The measurements that `bench report` wrote.
    #[arg(long, default_value = "docs/report/measurements.jsonl")]
    from: PathBuf,
    /// The text whose tables are replaced.
    #[arg(long, default_value = "docs/scale.md")]
    document: PathBuf,
    /// The folder for its pictures.
    #[arg(long, default_value = "docs/figures")]
    figures: PathBuf,
    /// Changes nothing, and fails if a table or a picture is not what the files say.
    #[arg(long)]
    check: bool,
    /// Measures a run of an author, a server and a mirror with this `pad` program in a minute, prints its lines, and does nothing else.
    #[arg(long, value_name = "PROGRAM")]
    measure: Option<PathBuf>,
}

impl ScaleArguments {
    /// Plans, simulates, and writes the document, or compares it.
    pub fn run(&self) -> Outcome<()> {
        if let Some(pad) = &self.measure {
            for line in measure::measure(pad)? {
                writeln!(stdout(), "{}", serde_json::to_string(&line)?)?;
            }
            return Ok(());
        }
        let recorded = Recorded::new(&name_of(&self.run), &read_lines(&read(&self.run)?))?;
        let assumptions = read(&self.assumptions)?;
        let lines = read_lines(&read(&self.from)?);
        let shown = Shown::new(&lines, recorded, assumptions, &name_of(&self.assumptions))?;
        let document = read(&self.document)?;
        let mut files = vec![(
            self.document.clone(),
            replaced(&document, |name| shown.table(name))?,
        )];
        for figure in shown.figures()? {
            let file = self.figures.join(&figure.name).with_extension("svg");
            files.push((file, figure.alone()));
        }
        for (file, contents) in files {
            if self.check && fs::read_to_string(&file).ok().as_ref() != Some(&contents) {
                let file = file.display();
                return Err(format!("{file} is not what `bench scale` writes").into());
            }
            if !self.check {
                fs::create_dir_all(file.parent().unwrap_or_else(|| Path::new(".")))?;
                fs::write(&file, contents)?;
            }
        }
        Ok(())
    }
}

fn read(file: &Path) -> Outcome<String> {
    Ok(fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?)
}

fn name_of(file: &Path) -> String {
    file.display().to_string()
}
