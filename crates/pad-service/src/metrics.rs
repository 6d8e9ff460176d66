//! Counters of requests and responses, and the state of upstream servers, for Prometheus.

use core::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::SystemTime,
};

use pad_client::internals::Resource;
use pad_web::server::{Answer, ConnectionCounters, StatusCode};

use crate::{
    event_limit::EventLimit,
    head_log::HeadLog,
    refusal::Refusal,
    request::{ROUTES, WITNESS_ROUTES},
};

/// Counters of requests, responses and updates since the server started, and the state of the
/// servers that a mirror or a router asks.
#[derive(Debug)]
pub struct Metrics {
    /// Counters of responses, by kind of request and status class.
    requests: BTreeMap<&'static str, Counters>,
    /// Counters of responses to requests of unknown kind.
    unknown: Counters,
    bytes: AtomicU64,
    taken: AtomicU64,
    refused: AtomicU64,
    /// Upstream servers by address. A server that was not asked yet is absent.
    upstreams: Mutex<BTreeMap<String, Upstream>>,
    /// Limits the log of requests that the web server refuses itself.
    refusals: EventLimit,
    /// Counters of the web server's connections, once it has started.
    connections: OnceLock<Arc<ConnectionCounters>>,
}

/// The state of an upstream server.
#[derive(Clone, Copy, Debug, Default)]
struct Upstream {
    is_up: bool,
    /// Whether the server lacks versions that a mirror needs.
    is_pruned: bool,
    /// The time of the latest success, in seconds since 1970.
    succeeded: Option<u64>,
}

/// The value of a gauge of an upstream server, if it is known.
type GaugeOf = fn(&Upstream) -> Option<u64>;

#[derive(Debug, Default)]
struct Counters {
    /// Number of responses with status 2xx, 3xx, 4xx and 5xx.
    classes: [AtomicU64; 4],
    /// Number of responses by time in the handler: at most [`TIMES`]`[i]` and more than the bound
    /// before. The last counter is for longer times.
    times: [AtomicU64; TIMES.len() + 1],
    /// Total time in the handler, in microseconds.
    time: AtomicU64,
}

