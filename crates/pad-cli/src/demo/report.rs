//! What the demonstration shows, for the terminal and for the page.

use comfy_table::{ContentArrangement, Table as Printed, presets::UTF8_BORDERS_ONLY};

use super::{measure::Measured, scene::Attack};
use crate::cli::{Failure, Output};

/// All that the page says.
#[derive(Default)]
pub(super) struct Report {
    /// What was published.
    pub(super) contents: String,
    /// When and where.
    pub(super) circumstances: String,
    /// What should be known before a figure is quoted.
    pub(super) warning: Option<&'static str>,
    pub(super) measured: Vec<Measured>,
    pub(super) sections: Vec<Section>,
}

/// One part of the demonstration.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// What happened, in sentences.
    pub(super) text: String,
    pub(super) tables: Vec<Table>,
}

/// Cells under a header.
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            header: header.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// What was tried and why it was refused; fails if one lie was believed. `what` heads the first column.
    pub(super) fn of_lies(what: &str, attacks: &[Attack]) -> Result<Self, Failure> {
        let mut table = Self::new([what, "what was done", "refused because"]);
        for Attack {
            name,
            story,
            refused,
        } in attacks
        {
            let Some(reason) = refused else {
                return Err(Failure::Refused(format!("the lie '{name}' was believed")));
            };
            table
                .rows
                .push(vec![(*name).into(), story.clone(), reason.clone()]);
        }
        Ok(table)
    }

    /// For the terminal, with sentences broken into lines.
    pub(super) fn print(&self, output: &mut Output) -> Result<(), Failure> {
        let mut table = new_printed();
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(110);
        self.print_as(table, output)
    }

    /// For the terminal, each row on a line.
    pub(super) fn print_wide(&self, output: &mut Output) -> Result<(), Failure> {
        self.print_as(new_printed(), output)
    }

    fn print_as(&self, mut table: Printed, output: &mut Output) -> Result<(), Failure> {
        if self.header.iter().any(|cell| !cell.is_empty()) {
            table.set_header(&self.header);
        }
        for row in &self.rows {
            table.add_row(row);
        }
        output.text(&table.to_string())
    }
}

/// A table for the terminal.
pub(super) fn new_printed() -> Printed {
    let mut table = Printed::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}
