//! What the operating system says about this process's memory.

use std::fs;

/// The bytes of memory that this process holds now; 0 where the system does not say (not Linux).
pub fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

/// The most bytes of memory that this process has held so far; 0 where the system does not say.
pub fn peak_resident_bytes() -> u64 {
    status_bytes("VmHWM:")
}

/// Counts the most bytes of memory from now on, where the system can (Linux); elsewhere does nothing.
pub fn reset_peak() {
    _ = fs::write("/proc/self/clear_refs", "5");
}

fn status_bytes(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    parse(&status, name).unwrap_or(0)
}

/// A line such as `VmRSS:      1234 kB`.
fn parse(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_systems_lines() {
        let status = "Name:\tpad\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(parse(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(parse("", "VmRSS:"), None);
    }
}
