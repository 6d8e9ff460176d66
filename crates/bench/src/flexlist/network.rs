//! Audits and updates by many clients at the same time, over the loopback interface: figures 11 to
//! 13.
//!
//! Every client is a thread that sends its next request as soon as it has verified the response.
//! All clients audit one large file. For updates each client has a smaller file of its own. The
//! paper's server had 48 Mbit/s towards its clients. So audits are measured a second time through
//! an [`uplink`] that limits responses to this bandwidth.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use flexlist::ByteEdit;
use flexlist_service::client::{ApplyOutcome, Extent};

pub mod party;
pub mod uplink;

use super::blocks::{BLOCK_BYTES, Order, content};
use crate::{line, prelude::*};
use party::{Client, Party};
use uplink::Uplink;

/// Bandwidth of the paper's server, in bits per second (section 4.4).
const UPLINK: f64 = 48e6;

/// Measured numbers of blocks that an update changes: about 20 KB, and about 200 KB.
const UPDATES: [u64; 2] = [10, 100];

/// Measured numbers of clients; a quick run measures the first two.
const CLIENTS: [usize; 6] = [1, 2, 5, 10, 20, 50];

/// Measures audits and updates by each number of clients.
///
/// All clients audit a file of `file_blocks` blocks, with `challenges` challenged bytes in an
/// audit. Files for updates have a tenth as many blocks, and at least 200.
pub fn run(file_blocks: u64, challenges: u32, report: &mut Report) -> Outcome<()> {
    let numbers = &CLIENTS[..report.rounds(CLIENTS.len(), 2)];
    let folder = tempfile::tempdir()?;
    let party = Party::start(folder.path())?;
    report.announce(format!("uploading {file_blocks} blocks"));
    party.upload("large", file_blocks)?;
    let most = numbers.last().copied().unwrap_or(0);
    let own_blocks = (file_blocks / 10).max(UPDATES[1] * 2);
    for client in 0..most {
        report.announce(format!("uploading file {client} of {most}"));
        party.upload(&format!("own{client}"), own_blocks)?;
    }
    let mut copies = 0;
    for uplink in [None, Some(UPLINK)] {
        for &clients in numbers {
            report.announce(format!("audits by {clients} clients"));
            let limit = uplink.map(|bits| Arc::new(Uplink::new(bits)));
            let mut auditors = Vec::new();
            for _ in 0..clients {
                auditors.push(party.reader("large", copies, limit.clone())?);
                copies += 1;
            }
            let extent = Extent::Sample(challenges);
            let audit = |client: &mut Client| -> Outcome<()> {
                let report = client.audit(extent, &mut |_| ())?;
                let is_asked = report.bytes == u64::from(challenges);
                ensure(is_asked, "an audit asked for another number of bytes")
            };
            let times = all_at_once(&mut auditors, report, audit)?;
            let counted = Arc::new(Uplink::new(f64::INFINITY));
            let mut probe = party.reader("large", copies, Some(Arc::clone(&counted)))?;
            copies += 1;
            audit(&mut probe)?;
            let answer_bytes = counted.answer_bytes();
            report.measured(times.line("audit", file_blocks, uplink, answer_bytes))?;
        }
    }
    let updates = AtomicU64::new(0);
    for &clients in numbers {
        for blocks in UPDATES {
            for order in [Order::Consecutive, Order::Random] {
                let what = format!("update of {blocks} {} blocks", order.name());
                report.announce(format!("{what} by {clients} clients"));
                let mut writers = Vec::new();
                for client in 0..clients {
                    writers.push(party.client(&format!("own{client}"), None)?);
                }
                let update = |client: &mut Client| {
                    // Never the same bytes twice: an update that changes nothing is not sent.
                    let seed = updates.fetch_add(1, Ordering::Relaxed);
                    let edits = edits(order, own_blocks, blocks, seed);
                    match client.apply(&edits)? {
                        ApplyOutcome::Version(_) => Ok(()),
                        ApplyOutcome::Unchanged(_) => Err("an update that changes nothing".into()),
                    }
                };
                let times = all_at_once(&mut writers, report, update)?;
                report.measured(times.line(&what, own_blocks, None, 0))?;
            }
        }
    }
    party.stop()
}

/// Makes edits that overwrite `blocks` blocks of a file of `file_blocks` blocks. The blocks are
/// consecutive or random.
fn edits(order: Order, file_blocks: u64, blocks: u64, seed: u64) -> Vec<ByteEdit> {
    let mut random = Random::new(seed);
    let mut write = |offset: u64, blocks: u64| ByteEdit::Write {
        offset: offset * BLOCK_BYTES,
        bytes: content(&mut random, (blocks * BLOCK_BYTES) as usize),
    };
    let mut places = Random::new(!seed);
    match order {
        Order::Consecutive => vec![write(places.below(file_blocks - blocks), blocks)],
        Order::Random => (0..blocks)
            .map(|_| write(places.below(file_blocks), 1))
            .collect(),
    }
}

/// Latency of each request in microseconds, and the time of the whole measurement.
struct Times {
    clients: usize,
    elapsed: Duration,
    latencies_us: Vec<f64>,
}

/// Runs `work` again and again for each client, on one thread per client, for the duration of a
/// measurement.
fn all_at_once(
    clients: &mut [Client],
    report: &Report,
    work: impl Fn(&mut Client) -> Outcome<()> + Sync,
) -> Outcome<Times> {
    let duration = Duration::from_millis(report.rounds(5_000, 50) as u64);
    // Connects before the measured time begins.
    for client in &mut *clients {
        work(client)?;
    }
    let start = Instant::now();
    let one = &|client: &mut Client| -> Result<Vec<f64>, String> {
        let mut latencies = Vec::new();
        while start.elapsed() < duration {
            let begun = Instant::now();
            work(client).map_err(|error| error.to_string())?;
            latencies.push(microseconds(begun.elapsed()));
        }
        Ok(latencies)
    };
    let number = clients.len();
    let all: Result<Vec<Vec<f64>>, String> = thread::scope(|scope| {
        let start = |client| scope.spawn(move || one(client));
        let started: Vec<_> = clients.iter_mut().map(start).collect();
        let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
        let failed = |_| Err("a client panicked".to_owned());
        joined.map(|it| it.unwrap_or_else(failed)).collect()
    });
    let mut latencies_us = all?.concat();
    latencies_us.sort_unstable_by(f64::total_cmp);
    Ok(Times {
        clients: number,
        elapsed: start.elapsed(),
        latencies_us,
    })
}

impl Times {
    fn line(&self, request: &str, blocks: u64, uplink: Option<f64>, answer_bytes: u64) -> Line {
        let per_second = self.latencies_us.len() as f64 / self.elapsed.as_secs_f64();
        let limit = uplink
            .filter(|_| answer_bytes > 0)
            .map(|bits| bits / 8.0 / answer_bytes as f64);
        line! {
            experiment: "flexlist_network", request, blocks, block_bytes: BLOCK_BYTES,
            clients: self.clients, uplink_megabits: uplink.map(|bits| bits / 1e6),
            answers: self.latencies_us.len(), per_second,
            answer_bytes: (answer_bytes > 0).then_some(answer_bytes), limit_per_second: limit,
            ratio: limit.map(|limit| limit / per_second),
            p50_us: percentile(&self.latencies_us, 50), p90_us: percentile(&self.latencies_us, 90),
            p99_us: percentile(&self.latencies_us, 99),
        }
    }
}
