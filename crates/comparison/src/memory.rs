//! Memory use and bytes written of this process, as the operating system reports them.

use std::fs;

/// Returns the resident memory of this process in bytes; 0 if the operating system does not report
/// it, as on systems other than Linux.
pub fn resident_bytes() -> u64 {
    status_bytes("VmRSS:")
}

/// Returns the peak memory of this process in bytes; 0 if the system does not report it.
pub fn peak_resident_bytes() -> u64 {
    status_bytes("VmHWM:")
}

/// Resets the peak that [`peak_resident_bytes`] returns. Has an effect only on Linux.
pub fn reset_peak() {
    _ = fs::write("/proc/self/clear_refs", "5");
}

/// Returns the bytes that this process has written so far, to files and elsewhere; 0 if the system
/// does not report them.
pub fn written_bytes() -> u64 {
    let counts = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let written = counts.lines().find_map(|line| line.strip_prefix("wchar: "));
    written.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

fn status_bytes(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    parse(&status, name).unwrap_or(0)
}

/// Finds the line of `status` that starts with `name`, such as `VmRSS: 1234 kB`, and returns its
/// number of bytes.
fn parse(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_written_is_counted() {
        let (mut nowhere, before) = (fs::File::create("/dev/null").unwrap(), written_bytes());
        nowhere.write_all(&[0; 5_000]).unwrap();
        assert!(written_bytes() >= before + 5_000);
    }

    #[test]
    fn reads_the_systems_lines() {
        let status = "Name:\tpad\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(parse(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(parse(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(parse("", "VmRSS:"), None);
    }
}
