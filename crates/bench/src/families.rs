//! Families of measurements: the result lines of each, its part of the report page, and the paper
//! that it is compared with.

use crate::{
    aad, accumulators,
    columns::{Derived, nothing},
    compare, directory, flexlist,
    line::Line,
    peers, stored,
    tables::Tables,
    tree, tuple,
};

/// A family of measurements, which is one part of the report page.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Short name, used in links to the family's part of the page.
    pub id: &'static str,
    /// Title of the family's part of the page.
    pub title: &'static str,
    /// Paper or other work that the family is compared with.
    pub source: &'static str,
    /// Prefixes of the value of `experiment` in the family's result lines.
    pub begins: &'static [&'static str],
    /// Prefixes of the names of the plots that belong to the family.
    pub figures: &'static [&'static str],
    /// Function that makes the family's tables from result lines.
    pub report: fn(&[Line]) -> Tables,
    /// Function that derives the figures that the family's plots show in addition.
    pub derived: Derived,
}

impl Family {
    /// Selects the result lines of this family from `lines`.
    pub fn lines(&self, lines: &[Line]) -> Vec<Line> {
        let is_own = |line: &&Line| begins_with(line.text("experiment"), self.begins);
        lines.iter().filter(is_own).cloned().collect()
    }

    /// Reports whether the plot with the name `figure` belongs to this family.
    pub fn draws(&self, figure: &str) -> bool {
        begins_with(figure, self.figures)
    }
}

fn begins_with(text: &str, begins: &[&str]) -> bool {
    begins.iter().any(|begin| text.starts_with(begin))
}

const CROSBY: &str = "S. A. Crosby and D. S. Wallach, Authenticated dictionaries: real-world costs \
    and tradeoffs, 2010";

/// All families, in the order of the report page.
#[rustfmt::skip]
pub const FAMILIES: [Family; 9] = [
    Family { id: "everything", title: "Every scheme on the same work",
        source: "baselines that sign entries one by one",
        begins: &["compare"], figures: &["compare"], report: compare::tables,
        derived: compare::derived },
    Family { id: "trees", title: "Trees", source: CROSBY, begins: &["growing", "steady_state"],
        figures: &["table3", "table4", "figure5", "figure6"], report: tree::table::report,
        derived: tree::table::derived },
    Family { id: "stored", title: "Stored trees",
        source: "the same trees in memory, and jmt on redb",
        begins: &["stored"], figures: &["stored"], report: stored::tables,
        derived: nothing },
    Family { id: "tuples", title: "Tuples", source: CROSBY, begins: &["tuple_"],
        figures: &["figure7", "figure8"], report: tuple::table::report,
        derived: tuple::table::derived },
    Family { id: "accumulators", title: "Accumulators",
        source: "E. Tremel, Real-world performance of cryptographic accumulators, 2013",
        begins: &["accumulators"], figures: &["accumulators"], report: accumulators::table::table,
        derived: accumulators::table::derived },
    Family { id: "files", title: "Outsourced files",
        source: "E. Esiner, A. Küpçü and Ö. Özkasap, Analysis and optimization on FlexDPDP, 2013",
        begins: &["flexlist_"], figures: &["flexlist"], report: flexlist::table::report,
        derived: flexlist::table::derived },
    Family { id: "logs", title: "Append-only dictionaries",
        source: "A. Tomescu, V. Bhupatiraju, D. Papadopoulos, C. Papamanthou, N. Triandopoulos \
            and S. Devadas, Transparency logs via append-only authenticated dictionaries, 2019",
        begins: &["aad_"], figures: &["aad"], report: aad::table::report,
        derived: aad::table::derived },
    Family { id: "directories", title: "Block directories",
        source: "P. Stanton, B. McKeown, R. Burns and G. Ateniese, FastAD: an authenticated \
            directory for billions of objects, 2010",
        begins: &["directory_"], figures: &["directory"], report: directory::table::report,
        derived: directory::table::derived },
    Family { id: "peers", title: "Third-party dictionaries",
        source: "our dictionaries, in the same process",
        begins: &["peers"], figures: &[], report: peers::table::report, derived: nothing },
];
