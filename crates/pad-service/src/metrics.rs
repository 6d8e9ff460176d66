//! Counters of requests and responses, for Prometheus.

use core::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};
use std::{collections::BTreeMap, sync::Arc};

use pad_client::Resource;

use crate::{head_log::HeadLog, request::ROUTES, witness::label};

/// Counters of requests, responses and updates since the server started.
#[derive(Debug)]
pub struct Metrics {
    /// Counters of responses, by kind of request and status class.
    requests: BTreeMap<&'static str, Counters>,
    /// Counters of responses to requests of unknown kind.
    unknown: Counters,
    bytes: AtomicU64,
    taken: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug, Default)]
struct Counters {
    /// Number of responses with status 2xx, 3xx, 4xx and 5xx.
    classes: [AtomicU64; 4],
}

/// Values of the label `status`.
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

impl Default for Metrics {
    fn default() -> Self {
        let resources = Resource::TEMPLATES.iter().map(|(name, _)| *name);
        let names = resources.chain(ROUTES.iter().map(|(name, ..)| *name));
        Self {
            requests: names.map(|name| (name, Counters::default())).collect(),
            unknown: Counters::default(),
            bytes: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl Metrics {
    /// Counts a response of `bytes` bytes to a request of kind `name`. Unknown names and `None`
    /// count as unknown.
    pub fn count(&self, name: Option<&str>, status: u16, bytes: usize) {
        let counters = name
            .and_then(|name| self.requests.get(name))
            .unwrap_or(&self.unknown);
        let class = match status {
            ..300 => 0,
            300..400 => 1,
            400..500 => 2,
            500.. => 3,
        };
        if let Some(counter) = counters.classes.get(class) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes
            .fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Counts an update as applied or refused.
    pub fn count_update(&self, is_taken: bool) {
        let counter = if is_taken { &self.taken } else { &self.refused };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Renders all metrics in the Prometheus text format.
    ///
    /// `dictionaries` contains, for each dictionary, its name, the oldest version, the latest
    /// version, and the bytes of its files.
    pub fn text<'d>(
        &self,
        dictionaries: impl Iterator<Item = (&'d str, [Option<u64>; 3])>,
    ) -> String {
        let mut text = String::from(
            "# HELP pad_requests_total Requests answered, by what they asked for and the class of \
                the status.\n\
             # TYPE pad_requests_total counter\n",
        );
        let all = self
            .requests
            .iter()
            .map(|(name, counters)| (*name, counters));
        for (name, counters) in all.chain([("unknown", &self.unknown)]) {
            for (class, counter) in CLASSES.iter().zip(&counters.classes) {
                let count = counter.load(Ordering::Relaxed);
                if count > 0 {
                    line(
                        &mut text,
                        format_args!(
                            "pad_requests_total{{resource=\"{name}\",status=\"{class}\"}} {count}"
                        ),
                    );
                }
            }
        }
        for (name, help, counter) in [
            (
                "pad_answer_bytes_total",
                "Bytes of the bodies of answers.",
                &self.bytes,
            ),
            (
                "pad_updates_taken_total",
                "Updates that clients or upstreams brought, and that are durable.",
                &self.taken,
            ),
            (
                "pad_updates_refused_total",
                "Updates that did not verify, or did not fit.",
                &self.refused,
            ),
        ] {
            let count = counter.load(Ordering::Relaxed);
            line(
                &mut text,
                format_args!("# HELP {name} {help}\n# TYPE {name} counter\n{name} {count}"),
            );
        }
        let dictionaries: Vec<_> = dictionaries.collect();
        for (place, name, help) in [
            (
                0,
                "pad_oldest_version",
                "The oldest version that can be asked about.",
            ),
            (1, "pad_latest_version", "The latest version."),
            (
                2,
                "pad_store_bytes",
                "Bytes of the store's files; nothing of stores in objects, which would have to be \
                    listed.",
            ),
        ] {
            line(
                &mut text,
                format_args!("# HELP {name} {help}\n# TYPE {name} gauge"),
            );
            for (dictionary, values) in &dictionaries {
                if let Some(value) = values.get(place).copied().flatten() {
                    line(
                        &mut text,
                        format_args!("{name}{{dictionary=\"{dictionary}\"}} {value}"),
                    );
                }
            }
        }
        text
    }
}

/// Renders the sizes of head logs, and counters of their witnesses, in the Prometheus text format.
///
/// Each log has the name of its dictionary as a label. Without logs, the text is empty.
pub(crate) fn log_metrics<'l>(logs: impl Iterator<Item = (&'l str, &'l Arc<HeadLog>)>) -> String {
    let mut groups = LOG_METRICS.map(|(name, kind, help)| {
        (
            name,
            format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"),
        )
    });
    let mut are_there = false;
    for (dictionary, log) in logs {
        are_there = true;
        let of_log = format!("dictionary=\"{dictionary}\"");
        let mut values = vec![(5, of_log.clone(), u64::from(log.has_failed()))];
        // Unknown sizes are left out, because 0 is a valid size.
        if let Ok([signed, published]) = log.sizes() {
            values.push((0, of_log.clone(), signed));
            values.push((1, of_log.clone(), published));
        }
        for (number, witness) in log.witnesses().iter().enumerate() {
            let Some(counters) = log.witness_metrics(number) else {
                continue;
            };
            let of_witness = format!("{of_log},witness=\"{}\"", label(&witness.name));
            let counters = [&counters.cosigned, &counters.failed, &counters.time];
            for (place, counter) in (2..).zip(counters) {
                values.push((place, of_witness.clone(), counter.load(Ordering::Relaxed)));
            }
        }
        for (place, labels, value) in values {
            if let Some((name, text)) = groups.get_mut(place) {
                line(text, format_args!("{name}{{{labels}}} {value}"));
            }
        }
    }
    if !are_there {
        return String::new();
    }
    groups.into_iter().map(|(_, text)| text).collect()
}

/// Name, type and help text of each metric.
const LOG_METRICS: [(&str, &str, &str); 6] = [
    (
        "pad_log_signed_size",
        "gauge",
        "Entries of the log of heads that are signed.",
    ),
    (
        "pad_log_published_size",
        "gauge",
        "Entries of the published checkpoint, which enough witnesses have cosigned.",
    ),
    (
        "pad_cosignatures_total",
        "counter",
        "Cosignatures that a witness has given.",
    ),
    (
        "pad_cosignatures_failed_total",
        "counter",
        "Requests to a witness that brought no cosignature which verifies.",
    ),
    (
        "pad_cosignature_time_seconds",
        "gauge",
        "When a witness has cosigned last, by its own clock, in seconds since 1970.",
    ),
    (
        "pad_log_failed",
        "gauge",
        "Whether the log of heads cannot be kept up with its dictionary: the log of the process \
            says why.",
    ),
];

fn line(text: &mut String, line: core::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _: core::fmt::Result = writeln!(text, "{line}");
}
