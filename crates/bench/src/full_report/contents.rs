//! Every table and figure of the papers, with its counterpart on the report page or the reason why
//! there is none. The file `paper.toml` lists them.

use std::{collections::BTreeMap, sync::LazyLock};

use crate::paper::section;

/// A table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Name of the table or figure in the paper, for example `Table 3`.
    pub name: &'static str,
    /// Subject of the table or figure.
    pub shows: &'static str,
    /// The first table on the report page whose heading begins with this text, or the first figure
    /// whose name does. Otherwise the reason why there is no counterpart.
    pub counterpart: Result<&'static str, &'static str>,
}

/// Name, subject and counterpart of each item, by the id of the family of measurements that it
/// belongs to, see [`crate::families::Family::id`].
static CONTENTS: LazyLock<BTreeMap<String, Vec<[String; 3]>>> =
    LazyLock::new(|| section("contents"));

/// Lists the tables and figures of the paper of a family, in the paper's order.
pub fn contents(family: &str) -> impl Iterator<Item = Item> + use<> {
    let items = CONTENTS.get(family).into_iter().flatten();
    items.map(|[name, shows, counterpart]| Item {
        name,
        shows,
        counterpart: counterpart.strip_prefix("= ").ok_or(counterpart.as_str()),
    })
}
