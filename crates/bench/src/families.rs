//! Families of measurements: the result lines of each, its part of the report page, and the paper
//! that it is compared with.

use crate::{
    aad, accumulators, compare, directory, flexlist, line::Line, peers, stored, tables::Tables,
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

const fn family(
    (id, title, source): (&'static str, &'static str, &'static str),
    begins: &'static [&'static str],
    figures: &'static [&'static str],
    report: fn(&[Line]) -> Tables,
) -> Family {
    Family {
        id,
        title,
        source,
        begins,
        figures,
        report,
    }
}

/// All families, in the order of the report page.
#[rustfmt::skip]
pub const FAMILIES: [Family; 9] = [
    family(("everything", "Every scheme on the same work",
        "baselines that sign entries one by one"),
        &["compare"], &["compare"], compare::tables),
    family(("trees", "Trees", CROSBY),
        &["growing", "steady_state"], &["table3", "table4", "figure5", "figure6"],
        tree::table::report),
    family(("stored", "Stored trees", "the same trees in memory, and jmt on redb"),
        &["stored"], &["stored"], stored::tables),
    family(("tuples", "Tuples", CROSBY), &["tuple_"], &["figure7", "figure8"],
        tuple::table::report),
    family(("accumulators", "Accumulators",
        "E. Tremel, Real-world performance of cryptographic accumulators, 2013"),
        &["accumulators"], &["accumulators"], accumulators::table::table),
    family(("files", "Outsourced files",
        "E. Esiner, A. Küpçü and Ö. Özkasap, Analysis and optimization on FlexDPDP, 2013"),
        &["flexlist_"], &["flexlist"], flexlist::table::report),
    family(("logs", "Append-only dictionaries",
        "A. Tomescu, V. Bhupatiraju, D. Papadopoulos, C. Papamanthou, N. Triandopoulos and S. \
         Devadas, Transparency logs via append-only authenticated dictionaries, 2019"),
        &["aad_"], &["aad"], aad::table::report),
    family(("directories", "Block directories",
        "P. Stanton, B. McKeown, R. Burns and G. Ateniese, FastAD: an authenticated directory for \
            billions of objects, 2010"),
        &["directory_"], &["directory"], directory::table::report),
    family(("peers", "Third-party dictionaries",
        "our dictionaries, in the same process"),
        &["peers"], &[], peers::table::report),
];
