//! The outsourced files: how fast, how large, and how far from what the hashes alone would take.
//!
//! Each module is one experiment: [`build`] (figures 6 and 7), [`hash_share`] (figure 8), [`multi`]
//! (figures 9 and 10, table 2), [`audit`] (section 4.4), [`network`] (figures 11 to 13) and [`replay`],
//! which follows a version-control [`trace`]. [`cut`] makes such a trace from a local git repository. [`limits`] measures the hashes that
//! bound everything, [`counted`] counts them.
//!
//! Source: Esiner, Küpçü and Özkasap, section 4.

#![allow(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "nobody prints a bench; its errors go to whoever runs it"
)]

pub mod arguments;
pub mod audit;
pub mod blocks;
pub mod build;
pub mod command;
pub mod counted;
pub mod cut;
pub mod hash_share;
pub mod limits;
pub mod multi;
pub mod network;
pub mod paper;
pub mod record;
pub mod replay;
mod run;
pub mod table;
pub mod trace;

pub use arguments::FlexlistArguments;
pub use record::FlexlistLine;
pub use run::run;

use crate::{Outcome, machine::Machine, timing::Effort};

/// What holds for every experiment of a run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Measure little.
    pub quick: bool,
    /// Where.
    pub machine: Machine,
}

/// Takes lines as they come; says beforehand what is being measured.
pub trait Reporter {
    /// What is measured from now on, for people.
    fn announce(&mut self, what: &str);
    /// A line.
    fn line(&mut self, line: FlexlistLine) -> Outcome<()>;
}

impl Setting {
    /// How long and how often to measure.
    pub const fn effort(&self) -> Effort {
        Effort::new(self.quick)
    }

    /// How often to repeat what takes long: one number in full, the other to see that it works.
    pub const fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}
