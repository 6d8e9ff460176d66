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
    let counterpart = match counterpart.strip_prefix("= ") {
        Some(begin) => Counterpart::Shown(begin),
        None => Counterpart::None(counterpart),
    };
    Item {
        family,
        name,
        shows,
        counterpart,
    }
}
