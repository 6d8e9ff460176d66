//! Every table and figure of the papers, with its counterpart on the report page or the reason why
//! there is none. The file `contents.txt` lists them.

/// A table or figure of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Id of the family of measurements that it belongs to, see [`crate::families::Family::id`].
    pub family: &'static str,
    /// Name of the table or figure in the paper, for example `Table 3`.
    pub name: &'static str,
    /// Subject of the table or figure.
    pub shows: &'static str,
    /// The first table on the report page whose heading begins with this text, or the first figure
    /// whose name does. Otherwise the reason why there is no counterpart.
    pub counterpart: Result<&'static str, &'static str>,
}

/// Lists the tables and figures of the paper of a family, in the paper's order.
pub fn contents(family: &str) -> impl Iterator<Item = Item> {
    let lines = include_str!("contents.txt").lines();
    let items = lines.filter(|line| !line.starts_with('#')).map(item);
    items.filter(move |item| item.family == family)
}

fn item(line: &'static str) -> Item {
    let parts: Vec<&str> = line.split(" | ").collect();
    let [family, name, shows, counterpart] = parts[..] else {
        unreachable!("contents.txt: every line has four parts");
    };
    Item {
        family,
        name,
        shows,
        counterpart: counterpart.strip_prefix("= ").ok_or(counterpart),
    }
}