impl Counters {
    /// Counts a response with this status.
    fn count_status(&self, status: StatusCode) {
        let class = match status.as_u16() {
            ..300 => 0,
            300..400 => 1,
            400..500 => 2,
            500.. => 3,
        };
        if let Some(counter) = self.classes.get(class) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes the cumulative buckets, the sum and the count of the histogram of times.
    fn write_times(&self, name: &str, text: &mut String) {
        let bounds = TIMES.iter().map(|(bound, _)| *bound).chain(["+Inf"]);
        let mut count = 0_u64;
        for (bound, bucket) in bounds.zip(&self.times) {
            count = count.saturating_add(bucket.load(Ordering::Relaxed));
            line(
                text,
                format_args!(
                    "pad_request_duration_seconds_bucket{{resource=\"{name}\",le=\"{bound}\"}} {count}"
                ),
            );
        }
        let time = Duration::from_micros(self.time.load(Ordering::Relaxed)).as_secs_f64();
        for (suffix, value) in [("sum", time.to_string()), ("count", count.to_string())] {
            line(
                text,
                format_args!(
                    "pad_request_duration_seconds_{suffix}{{resource=\"{name}\"}} {value}"
                ),
            );
        }
    }
}

/// Upper bounds of the buckets for times: the label `le` in seconds, and the bound.
const TIMES: [(&str, Duration); 6] = [
    ("0.0001", Duration::from_micros(100)),
    ("0.001", Duration::from_millis(1)),
    ("0.01", Duration::from_millis(10)),
    ("0.1", Duration::from_millis(100)),
    ("1", Duration::from_secs(1)),
    ("10", Duration::from_secs(10)),
];

/// Values of the label `status`.
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

impl Default for Metrics {
    fn default() -> Self {
        let resources = Resource::TEMPLATES.iter().map(|(name, _)| *name);
        let routes = ROUTES.iter().chain(&WITNESS_ROUTES);
        let names = resources.chain(routes.map(|(name, ..)| *name));
        Self {
            requests: names.map(|name| (name, Counters::default())).collect(),
            unknown: Counters::default(),
            bytes: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            upstreams: Mutex::default(),
            refusals: EventLimit::default(),
            connections: OnceLock::new(),
        }
    }
}

impl Metrics {
    /// Counts a response to a request of kind `name`, which the handler built in `elapsed`. Unknown
    /// names and `None` count as unknown.
    ///
    /// Also writes the request to the access log: events of level debug with the target `access`.
    #[doc(hidden)]
    pub fn count(
        &self,
        name: Option<&str>,
        client: Option<IpAddr>,
        answer: &Answer,
        elapsed: Duration,
    ) {
        let counters = self.counters_of(name);
        counters.count_status(answer.status);
        let mut bounds = TIMES.iter();
        let bucket = bounds.position(|(_, bound)| elapsed <= *bound);
        let bucket = counters.times.get(bucket.unwrap_or(TIMES.len()));
        if let Some(bucket) = bucket {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        counters.time.fetch_add(micros, Ordering::Relaxed);
        let bytes = answer.body.len();
        self.bytes
            .fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        tracing::debug!(
            target: "access",
            client = client.map(tracing::field::display),
            resource = name.unwrap_or("unknown"),
            status = answer.status.as_u16(),
            bytes,
            micros,
        );
    }

    /// Returns the response to a request of kind `name`, which the handler answered in `elapsed`.
    /// Counts it like [`Metrics::count`].
    pub(crate) fn counted(
        &self,
        name: Option<&str>,
        client: Option<IpAddr>,
        answered: Result<Answer, Refusal>,
        elapsed: Duration,
    ) -> Answer {
        let answer = answered.unwrap_or_else(|refusal| {
            tracing::debug!(resource = name, code = refusal.code(), "refused");
            refusal.answer()
        });
        self.count(name, client, &answer, elapsed);
        answer
    }

    /// Counts a request of kind `name` that the web server refused itself.
    ///
    /// Also writes it to the access log, but only a few such requests per second. The field
    /// `skipped` is the number of earlier ones that were not written.
    pub(crate) fn count_refused(
        &self,
        name: Option<&str>,
        client: Option<IpAddr>,
        status: StatusCode,
    ) {
        self.counters_of(name).count_status(status);
        if !tracing::enabled!(target: "access", tracing::Level::DEBUG) {
            return;
        }
        if let Some(skipped) = self.refusals.take() {
            tracing::debug!(
                target: "access",
                client = client.map(tracing::field::display),
                resource = name.unwrap_or("unknown"),
                status = status.as_u16(),
                skipped,
                "refused by the web server",
            );
        }
    }

    /// Includes these counters in the metrics. Later calls have no effect.
    pub(crate) fn observe(&self, connections: &Arc<ConnectionCounters>) {
        drop(self.connections.set(Arc::clone(connections)));
    }

    fn counters_of(&self, name: Option<&str>) -> &Counters {
        let counters = name.and_then(|name| self.requests.get(name));
        counters.unwrap_or(&self.unknown)
    }

    /// Records whether the upstream server at `address` was of use when it was last asked, and the
    /// time if it was.
    pub(crate) fn note_upstream(&self, address: &str, is_up: bool) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut upstreams = self.upstreams();
        let upstream = upstreams.entry(address.to_owned()).or_default();
        (upstream.is_up, upstream.is_pruned) = (is_up, false);
        if is_up {
            upstream.succeeded = now.ok().map(|now| now.as_secs());
        }
    }

    /// Records that the upstream server at `address` cannot be reached.
    pub(crate) fn mark_upstream_down(&self, address: &str) {
        let mut upstreams = self.upstreams();
        upstreams.entry(address.to_owned()).or_default().is_up = false;
    }

    /// Records that the upstream server at `address` lacks versions that a mirror needs.
    pub(crate) fn note_pruned(&self, address: &str) {
        let mut upstreams = self.upstreams();
        let upstream = upstreams.entry(address.to_owned()).or_default();
        (upstream.is_up, upstream.is_pruned) = (false, true);
    }

    /// Returns whether an upstream server lacks versions that a mirror needs.
    pub(crate) fn is_an_upstream_pruned(&self) -> bool {
        let upstreams = self.upstreams();
        upstreams.values().any(|upstream| upstream.is_pruned)
    }

    /// Returns whether upstream servers were asked, and none of them was of use.
    pub(crate) fn are_all_upstreams_down(&self) -> bool {
        let upstreams = self.upstreams();
        !upstreams.is_empty() && !upstreams.values().any(|upstream| upstream.is_up)
    }

    // No change panics halfway, so a poisoned lock can be used.
    fn upstreams(&self) -> MutexGuard<'_, BTreeMap<String, Upstream>> {
        self.upstreams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write_upstreams(&self, text: &mut String) {
        let upstreams = self.upstreams();
        if upstreams.is_empty() {
            return;
        }
        let gauges: [(&str, &str, GaugeOf); 2] = [
            (
                "pad_upstream_up",
                "Whether the upstream server answered without a fault when it was last asked.",
                |upstream| Some(upstream.is_up.into()),
            ),
            (
                "pad_upstream_success_time_seconds",
                "When the upstream server last answered without a fault, in seconds since 1970. It \
                    may be behind.",
                |upstream| upstream.succeeded,
            ),
        ];
        for (name, help, value) in gauges {
            let values = upstreams.iter().filter_map(|(address, upstream)| {
                Some((label("upstream", address), value(upstream)?))
            });
            write_metric(text, (name, "gauge", help), values);
        }
    }

