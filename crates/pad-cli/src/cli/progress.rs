//! Display of progress on standard error, if it is a terminal and output is not JSON.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Output;

/// Shows a spinner with a message, for work of unknown duration. It disappears when it is dropped.
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

/// Shows a progress bar of `total` steps or bytes, formatted by an `indicatif` template.
pub(super) fn bar(output: &Output, total: u64, template: &str) -> ProgressBar {
    if !output.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    let bar = ProgressBar::new(total);
    // The bar is redrawn regularly, because a single step may take minutes.
    bar.enable_steady_tick(TICK);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

const TICK: Duration = Duration::from_millis(100);
