//! A run of an author, a server and a mirror as processes of their own on this machine, with readers over the loopback interface: what
//! the simulation is held against.

use core::fmt::Write as _;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use pad_client::Resource;
use pad_core::{Key, Version};
use serde_json::Value;

use crate::{full_report::processors::Used, line, machine::Machine, prelude::*};

/// The keys of the dictionary, the pause between two batches of one change, how many of them there are, and the mirror's pause.
const KEYS: u64 = 100_000;
const BATCH: Duration = Duration::from_millis(500);
const BATCHES: usize = 80;
const PAUSE: Duration = Duration::from_millis(200);
/// A reader of versions asks so often on average.
const ASKS: Duration = Duration::from_millis(10);
/// Numbers of connections that look keys up, and for how long each number does.
const CONNECTIONS: [u64; 5] = [1, 2, 4, 8, 16];
const LOOK_UPS: Duration = Duration::from_secs(4);
/// The changes of a large batch, of which the bytes are measured, and how many such batches.
const LARGE: u64 = 10_000;
const LARGES: u64 = 4;

/// Threads of ours fail with what can be sent to another thread.
type Threaded<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures with this `pad` program.
pub(super) fn measure(pad: &Path) -> Outcome<Vec<Line>> {
    let folder = tempfile::tempdir()?;
    let parties = Parties {
        pad: fs::canonicalize(pad)?,
        folder: folder.path().to_owned(),
    };
    let started = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let busy = || fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let before = busy();
    parties.begin()?;
    let batches = parties.large_batches()?;
    let server = parties.serve("server", &["serve"])?;
    let from = format!("http://{}", server.address);
    let pause = PAUSE.as_millis().to_string();
    let arguments = ["mirror", "--from", &from, "--every", &pause];
    let mirror = parties.serve("mirror", &arguments)?;
    let fresh = parties.staleness(&server, &mirror)?;
    let mut lines = vec![batches, fresh];
    for connections in CONNECTIONS {
        lines.push(look_ups(&server, connections)?);
    }
    let (version, load) = (
        run(Command::new(&parties.pad).arg("--version"))?,
        [before, busy()],
    );
    let run = line! {
        experiment: "scale_run", started: started, pad: version.trim(), keys: KEYS,
        load_before: load[0].trim(), load_after: load[1].trim(),
    };
    lines.insert(0, run.merged(&Machine::current()));
    Ok(lines)
}

/// The program, and where its files are.
struct Parties {
    pad: PathBuf,
    folder: PathBuf,
}

/// A server that is killed when it is no longer needed.
struct Served {
    process: Child,
    address: String,
    /// The name of its dictionary.
    name: &'static str,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended on its own.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// What a command printed.
fn run(command: &mut Command) -> Outcome<String> {
    let output = command.output()?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?}: {errors}").into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl Parties {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.pad);
        command.args(arguments).current_dir(&self.folder);
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome<String> {
        run(&mut self.command(arguments))
    }

    /// The first version, at the author's, the server's and the mirror's.
    fn begin(&self) -> Outcome<()> {
        self.run(&["keygen", "--out", "author.key"])?;
        let mut trace = "snapshot,op,key,value\n".to_owned();
        for number in 0..KEYS {
            writeln!(trace, "0,put,{number:016},{number:032}")?;
        }
        fs::write(self.folder.join("trace.csv"), &trace)?;
        self.run(&[
            "import",
            "--store",
            "author.pad",
            "--key",
            "author.key",
            "trace.csv",
        ])?;
        self.run(&[
            "export",
            "--store",
            "author.pad",
            "--at",
            "1",
            "--out",
            "first.update",
        ])?;
        for store in ["server.pad", "mirror.pad"] {
            self.run(&[
                "apply",
                "--store",
                store,
                "--public",
                "author.key.pub",
                "first.update",
            ])?;
        }
        Ok(())
    }

