//! How far long work is: on standard error, if that is a terminal, and never beside JSON.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Output;

/// A sign of life beside a message, for work of which nobody knows how long it takes. It vanishes when it is dropped.
pub(super) fn spinner(output: &Output, message: impl Into<String>) -> ProgressBar {
    if !output.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    let spinner = ProgressBar::new_spinner()
        .with_message(message.into())
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.enable_steady_tick(TICK);
    spinner
}

/// A bar over so many steps or bytes, which a template of `indicatif` shows.
pub(super) fn bar(output: &Output, total: u64, template: &str) -> ProgressBar {
    if !output.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    let bar = ProgressBar::new(total);
    // One step may take minutes.
    bar.enable_steady_tick(TICK);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

const TICK: Duration = Duration::from_millis(100);
