//! Look-ups per second over the loopback interface, served and verified.
//!
//! The baseline is a plain handler that returns responses of equal length.
//!
//! ```console
//! $ cargo run --release -p pad-service --example load -- \
//!     [memory] [keys] [seconds] [connections] [pipelined]
//! ```
//!
//! With `memory` the server has the whole latest version in memory, like `pad serve --cache all`.
//!
//! Server and clients share the cores of this machine. Each connection stays open and sends batches
//! of `pipelined` requests. The latency of a request is the time from sending its batch to reading
//! its response.
//!
//! The second mode runs honest clients next to hostile ones, and reports losses of the honest ones:
//!
//! ```console
//! $ cargo run --release -p pad-service --example load -- \
//!     hostile [seconds] [clients] [hostile] [keys] [pause in ms]
//! ```

use core::{convert::Infallible, future::ready};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufReader, Write as _},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use authdict::{CacheSize, Question, StoredView, Version, internals::dynamic::client_of};
use http_body_util::Full;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use pad_client::internals::Resource;
use pad_service::{Dictionary, Service};
use pad_web::server::{Limits, Options, Server};

use self::{
    connection::read_answer,
    mixed::Plan,
    store::{Outcome, Store, key_of, step, verify},
};

mod attacks;
mod connection;
mod mixed;
mod store;

fn main() -> Outcome<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let (mode, numbers) = match words.split_first() {
        Some((word, rest)) if word == "hostile" || word == "memory" => (word.as_str(), rest),
        _ => ("", words.as_slice()),
    };
    let arguments: Vec<u64> = numbers
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    let argument = |place: usize, usual| arguments.get(place).copied().unwrap_or(usual);
    if mode == "hostile" {
        let plan = Plan {
            span: Duration::from_secs(argument(0, 60)),
            clients: argument(1, 200),
            hostile: argument(2, 10),
            keys: argument(3, 100_000),
            pause: Duration::from_millis(argument(4, 100)),
        };
        println!(
            "{plan:?}, {} threads, load average {}",
            thread::available_parallelism()?,
            busy()
        );
        let report = mixed::run(&plan)?;
        println!("{report}load average {}", busy());
        return report.check();
    }
    look_ups(&Load {
        cache: if mode == "memory" {
            CacheSize::Warmed { most: u64::MAX }
        } else {
            CacheSize::default()
        },
        keys: argument(0, 1_000_000),
        span: Duration::from_secs(argument(1, 5)),
        connections: argument(2, 2),
        pipelined: argument(3, 32),
    })
}

/// Measures the maximum rate of look-ups.
fn look_ups(load: &Load) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let keys = load.keys;
    let Store { path, key, .. } = Store::make(folder.path(), keys)?;
    let repository = authdict::Server::of_any(&path)?;
    let view = StoredView::new(key.public().clone()).follow(&repository)?;
    let answer = repository.answer(Version::new(1), &Question::Key(key_of(0)?))?;
    drop(repository);
    println!(
        "{keys} keys, answers of about {} bytes, {:?}",
        answer.len(),
        load
    );
    println!(
        "machine: {} threads, load average {}",
        thread::available_parallelism()?,
        busy()
    );

    let dictionary = Arc::new(Dictionary::open_with(&path, load.cache)?);
    let limits = Limits {
        connections_per_peer: 1024,
        ..Limits::default()
    };
    let service = Service::new(BTreeMap::from([("d".to_owned(), dictionary)]), limits);
    let server = Server::bind(
        "127.0.0.1:0",
        Options {
            limits,
            ..Options::default()
        },
    )?
    .start(service)?;
    let plain = start_plain(answer.len())?;

    for round in 1..=3 {
        let limit = load.run(plain, &|_| Ok(()))?;
        let served = load.run(server.address(), &|_| Ok(()))?;
        let client = client_of(&view)?;
        let verified = load.run(server.address(), &|(number, answer)| {
            verify(&*client, number, answer)
        })?;
        println!("round {round}, load average {}", busy());
        println!("  plain handler     {limit}");
        println!(
            "  served            {served}   {:.2} of the plain handler",
            served.rate / limit.rate
        );
        println!("  served, verified  {verified}");
    }
    server.shutdown(Duration::from_secs(5));
    server.join()?;
    Ok(())
}

