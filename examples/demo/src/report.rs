//! Parts (acts) of the demonstration, and their output on the terminal.

use core::fmt::Display;
use std::{
    error::Error,
    io::{self, Write as _},
};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;
/// A table as rows of cells. The first row is the header.
pub(crate) type Table = Vec<Vec<String>>;

pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).into()
}

/// A false answer that a client rejected: its name, a description, and the reason for the refusal.
pub(crate) type Lie = Vec<String>;

/// Checks that a client rejected an answer, and returns the rejected answer's [`Lie`].
pub(crate) fn lie<T>(name: &str, story: &str, answer: Result<T, impl Display>) -> Outcome<Lie> {
    let Err(reason) = answer else {
        return Err(format!("the lie '{name}' was believed").into());
    };
    Ok(row([name, story, &reason.to_string()]))
}

/// Makes a list of [`Lie`]s from names, descriptions and the clients' results.
macro_rules! lies {
    ($($name:literal: $story:literal, $answer:expr;)+) => {
        vec![$($crate::report::lie($name, $story, $answer)?),+]
    };
}
pub(crate) use lies;

/// A part of the demonstration: its title, text, tables, and rejected false answers.
pub(crate) struct Act(
    pub(crate) &'static str,
    pub(crate) String,
    pub(crate) Table,
    pub(crate) Vec<Lie>,
);

impl Act {
    pub(crate) fn print(&self, number: usize) -> Outcome {
        let Self(title, text, table, lies) = self;
        say(&format!("\n{number}. {title}. {text}"))?;
        let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
        for row in table {
            let cells = row.iter().enumerate();
            let cells = cells.map(|(column, cell)| {
                let width = width(column).unwrap_or(0);
                format!("   {cell:<width$}")
            });
            say(cells.collect::<String>().trim_end())?;
        }
        for lie in lies {
            say(&format!(
                "   {}: {}\n      rejected: {}",
                lie[0], lie[1], lie[2]
            ))?;
        }
        Ok(())
    }
}

pub(crate) fn say(text: &str) -> Outcome {
    Ok(writeln!(io::stdout(), "{text}")?)
}
