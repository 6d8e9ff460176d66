//! Every table and figure of the papers, with its counterpart on the report page or the reason why
//! there is none.

/// A table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Id of the family of measurements that it belongs to, see [`crate::families::Family::id`].
    pub family: &'static str,
    /// Name of the table or figure in the paper, for example `Table 3`.
    pub name: &'static str,
    /// Subject of the table or figure.
    pub shows: &'static str,
    /// Counterpart of the table or figure on the report page.
    pub counterpart: Counterpart,
}

/// Counterpart of a paper's table or figure on the report page.
#[derive(Clone, Copy, Debug)]
pub enum Counterpart {
    /// First table whose heading begins with this text, or first figure whose name does.
    Shown(&'static str),
    /// No counterpart, for this reason.
    None(&'static str),
}

use Counterpart::{None, Shown};

const fn item(
    family: &'static str,
    name: &'static str,
    shows: &'static str,
    counterpart: Counterpart,
) -> Item {
    Item {
        family,
        name,
        shows,
        counterpart,
    }
}

const SYMBOLS: &str = "It defines symbols and contains no measurements.";
const DRAWING: &str = "It explains the structure and contains no measurements.";

/// All tables and figures of the papers, in the papers' order.
#[rustfmt::skip]
pub const CONTENTS: [Item; 45] = [
    item("trees", "Figures 1 to 4", "skip lists and versioned nodes", None(DRAWING)),
    item("trees", "Table 1", "caching strategies, asymptotically",
        None("It has no measured figures; table 4 measures the strategies.")),
    item("trees", "Table 2", "prices of 2010",
        None("The price list of `pad advise` contains these prices, and prices of 2026.")),
    item("trees", "Table 3", "kinds of trees", Shown("Table 3")),
    item("trees", "Table 4", "kinds of repositories", Shown("Table 4")),
    item("trees", "Table 5", "bytes sent for each second of computing", Shown("Table 5")),
    item("trees", "Figure 5", "proofs in a steady state", Shown("figure5")),
    item("trees", "Figure 6", "cost of a look-up", Shown("figure6")),
    item("tuples", "Table 6", "abbreviations", None(SYMBOLS)),
    item("tuples", "Table 7", "authors and sizes", Shown("Table 7")),
    item("tuples", "Table 8", "servers and clients", Shown("Table 8")),
    item("tuples", "Table 9", "bytes sent for each second of computing", Shown("Table 9")),
    item("tuples", "Table 10",
        "bytes sent for each second of computing, recorded trace", Shown("Tables 10 and 11")),
    item("tuples", "Table 11", "a recorded trace", Shown("Tables 10 and 11")),
    item("tuples", "Figure 7", "cost of a look-up, growing", Shown("figure7")),
    item("tuples", "Figure 8", "cost of a look-up, recorded trace", Shown("figure8")),
    item("accumulators", "Figures of section 5",
        "time for each element: accumulating, witnesses, verifying, by threads",
        Shown("accumulators")),
    item("files", "Figures 1 and 2", "the list", None(DRAWING)),
    item("files", "Figure 3", "building in parallel", None(DRAWING)),
    item("files", "Table 1", "symbols", None(SYMBOLS)),
    item("files", "Figures 4 and 5", "a proof of many blocks", None(DRAWING)),
    item("files", "Figure 6", "building a list", Shown("Figures 6 and 7")),
    item("files", "Figure 7", "the gain from more cores", Shown("Figures 6 and 7")),
    item("files", "Figure 8", "an update with and without its hashes", Shown("Figure 8")),
    item("files", "Figure 9", "a batch of updates: server", Shown("Figure 9")),
    item("files", "Figure 10", "a batch of updates: client", Shown("Figure 10")),
    item("files", "Figure 11", "many clients challenge", Shown("Figures 11 to 13")),
    item("files", "Figure 12", "many clients update", Shown("Figures 11 to 13")),
    item("files", "Figure 13", "time of an update for the client", Shown("Figures 11 to 13")),
    item("files", "Table 2", "a batch and its witness", Shown("Table 2")),
    item("logs", "Figure 4", "the forest", None(DRAWING)),
    item("logs", "Figure 5a", "bytes of a look-up", Shown("aad-bytes")),
    item("logs", "Figure 5b", "time to verify a look-up", Shown("aad-verify")),
    item("logs", "Figure 5c", "time to append", Shown("aad-append")),
    item("logs", "Section 6.2", "bytes of a visit, compared with other logs", Shown("aad-visit")),
    item("logs", "Section 6.1", "append-only proofs", Shown("Append-only proofs")),
    item("logs", "Section 6.1", "memory", Shown("Memory")),
    item("logs", "Section 6.1", "the longest append", Shown("Appending one by one")),
    item("directories", "Figures 1 and 2", "a block's digest, and a binary tree", None(DRAWING)),
    item("directories", "Figure 3", "insertions, time for cryptography",
        Shown("directory-figure3-crypto")),
    item("directories", "Figure 3", "insertions, total time", Shown("directory-figure3-total")),
    item("directories", "Figure 4", "sums and products, time for cryptography",
        Shown("directory-figure4-crypto")),
    item("directories", "Figure 4", "sums and products, total time",
        Shown("directory-figure4-total")),
    item("directories", "Figure 5", "path hints", Shown("directory-figure5")),
    item("directories", "Section 4", "proofs of one entry", Shown("Proofs of one entry")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn every_item_stands_in_a_part() {
        for item in CONTENTS {
            let is_part = FAMILIES.iter().any(|family| family.id == item.family);
            assert!(is_part, "{} {}", item.family, item.name);
        }
    }
}