/// Load of the clients.
#[derive(Debug)]
struct Load {
    cache: CacheSize,
    keys: u64,
    span: Duration,
    connections: u64,
    pipelined: u64,
}

/// Rate and latencies of a run.
struct LoadStats {
    rate: f64,
    median: Duration,
    slowest_of_hundred: Duration,
}

impl core::fmt::Display for LoadStats {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            rate,
            median,
            slowest_of_hundred,
        } = self;
        write!(
            formatter,
            "{rate:>9.0} a second, median {median:?}, p99 {slowest_of_hundred:?}"
        )
    }
}

type Check<'c> = dyn Fn((u64, &[u8])) -> Outcome<()> + Sync + 'c;

impl Load {
    /// Asks for keys across the dictionary on every connection, and checks the responses.
    fn run(&self, server: SocketAddr, check: &Check<'_>) -> Outcome<LoadStats> {
        let began = Instant::now();
        let times: Vec<Vec<Duration>> = thread::scope(|scope| {
            let clients: Vec<_> = (0..self.connections)
                .map(|number| scope.spawn(move || self.client(number, server, check)))
                .collect();
            let joined = clients.into_iter().map(|client| match client.join() {
                Ok(times) => times,
                Err(_) => Err("a client panicked".into()),
            });
            joined.collect::<Outcome<_>>()
        })?;
        let took = began.elapsed();
        let mut times: Vec<_> = times.into_iter().flatten().collect();
        times.sort_unstable();
        let at = |share: usize| {
            times
                .get(times.len() * share / 100)
                .copied()
                .unwrap_or_default()
        };
        let count = u32::try_from(times.len())?;
        Ok(LoadStats {
            rate: f64::from(count) / took.as_secs_f64(),
            median: at(50),
            slowest_of_hundred: at(99),
        })
    }

    fn client(&self, client: u64, server: SocketAddr, check: &Check<'_>) -> Outcome<Vec<Duration>> {
        let mut stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let mut reader = BufReader::with_capacity(1 << 18, stream.try_clone()?);
        let (mut times, mut body, mut line) = (Vec::new(), Vec::new(), String::new());
        let began = Instant::now();
        let mut next = client.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        while began.elapsed() < self.span {
            let numbers: Vec<u64> = (0..self.pipelined)
                .map(|_| {
                    next = step(next);
                    (next >> 33) % self.keys
                })
                .collect();
            let mut requests = String::new();
            for number in &numbers {
                let path =
                    Resource::Answer(Version::new(1), Question::Key(key_of(*number)?)).path();
                requests.push_str("GET /v1/dictionaries/d/");
                requests.push_str(&path);
                requests.push_str(" HTTP/1.1\r\nhost: load\r\n\r\n");
            }
            let sent = Instant::now();
            stream.write_all(requests.as_bytes())?;
            for number in numbers {
                let status = read_answer(&mut reader, &mut line, &mut body)?;
                if status != 200 {
                    return Err(format!("the server said {status}").into());
                }
                check((number, &body))?;
                times.push(sent.elapsed());
            }
        }
        Ok(times)
    }
}

/// Starts a server that returns `length` bytes for every request.
fn start_plain(length: usize) -> Outcome<SocketAddr> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    let bytes = Bytes::from(vec![b'a'; length]);
    let serve = async move {
        while let Ok((stream, _)) = listener.accept().await {
            // As in pad_web. Otherwise pipelined requests wait for delayed acknowledgements.
            drop(stream.set_nodelay(true));
            let bytes = bytes.clone();
            let service = service_fn(move |_: Request<Incoming>| {
                let answer = Response::new(Full::new(bytes.clone()));
                ready(Ok::<_, Infallible>(answer))
            });
            let stream = TokioIo::new(stream);
            tokio::spawn(http1::Builder::new().serve_connection(stream, service));
        }
    };
    thread::spawn(move || runtime.block_on(serve));
    Ok(address)
}

/// Returns the load average of the machine.
fn busy() -> String {
    fs::read_to_string("/proc/loadavg")
        .unwrap_or_else(|_| "unknown".into())
        .trim()
        .to_owned()
}
