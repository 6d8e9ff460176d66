//! Plots that are nothing but figures of lines over another figure of the same lines: declared, not programmed.

use serde_json::Value;

use super::{Lines, points};
use crate::line::{Line, Selection, groups, of};

/// A plot.
struct Declared {
    /// The name of its file.
    name: &'static str,
    title: &'static str,
    /// The lines that are drawn, and what else they must say.
    experiment: &'static str,
    only: Selection,
    /// The name of the horizontal axis, and its figure.
    horizontal: (&'static str, &'static str),
    vertical: &'static str,
    /// Lines that differ in these are series of their own, named by them.
    by: &'static [&'static str],
    /// What is drawn of each of them, with a name for it.
    figures: &'static [(&'static str, &'static str)],
}

/// All of them.
pub(super) fn plots(lines: &[Line]) -> impl Iterator<Item = (String, Lines)> {
    DECLARED
        .iter()
        .map(|declared| (declared.name.to_owned(), declared.plot(lines)))
}

impl Declared {
    fn plot(&self, lines: &[Line]) -> Lines {
        let mut drawn = of(lines, self.experiment);
        drawn.retain(|line| line.says(self.only));
        let mut series = Vec::new();
        for group in groups(&drawn, self.by) {
            let names: Vec<String> = self.by.iter().map(|key| shown(group[0].get(key))).collect();
            for (what, figure) in self.figures {
                let mut name = names.join(", ");
                if !what.is_empty() {
                    name = [what, name.as_str()].join(", ");
                }
                let points = points(&group, self.horizontal.1, (figure, 1.0));
                if points.len() > 1 {
                    series.push((name, points));
                }
            }
        }
        Lines {
            title: self.title.to_owned(),
            horizontal: self.horizontal.0,
            vertical: self.vertical,
            series,
        }
    }
}

/// A text or a number.
fn shown(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "none".to_owned(),
        Some(value) => value.to_string(),
    }
}

/// One or two schemes of each kind, of all that are compared.
const COMPARED: Selection = &[
    ("changes", "1"),
    (
        "scheme",
        "red-black-path-copying|treap-path-copying|tuple-base-superseding|tuple-base-lightweight|tuple-spec-lightweight|\
         tuple-accumulators-rsa|tuple-accumulators-bilinear|aad-counted|directory|sign-each-entry",
    ),
];

/// A figure of every scheme by the number of keys.
const fn compared(
    name: &'static str,
    title: &'static str,
    vertical: &'static str,
    figures: &'static [(&'static str, &'static str)],
) -> Declared {
    Declared {
        name,
        title,
        experiment: "compare",
        only: COMPARED,
        horizontal: ("keys", "keys"),
        vertical,
        by: &["scheme"],
        figures,
    }
}

const DECLARED: [Declared; 13] = [
    compared(
        "compare-author",
        "Author: a snapshot of one change",
        "microseconds",
        &[("", "author_us")],
    ),
    compared(
        "compare-update",
        "An update of one change, as sent",
        "bytes",
        &[("", "update_bytes")],
    ),
    compared(
        "compare-proof",
        "A proof of a present key, as sent",
        "bytes",
        &[("", "proof_bytes")],
    ),
    compared(
        "compare-verify",
        "Client: verifying it",
        "microseconds",
        &[("", "verify_us")],
    ),
    Declared {
        name: "accumulators-witnesses",
        title: "Accumulators: making all witnesses, one thread",
        experiment: "accumulators",
        only: &[("threads", "1"), ("operation", "witnesses_public")],
        horizontal: ("elements", "n"),
        vertical: "microseconds for each element",
        by: &["accumulator"],
        figures: &[("", "per_element_us")],
    },
    Declared {
        name: "accumulators-value",
        title: "Accumulators: the value of a set without the secret key, one thread",
        experiment: "accumulators",
        only: &[("threads", "1"), ("operation", "accumulate_public")],
        horizontal: ("elements", "n"),
        vertical: "microseconds for each element",
        by: &["accumulator"],
        figures: &[("", "per_element_us")],
    },
    Declared {
        name: "accumulators-threads",
        title: "Accumulators: making all witnesses, by threads",
        experiment: "accumulators",
        only: &[("operation", "witnesses_public")],
        horizontal: ("threads", "threads"),
        vertical: "microseconds for each element",
        by: &["accumulator", "n"],
        figures: &[("", "per_element_us")],
    },
    Declared {
        name: "flexlist-build",
        title: "Figure 6: building a list",
        experiment: "flexlist_build",
        only: &[("tags", "none")],
        horizontal: ("blocks", "blocks"),
        vertical: "milliseconds",
        by: &["threads"],
        figures: &[("threads", "total_ms")],
    },
    Declared {
        name: "flexlist-hash-share",
        title: "Figure 8: an update with and without its hashes",
        experiment: "flexlist_hash_share",
        only: &[],
        horizontal: ("blocks", "blocks"),
        vertical: "microseconds",
        by: &["operation"],
        figures: &[
            ("with hashes", "update_us"),
            ("without", "without_hashes_us"),
        ],
    },
    Declared {
        name: "flexlist-server",
        title: "Figure 9: many updates, server",
        experiment: "flexlist_multi",
        only: &[],
        horizontal: ("updates", "updates"),
        vertical: "microseconds",
        by: &["order"],
        figures: &[
            ("at once", "server.batch_us"),
            ("one by one", "server.singles_us"),
        ],
    },
    Declared {
        name: "flexlist-client",
        title: "Figure 10: many updates, client",
        experiment: "flexlist_multi",
        only: &[],
        horizontal: ("updates", "updates"),
        vertical: "microseconds",
        by: &["order"],
        figures: &[
            ("at once", "client.batch_us"),
            ("one by one", "client.singles_us"),
        ],
    },
    Declared {
        name: "flexlist-witness",
        title: "Table 2: the witness of many updates",
        experiment: "flexlist_multi",
        only: &[],
        horizontal: ("updates", "updates"),
        vertical: "bytes",
        by: &["order"],
        figures: &[
            ("at once", "witness_bytes"),
            ("one by one", "singles_witness_bytes"),
        ],
    },
    Declared {
        name: "flexlist-network",
        title: "Figures 11 and 12: many clients at once",
        experiment: "flexlist_network",
        only: &[],
        horizontal: ("clients", "clients"),
        vertical: "requests per second",
        by: &["request", "uplink_megabits"],
        figures: &[("", "per_second")],
    },
];