    /// What batches of many changes add to the files, and what they are as they are sent.
    fn large_batches(&self) -> Outcome<Line> {
        self.run(&["keygen", "--out", "large.key"])?;
        let import = [
            "import",
            "--store",
            "large.pad",
            "--key",
            "large.key",
            "trace.csv",
        ];
        self.run(&import)?;
        let nodes = self.folder.join("large.pad.nodes");
        let before = fs::metadata(&nodes)?.len();
        let mut trace = fs::read_to_string(self.folder.join("trace.csv"))?;
        let mut random = Random::new(7);
        for batch in 1..=LARGES {
            let mut keys = std::collections::BTreeSet::new();
            while (keys.len() as u64) < LARGE {
                keys.insert(random.below(KEYS));
            }
            for key in keys {
                writeln!(trace, "{batch},put,{key:016},{batch:032}")?;
            }
        }
        fs::write(self.folder.join("trace.csv"), &trace)?;
        self.run(&import)?;
        let grown = fs::metadata(&nodes)?.len() - before;
        let export = |at: &str, out: &str| {
            let begin = Instant::now();
            self.run(&["export", "--store", "large.pad", "--at", at, "--out", out])?;
            Outcome::Ok(begin.elapsed().as_secs_f64())
        };
        let apply = |update: &str| {
            let begin = Instant::now();
            self.run(&[
                "apply",
                "--store",
                "copy.pad",
                "--public",
                "large.key.pub",
                update,
            ])?;
            Outcome::Ok(begin.elapsed().as_secs_f64())
        };
        export("1", "first.large")?;
        apply("first.large")?;
        // Programs are started for the first time, and files are read from the disk, before what is timed.
        export("3", "other.large")?;
        let exported = export("2", "large.update")?;
        let applied = apply("large.update")?;
        let sent = fs::metadata(self.folder.join("large.update"))?.len();
        let batches = (LARGE * LARGES) as f64;
        Ok(line! {
            experiment: "scale_batch", keys: KEYS, changes: LARGE, batches: LARGES,
            file_bytes_per_change: grown as f64 / batches, update_bytes: sent,
            export_ms: exported * 1e3, apply_ms: applied * 1e3,
        })
    }

