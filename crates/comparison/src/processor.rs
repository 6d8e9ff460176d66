//! Model name of this machine's processor, and the processor time of this process.

use std::{fs, time::Duration};

/// Returns the model name of this machine's processor; `None` if the operating system does not
/// report it.
pub fn processor() -> Option<String> {
    let information = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = information
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the processor time of all running threads of this process; `None` if the operating
/// system does not report it.
pub fn processor_time() -> Option<Duration> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let of_thread = |thread: fs::DirEntry| -> Option<u64> {
        let spent = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        spent.split(' ').next()?.parse().ok()
    };
    let nanoseconds = threads.flatten().filter_map(of_thread);
    Some(Duration::from_nanos(nanoseconds.sum()))
}
