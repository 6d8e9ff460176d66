//! Tests of one view that several processes use at the same time.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    process::Stdio,
    sync::{Arc, Condvar, Mutex, mpsc},
    thread,
};

use super::process::Process;
use crate::bench::{Bench, Outcome as _, object, text};

/// A flag that is true once connections are forwarded, with its condition variable.
type Gate = Arc<(Mutex<bool>, Condvar)>;

fn open(gate: &Gate) {
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
}

/// Forwards connections to this address once the gate is open, and signals the first connection.
/// Runs until the process ends.
fn slow(address: &str) -> (String, Gate, mpsc::Receiver<()>) {
    let gate: Gate = Arc::default();
    let (came, first) = mpsc::channel();
    let held = Arc::clone(&gate);
    let own = between(address, move |_| {
        let _ = came.send(());
        let is_open = held.0.lock().unwrap();
        drop(held.1.wait_while(is_open, |is_open| !*is_open).unwrap());
    });
    (own, gate, first)
}

/// Starts a proxy to `address` that calls `before` with each piece of a request. It runs until the
/// process ends.
fn between(address: &str, before: impl Fn(&[u8]) + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = format!("http://{}", listener.local_addr().unwrap());
    let address = address.to_owned();
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut server = TcpStream::connect(&address).unwrap();
            let mut back = [server.try_clone().unwrap(), client.try_clone().unwrap()];
            thread::spawn(move || {
                let [from, to] = &mut back;
                let _ = io::copy(from, to);
                let _ = to.shutdown(Shutdown::Write);
            });
            let before = before.clone();
            thread::spawn(move || {
                let mut piece = [0; 4096];
                while let Ok(length @ 1..) = client.read(&mut piece) {
                    before(&piece[..length]);
                    server.write_all(&piece[..length]).unwrap();
                }
                let _ = server.shutdown(Shutdown::Write);
            });
        }
    });
    own
}

#[test]
fn a_slow_server_keeps_nobody_else_from_a_view_and_it_never_goes_back() {
    let bench = Bench::with_trace();
    let server = serve(&bench);
    let direct = format!("http://{}", server.address);
    let (behind, gate, first) = slow(&server.address);
    // The first request of a command is for the head that the view advances to.
    let public = "--public k.pub --view v apple";
    let line = |url: &str| format!("--json get --server {url}/v1/dictionaries/s {public}");
    let price = |printed: &str| object(printed)["value"].as_str().unwrap().to_owned();
    let mut waiting = bench.command();
    waiting.args(line(&behind).split(' '));
    waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    first.recv().unwrap();
    // Other processes read and write the view in the meantime, and see newer versions.
    assert_eq!(price(&bench.ok(&line(&direct))), "4");
    sign(&bench, "9");
    while price(&bench.ok(&line(&direct))) != "9" {
        thread::yield_now();
    }
    let before = bench.read("v");
    open(&gate);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(price(&output.succeeds()), "9");
    assert_eq!(bench.read("v"), before);
}

fn sign(bench: &Bench, value: &str) {
    bench.publish(&format!("put --key k apple {value}"));
}

/// Starts a server of the store `s` without TLS.
fn serve(bench: &Bench) -> Process {
    let line = "serve --store s --listen 127.0.0.1:0 --follow-every 20";
    Process::spawn(bench, line.split(' '))
}

/// The newest version may be pruned after a client has advanced to it and before its question is
/// answered.
#[test]
fn the_newest_version_is_asked_about_again_if_it_was_pruned() {
    for scheme in ["red-black", "tuple-base"] {
        let bench = Arc::new(Bench::with_key(scheme));
        sign(&bench, "1");
        let server = serve(&bench);
        let public = "--public k.pub apple";
        let direct = format!("get --server http://{} {public}", server.address);
        let (asked, direct) = (Arc::new(Mutex::new(0_u32)), Arc::new(direct));
        let (counted, at_work) = (Arc::clone(&asked), Arc::clone(&bench));
        let behind = between(&server.address, move |piece| {
            if !text(piece).contains("/answers/") {
                return;
            }
            let mut asked = counted.lock().unwrap();
            *asked += 1;
            if *asked == 1 {
                sign(&at_work, "2");
                let latest = at_work.signed("s").len();
                at_work.ok(&format!("prune --store s --before {latest}"));
                // A server drops pruned versions when it opens the next version.
                sign(&at_work, "3");
                while !at_work.ok(&direct).contains("apple = 3") {
                    thread::yield_now();
                }
            }
        });
        let answer = bench.ok(&format!("get --server {behind} {public}"));
        for part in ["apple = 3", "version 3"] {
            assert!(answer.contains(part), "{answer}");
        }
        *asked.lock().unwrap() = 0;
        let history = bench.json(&format!("history --server {behind} {public}"));
        assert_eq!(history.last().unwrap()["end"], true, "{history:?}");
        let is_there = history.iter().any(|line| line["value"] == "3");
        assert!(is_there, "{history:?}");
        let pruned = format!("get --server {behind} --at 1 {public}");
        bench.fails(&pruned, 2, "pruned");
    }
}

#[test]
fn keys_with_long_values_are_asked_about_in_smaller_pages() {
    let bench = Bench::with_key("red-black");
    // Together, these values are longer than the longest response.
    let value = "v".repeat(1 << 24);
    let rows = ["a", "b", "c", "d", "e"].map(|key| format!("a,put,{key},{value}\n"));
    bench.write_trace("t.csv", rows);
    bench.ok("import --store s --key k t.csv");
    let server = serve(&bench);
    bench.write("keys", b"c\nnone\na\nb\ne\nd\n");
    let address = &server.address;
    let line = format!("get --server http://{address} --public k.pub --keys keys");
    let (shown, end) = bench.list(&line);
    assert_eq!(shown.len(), 6);
    for (object, key) in shown.iter().zip(["c", "none", "a", "b", "e", "d"]) {
        assert_eq!(object["key"], key);
        let length = object["value"].as_str().map_or(0, str::len);
        assert_eq!(length, if key == "none" { 0 } else { 1 << 24 }, "{key}");
    }
    assert_eq!(end["present_keys"], 5);
    // The proof about four of them is slightly longer than 64 MiB.
    bench.write("keys", b"a\nb\nc\nd\n");
    assert_eq!(bench.list(&line).1["present_keys"], 4);
}