    fn write_connections(&self, text: &mut String) {
        let Some(counters) = self.connections.get() else {
            return;
        };
        for (name, kind, help, value) in [
            (
                "pad_connections_open",
                "gauge",
                "Open connections.",
                counters.open(),
            ),
            (
                "pad_connections_accepted_total",
                "counter",
                "Connections accepted, open and closed.",
                counters.accepted(),
            ),
            (
                "pad_connections_refused_total",
                "counter",
                "Connections closed at once, because the server or the peer had too many.",
                counters.refused(),
            ),
        ] {
            write_metric(text, (name, kind, help), [(String::new(), value)]);
        }
    }

    /// Counts an update as applied or refused.
    #[doc(hidden)]
    pub fn count_update(&self, is_taken: bool) {
        let counter = if is_taken { &self.taken } else { &self.refused };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn write_times(&self, text: &mut String) {
        let metric = (
            "pad_request_duration_seconds",
            "histogram",
            "Time in the handler of requests, by what they asked for; without the time on the \
                network.",
        );
        write_metric(text, metric, []);
        for (name, counters) in self.all_requests() {
            if counters
                .times
                .iter()
                .any(|bucket| bucket.load(Ordering::Relaxed) > 0)
            {
                counters.write_times(name, text);
            }
        }
    }

    /// Returns the counters of all kinds of requests, with their names.
    fn all_requests(&self) -> impl Iterator<Item = (&'static str, &Counters)> {
        let known = self
            .requests
            .iter()
            .map(|(name, counters)| (*name, counters));
        known.chain([("unknown", &self.unknown)])
    }

    /// Renders all metrics in the Prometheus text format.
    ///
    /// `dictionaries` contains, for each dictionary, its name, the oldest version, the latest
    /// version, and the bytes of its files.
    #[doc(hidden)]
    pub fn text<'d>(
        &self,
        dictionaries: impl Iterator<Item = (&'d str, [Option<u64>; 3])>,
    ) -> String {
        let mut text = String::new();
        let metric = ("pad_build_info", "gauge", "The version of the program.");
        let version = label("version", env!("CARGO_PKG_VERSION"));
        write_metric(&mut text, metric, [(version, 1)]);
        let metric = (
            "pad_requests_total",
            "counter",
            "Requests answered, by what they asked for and the class of the status.",
        );
        let counts = self.all_requests().flat_map(|(name, counters)| {
            let classes = CLASSES.into_iter().zip(&counters.classes);
            classes.filter_map(move |(class, counter)| {
                let count = counter.load(Ordering::Relaxed);
                let labels = || format!("{{resource=\"{name}\",status=\"{class}\"}}");
                (count > 0).then(|| (labels(), count))
            })
        });
        write_metric(&mut text, metric, counts);
        self.write_times(&mut text);
        self.write_upstreams(&mut text);
        self.write_connections(&mut text);
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
            let total = [(String::new(), counter.load(Ordering::Relaxed))];
            write_metric(&mut text, (name, "counter", help), total);
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
            let values = dictionaries.iter().filter_map(|(dictionary, values)| {
                let value = values.get(place).copied().flatten()?;
                Some((label("dictionary", dictionary), value))
            });
            write_metric(&mut text, (name, "gauge", help), values);
        }
        text
    }
}

/// Renders the sizes of head logs, and counters of their witnesses, in the Prometheus text format.
///
/// Each log has the name of its dictionary as a label. Without logs, the text is empty.
pub(crate) fn log_metrics<'l>(logs: impl Iterator<Item = (&'l str, &'l Arc<HeadLog>)>) -> String {
    let mut groups = LOG_METRICS.map(|metric| (metric, Vec::new()));
    for (dictionary, log) in logs {
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
            let of_witness = format!("{of_log},witness=\"{}\"", escaped(&witness.name));
            let counters = [&counters.cosigned, &counters.failed, &counters.time];
            for (place, counter) in (2..).zip(counters) {
                values.push((place, of_witness.clone(), counter.load(Ordering::Relaxed)));
            }
        }
        for (place, labels, value) in values {
            if let Some((_, values)) = groups.get_mut(place) {
                values.push((format!("{{{labels}}}"), value));
            }
        }
    }
    let mut text = String::new();
    if groups.iter().any(|(_, values)| !values.is_empty()) {
        for (metric, values) in groups {
            write_metric(&mut text, metric, values);
        }
    }
    text
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

