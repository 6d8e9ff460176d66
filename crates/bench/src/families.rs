//! The reports that lines can come from: where their tables and figures stand, and what they are beside.

use crate::{
    aad, accumulators, compare, directory, flexlist, line::Line, peers, tables::Tables, tree, tuple,
};

/// The tables of one kind of line.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name in links.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is beside.
    pub source: &'static str,
    /// How the `experiment` of its lines begins.
    pub begins: &'static [&'static str],
    /// How the names of its figures begin.
    pub figures: &'static [&'static str],
    /// Its tables.
    pub report: fn(&[Line]) -> Tables,
}

impl Family {
    /// Those of the lines that are its own.
    pub fn lines(&self, lines: &[Line]) -> Vec<Line> {
        let is_own = |line: &&Line| begins_with(line.text("experiment"), self.begins);
        lines.iter().filter(is_own).cloned().collect()
    }

    /// Whether a figure of this name is its own.
    pub fn draws(&self, figure: &str) -> bool {
        begins_with(figure, self.figures)
    }
}

fn begins_with(text: &str, begins: &[&str]) -> bool {
    begins.iter().any(|begin| text.starts_with(begin))
}

const CROSBY: &str = "S. A. Crosby and D. S. Wallach, Authenticated dictionaries: real-world costs and tradeoffs, 2010";

/// All of them, in the order of the page.
pub const FAMILIES: [Family; 8] = [
    Family {
        id: "everything",
        title: "Every scheme on the same work",
        source: "signing each entry, which every scheme has to be better than",
        begins: &["compare"],
        figures: &["compare"],
        report: compare::tables,
    },
    Family {
        id: "trees",
        title: "Trees",
        source: CROSBY,
        begins: &["growing", "steady_state"],
        figures: &["table3", "table4", "figure5", "figure6"],
        report: tree::table::report,
    },
    Family {
        id: "tuples",
        title: "Tuples",
        source: CROSBY,
        begins: &["tuple_"],
        figures: &["figure7", "figure8"],
        report: tuple::table::report,
    },
    Family {
        id: "accumulators",
        title: "Accumulators",
        source: "E. Tremel, Real-world performance of cryptographic accumulators, 2013",
        begins: &["accumulators"],
        figures: &["accumulators"],
        report: accumulators::table::table,
    },
    Family {
        id: "files",
        title: "Outsourced files",
        source: "E. Esiner, A. Küpçü and Ö. Özkasap, Analysis and optimization on FlexDPDP, 2013",
        begins: &["flexlist_"],
        figures: &["flexlist"],
        report: flexlist::table::report,
    },
    Family {
        id: "logs",
        title: "Append-only dictionaries",
        source: "A. Tomescu, V. Bhupatiraju, D. Papadopoulos, C. Papamanthou, N. Triandopoulos and S. Devadas, \
                 Transparency logs via append-only authenticated dictionaries, 2019",
        begins: &["aad_"],
        figures: &["aad"],
        report: aad::table::report,
    },
    Family {
        id: "directories",
        title: "Block directories",
        source: "P. Stanton, B. McKeown, R. Burns and G. Ateniese, FastAD: an authenticated directory for billions of objects, 2010",
        begins: &["directory_"],
        figures: &["directory"],
        report: directory::table::report,
    },
    Family {
        id: "peers",
        title: "Other people's dictionaries",
        source: "the crates that the rows name, run beside ours in one process",
        begins: &["peers"],
        figures: &[],
        report: peers::table::report,
    },
];
