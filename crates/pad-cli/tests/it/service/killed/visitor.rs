//! Honest clients in this process that measure the delays of a server.

use std::{
    collections::BTreeMap,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::SocketAddr,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use authdict::{Key, Question, Version};
use pad_client::internals::Resource;

use super::{
    connection::{Connector, Stream},
    load::{count, spread},
};

/// A client of one server. It opens a new connection for each visit and verifies no answer.
pub(super) struct Visitor {
    server: SocketAddr,
    /// The path of the dictionary on the server.
    path: String,
    visits: Mutex<Visits>,
}

#[derive(Default)]
struct Visits {
    /// Delays of connection, TLS handshake and `versions` together.
    versions: Vec<Duration>,
    /// Delays of a look-up on the same connection.
    look_ups: Vec<Duration>,
    /// Number of visits without an answer, by the reason.
    failures: BTreeMap<String, u64>,
}

impl Visitor {
    pub(super) fn new(server: SocketAddr, path: &str) -> Self {
        Self {
            server,
            path: path.to_owned(),
            visits: Mutex::default(),
        }
    }

    /// Returns the number of answered look-ups.
    pub(super) fn answers(&self) -> u64 {
        count(&self.visits.lock().unwrap().look_ups)
    }

    pub(super) fn visit(&self, connector: &Connector, done: &AtomicBool) {
        while !done.load(Ordering::SeqCst) {
            if let Err(error) = self.ask(connector) {
                let mut visits = self.visits.lock().unwrap();
                let reason = match error.kind() {
                    // The error contains the status line of the response.
                    io::ErrorKind::Other => error.to_string(),
                    kind => kind.to_string(),
                };
                *visits.failures.entry(reason).or_default() += 1;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn ask(&self, connector: &Connector) -> io::Result<()> {
        let began = Instant::now();
        let stream = connector.open(true, ADDRESS, self.server, PATIENCE)?;
        let mut stream = BufReader::new(stream);
        let versions = self.get(&mut stream, &Resource::Versions)?;
        let connected = began.elapsed();
        let began = Instant::now();
        let versions: serde_json::Value = serde_json::from_slice(&versions).unwrap();
        let latest = versions["latest"].as_u64().unwrap();
        self.get(&mut stream, &look_up(latest, "apple"))?;
        let took = began.elapsed();
        let mut visits = self.visits.lock().unwrap();
        visits.versions.push(connected);
        visits.look_ups.push(took);
        Ok(())
    }

    /// Returns the body of a response with status 200.
    fn get(
        &self,
        stream: &mut BufReader<Box<dyn Stream>>,
        resource: &Resource,
    ) -> io::Result<Vec<u8>> {
        let path = format!("{}/{}", self.path, resource.path());
        let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n");
        stream.get_mut().write_all(request.as_bytes())?;
        let mut status = String::new();
        stream.read_line(&mut status)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        match status.trim_end() {
            "HTTP/1.1 200 OK" => Ok(body),
            "" => Err(io::ErrorKind::UnexpectedEof.into()),
            other => Err(io::Error::other(other)),
        }
    }

    pub(super) fn report(&self) -> String {
        let visits = self.visits.lock().unwrap();
        let [look_ups, versions] = [&visits.look_ups, &visits.versions].map(|times| spread(times));
        let failures = &visits.failures;
        let connected = format!("new connections with versions: {versions}");
        format!("look-ups: {look_ups}; {connected}; no answer: {failures:?}")
    }
}

/// Returns the resource that answers a look-up.
pub(super) fn look_up(version: u64, key: &str) -> Resource {
    let key = Key::try_from(key).unwrap();
    Resource::Answer(Version::new(version), Question::Key(key))
}

/// The last byte of the address of all visitors. Hostile peers use 2 to 9.
const ADDRESS: u8 = 10;
const PATIENCE: Duration = Duration::from_mins(2);