    /// Starts a server at a free port.
    fn serve(&self, name: &'static str, arguments: &[&str]) -> Outcome<Served> {
        let store = format!("{name}.pad");
        let further = ["--json", "--store", &store, "--listen", "127.0.0.1:0"];
        let mut process = self
            .command(&[arguments, &further].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = process.stdout.take().ok_or("a server has an output")?;
        let mut served = Served {
            process,
            address: String::new(),
            name,
        };
        let mut said = String::new();
        BufReader::new(output).read_line(&mut said)?;
        let said: Value = serde_json::from_str(&said)?;
        let address = said.get("address").and_then(Value::as_str);
        let address = address.ok_or("a server says where it listens")?;
        address.clone_into(&mut served.address);
        Ok(served)
    }

    /// The author publishes batch after batch, and readers of the server and of the mirror see how old is what they read.
    fn staleness(&self, server: &Served, mirror: &Served) -> Outcome<Line> {
        let push = format!("http://{}", server.address);
        let begin = Instant::now();
        let ends = begin + BATCH * u32::try_from(BATCHES)? + BATCH;
        let (mut closed, mut published) = (Vec::new(), Vec::new());
        let readers = [server, mirror].map(|served| {
            let (address, name) = (served.address.clone(), served.name);
            thread::spawn(move || read_versions(&address, name, ends))
        });
        for batch in 0..BATCHES {
            self.run(&[
                "put",
                "--store",
                "author.pad",
                &format!("{batch:016}"),
                "changed",
            ])?;
            let due = begin + BATCH * u32::try_from(batch)? + BATCH / 2;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            closed.push(Instant::now());
            self.run(&[
                "commit",
                "--store",
                "author.pad",
                "--key",
                "author.key",
                "--push",
                &push,
            ])?;
            published.push(closed[batch].elapsed().as_secs_f64());
        }
        let mut seen = Vec::new();
        for reader in readers {
            let read = reader.join().map_err(|_| "a reader panicked")?;
            let read = read.map_err(|error| error.to_string())?;
            // The first version was there before; a batch later readers see only what was published here.
            let from = closed[0] + 2 * BATCH;
            let ages = read
                .iter()
                .filter(|(at, version)| *at >= from && *version >= 2);
            let ages = ages.map(|(at, version)| {
                let closed = closed
                    .get(version - 2)
                    .ok_or("a version that nobody published")?;
                Ok(at.saturating_duration_since(*closed).as_secs_f64())
            });
            let mut ages = ages.collect::<Outcome<Vec<f64>>>()?;
            ages.sort_unstable_by(f64::total_cmp);
            seen.push(ages);
        }
        published.sort_unstable_by(f64::total_cmp);
        let least = percentile(&published, 10);
        let mean = published.iter().sum::<f64>() / published.len() as f64;
        let shown = |ages: &[f64]| {
            line! {
                asked: ages.len(), p10_ms: percentile(ages, 10) * 1e3, p50_ms: percentile(ages, 50) * 1e3,
                p90_ms: percentile(ages, 90) * 1e3, p99_ms: percentile(ages, 99) * 1e3,
            }
        };
        Ok(line! {
            experiment: "scale_staleness", batches: BATCHES, batch_ms: BATCH.as_millis() as u64, pause_ms: PAUSE.as_millis() as u64,
            publish_least_ms: least * 1e3, publish_mean_ms: mean * 1e3, server: shown(&seen[0]), mirror: shown(&seen[1]),
        })
    }
}

/// When a server was asked, and the latest version that it named.
fn read_versions(address: &str, name: &str, ends: Instant) -> Threaded<Vec<(Instant, usize)>> {
    let mut connection = Connection::open(address)?;
    let path = format!("/v1/dictionaries/{name}/versions");
    let (mut random, mut read) = (Random::new(11), Vec::new());
    while Instant::now() < ends {
        // Exponentially distributed, so that moments are independent of the batches'.
        thread::sleep(ASKS.mul_f64(-(1.0 - random.fraction()).ln()));
        let asked = connection.ask(&path)?;
        let versions: Value = serde_json::from_slice(&asked.body)?;
        let latest = versions.get("latest").and_then(Value::as_u64);
        let latest = usize::try_from(latest.ok_or("a server names its latest version")?)?;
        read.push((Instant::now(), latest));
    }
    Ok(read)
}

/// So many connections look random keys up, one after the other each.
fn look_ups(server: &Served, connections: u64) -> Outcome<Line> {
    let process = server.process.id().to_string();
    let used =
        || -> Outcome<[f64; 2]> { Ok([processor_seconds(&process)?, processor_seconds("self")?]) };
    let (begin, before, all) = (Instant::now(), used()?, Used::now());
    let ends = begin + LOOK_UPS;
    let clients: Vec<_> = (0..connections)
        .map(|number| {
            let (address, name) = (server.address.clone(), server.name);
            thread::spawn(move || look_up(&address, name, number, ends))
        })
        .collect();
    let (mut times, mut bytes, mut headers) = (Vec::new(), 0, 0);
    for client in clients {
        let read = client.join().map_err(|_| "a client panicked")?;
        let (took, of_answers, of_headers) = read.map_err(|error| error.to_string())?;
        times.extend(took);
        bytes += of_answers;
        headers += of_headers;
    }
    let (took, after) = (begin.elapsed().as_secs_f64(), used()?);
    let others = all.and_then(|all| Used::now()?.of_others_since(&all));
    // The server is a child that has not ended.
    let others = others.map(|others| others - (after[0] - before[0]) / took);
    times.sort_unstable_by(f64::total_cmp);
    let answers = times.len() as f64;
    Ok(line! {
        experiment: "scale_look_ups", connections: connections, answers: times.len(), per_second: answers / took,
        p50_us: percentile(&times, 50) * 1e6, p90_us: percentile(&times, 90) * 1e6, p99_us: percentile(&times, 99) * 1e6,
        server_us: (after[0] - before[0]) / answers * 1e6, client_us: (after[1] - before[1]) / answers * 1e6,
        answer_bytes: bytes as f64 / answers, header_bytes: headers as f64 / answers,
        cores_used_by_others: others,
    })
}

/// Seconds of each answer, and the bytes of all answers and of their headers.
fn look_up(
    address: &str,
    name: &str,
    client: u64,
    ends: Instant,
) -> Threaded<(Vec<f64>, usize, usize)> {
    use pad::question::Question;
    let mut connection = Connection::open(address)?;
    let mut random = Random::new(client);
    let (mut times, mut bytes, mut headers) = (Vec::new(), 0, 0);
    while Instant::now() < ends {
        let key = Key::new(format!("{:016}", random.below(KEYS)).into_bytes())?;
        let path = Resource::Answer(Version::new(1), Question::Key(key)).path();
        let path = format!("/v1/dictionaries/{name}/{path}");
        let begin = Instant::now();
        let answer = connection.ask(&path)?;
        times.push(begin.elapsed().as_secs_f64());
        bytes += answer.body.len();
        headers += answer.header_bytes;
    }
    Ok((times, bytes, headers))
}

/// A connection that is kept.
struct Connection(BufReader<TcpStream>);

/// An answer, and the bytes of its status and headers.
struct Asked {
    body: Vec<u8>,
    header_bytes: usize,
}

impl Connection {
    fn open(address: &str) -> Threaded<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Asks for what is at a path, and reads an answer with status 200.
    fn ask(&mut self, path: &str) -> Threaded<Asked> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: scale\r\n\r\n");
        self.0.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length) = (String::new(), 0);
        let mut header_bytes = self.0.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 200 ") {
            return Err(format!("a server said {line}").into());
        }
        loop {
            line.clear();
            header_bytes += self.0.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok(Asked { body, header_bytes })
    }
}

/// Seconds that processors have worked for a process, by the kernel's count of hundredths.
fn processor_seconds(process: &str) -> Outcome<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may have spaces.
    let (_, fields) = text.rsplit_once(')').ok_or("a process has a name")?;
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = times.map(|field| field.parse::<u64>().unwrap_or(0)).sum();
    Ok(ticks as f64 / 100.0)
}
