//! Processor time that other programs use: figures of a busy machine get a warning.

use std::{fs, time::Instant};

/// Counts of clock ticks: those in which any processor worked, and those of this process and its
/// ended children.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorUse {
    at: Instant,
    all: u64,
    own: u64,
}

impl ProcessorUse {
    /// Reads the counts; `None` if the system does not report them.
    pub fn now() -> Option<Self> {
        let all = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        Self::parse(Instant::now(), &all, &own)
    }

    /// Parses the counts at a time from the texts of `/proc/stat` and `/proc/self/stat`.
    pub fn parse(at: Instant, all: &str, own: &str) -> Option<Self> {
        Some(Self {
            at,
            all: busy(all)?,
            own: own_and_children(own)?,
        })
    }

    /// Returns the mean number of processors that other programs used since `before`. This process
    /// and its ended children do not count as other programs.
    pub fn of_others_since(&self, before: &Self) -> Option<f64> {
        let all = self.all.checked_sub(before.all)?;
        let own = self.own.checked_sub(before.own)?;
        let ticks = self.at.duration_since(before.at).as_secs_f64() * TICKS_PER_SECOND;
        // The system updates both counts separately, so `own` may exceed `all` by a few ticks.
        (ticks > 0.0).then(|| all.saturating_sub(own) as f64 / ticks)
    }
}

/// Clock ticks per second in files under `/proc`. Linux uses this unit there, whatever the rate of
/// the kernel's own clock.
const TICKS_PER_SECOND: f64 = 100.0;

/// Sums the ticks in `/proc/stat` in which a processor worked. Excludes idle ticks and waiting for
/// a disk; includes ticks stolen by other virtual machines.
fn busy(stat: &str) -> Option<u64> {
    let first = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = first
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal; guests are within user.
    let [user, nice, system, _, _, interrupts, soft, steal, ..] = ticks[..] else {
        return None;
    };
    Some(user + nice + system + interrupts + soft + steal)
}

/// Sums the user and system ticks in `/proc/self/stat`, of the process and of its children that
/// ended.
fn own_and_children(stat: &str) -> Option<u64> {
    // The name, in parentheses, may have spaces.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let times = fields.get(11..15)?.iter();
    times.map(|field| field.parse::<u64>().ok()).sum()
}
