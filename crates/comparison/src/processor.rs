//! Model name of this machine's processor.

use std::fs;

/// Returns the model name of this machine's processor; `None` if the operating system does not
/// report it.
pub fn processor() -> Option<String> {
    let information = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = information
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