/// Writes the name, type and help text of a metric, and its values. Each value has its labels in
/// braces, or an empty text.
pub(crate) fn write_metric(
    text: &mut String,
    (name, kind, help): (&str, &str, &str),
    values: impl IntoIterator<Item = (String, u64)>,
) {
    line(
        text,
        format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"),
    );
    for (labels, value) in values {
        line(text, format_args!("{name}{labels} {value}"));
    }
}

/// Returns a label with its value, in braces.
pub(crate) fn label(name: &str, value: &str) -> String {
    format!("{{{name}=\"{}\"}}", escaped(value))
}

/// Escapes text for the value of a label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn line(text: &mut String, line: core::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _: core::fmt::Result = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use pad_client::HttpOptions;
    use pad_disk::layer::Folder;
    use pad_web::{
        client::{HttpClient, HttpError, Verdict},
        server::{Limits, Options, RunningServer, Server},
    };
    use transparency_log::{note::Cosigner, witness::FolderRecords};

    use super::*;
    use crate::{served::ServedDictionary, service::Service, witness::WitnessService};

    /// Returns the status and the text of the response to GET `path`.
    fn fetch(server: &RunningServer, path: &str) -> (u16, String) {
        let address = format!("http://{}", server.address());
        let client = HttpClient::new(&address, HttpOptions::default()).unwrap();
        let reply = client.get(path, 1 << 20, |reply| {
            Ok::<_, HttpError>(Verdict::Done(reply))
        });
        let reply = reply.unwrap();
        let text = String::from_utf8(reply.body).unwrap();
        (reply.status.as_u16(), text)
    }

    fn stop(server: RunningServer) {
        server.shutdown(Duration::from_secs(10));
        server.join().unwrap();
    }

    #[test]
    fn buckets_are_cumulative() {
        let metrics = Metrics::default();
        let answer = Answer::text(StatusCode::OK, "text");
        for micros in [100, 101, 5_000, 20_000_000] {
            metrics.count(Some("head"), None, &answer, Duration::from_micros(micros));
        }
        let text = metrics.text(core::iter::empty());
        let name = "pad_request_duration_seconds";
        for (bound, count) in [
            ("0.0001", 1),
            ("0.001", 2),
            ("0.01", 3),
            ("10", 3),
            ("+Inf", 4),
        ] {
            let line = format!("{name}_bucket{{resource=\"head\",le=\"{bound}\"}} {count}\n");
            assert!(text.contains(&line), "{line}{text}");
        }
        assert!(text.contains(&format!("{name}_count{{resource=\"head\"}} 4\n")));
        assert!(text.contains(&format!("{name}_sum{{resource=\"head\"}} 20.005201\n")));
        assert!(!text.contains("resource=\"metrics\",le"), "{text}");
    }

    #[test]
    fn a_response_that_is_too_long_is_counted_once() {
        let limits = Limits {
            response_bytes: 100,
            ..Limits::default()
        };
        let service = Service::new(BTreeMap::<String, ServedDictionary>::new(), limits);
        let metrics = service.metrics();
        let options = Options {
            limits,
            ..Options::default()
        };
        let server = Server::bind("127.0.0.1:0", options).unwrap();
        let server = server.start(service).unwrap();
        assert_eq!(fetch(&server, "/metrics").0, 500);
        let text = metrics.text(core::iter::empty());
        let failed = "pad_requests_total{resource=\"metrics\",status=\"5xx\"} 1\n";
        assert!(text.contains(failed), "{text}");
        assert!(!text.contains("status=\"2xx\""), "{text}");
        stop(server);
    }

    #[test]
    fn a_witness_counts_its_requests_and_connections() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(folder.path()).unwrap());
        let cosigner = Cosigner::new("witness.example/w".parse().unwrap(), &[1; 32]);
        let records = FolderRecords::open(folder).unwrap();
        let service = WitnessService::new(cosigner, records, &[], "");
        let server = Server::bind("127.0.0.1:0", Options::default()).unwrap();
        let server = server.start(service).unwrap();
        for (path, status) in [("/health", 200), ("/nothing", 404)] {
            assert_eq!(fetch(&server, path).0, status, "{path}");
        }
        let (status, text) = fetch(&server, "/metrics");
        assert_eq!(status, 200);
        for counter in [
            "pad_requests_total{resource=\"health\",status=\"2xx\"} 1\n",
            "pad_requests_total{resource=\"unknown\",status=\"4xx\"} 1\n",
            "pad_connections_accepted_total ",
            "pad_witness_answers_total{status=\"200\"} 0\n",
        ] {
            assert!(text.contains(counter), "{counter}{text}");
        }
        stop(server);
    }
}
