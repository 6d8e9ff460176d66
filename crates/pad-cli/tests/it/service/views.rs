//! One view, used by several processes at once.

use std::{
    io,
    net::{Shutdown, TcpListener, TcpStream},
    process::Stdio,
    sync::{Arc, Condvar, Mutex, mpsc},
    thread,
};

use super::process::Process;
use crate::bench::{Bench, text};

/// Whether connections are passed on.
type Gate = Arc<(Mutex<bool>, Condvar)>;

fn open(gate: &Gate) {
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
}

/// Passes connections on to this address once the gate is open; says when the first one came. Ends with the process.
fn slow(address: &str) -> (String, Gate, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = format!("http://{}", listener.local_addr().unwrap());
    let gate: Gate = Arc::default();
    let (came, first) = mpsc::channel();
    let (held, address) = (Arc::clone(&gate), address.to_owned());
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let _ = came.send(());
            let (held, address) = (Arc::clone(&held), address.clone());
            thread::spawn(move || {
                let is_open = held.0.lock().unwrap();
                drop(held.1.wait_while(is_open, |is_open| !*is_open).unwrap());
                let server = TcpStream::connect(address).unwrap();
                let back = [server.try_clone().unwrap(), client.try_clone().unwrap()];
                thread::spawn(move || pass(back));
                pass([client, server]);
            });
        }
    });
    (own, gate, first)
}

fn pass([mut from, mut to]: [TcpStream; 2]) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn a_slow_server_keeps_nobody_else_from_a_view_and_it_never_goes_back() {
    let bench = Bench::with_trace();
    let words = ["serve", "--store", "s", "--listen", "127.0.0.1:0"];
    let server = Process::spawn(&bench, words);
    let direct = format!("http://{}", server.address);
    let (behind, gate, first) = slow(&server.address);
    // The first thing that is asked is what the view has to follow.
    let line = |url: &str| {
        format!("--json get --server {url}/v1/dictionaries/s --public k.pub --view v apple")
    };
    let price = |printed: &str| {
        let object: serde_json::Value = serde_json::from_str(printed).unwrap();
        object["value"].as_str().unwrap().to_owned()
    };
    let mut waiting = bench.command();
    waiting.args(line(&behind).split(' '));
    let waiting = waiting
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    first.recv().unwrap();
    // Others read and write the view meanwhile, and see newer versions.
    assert_eq!(price(&bench.ok(&line(&direct))), "4");
    bench.ok("put --store s --key k apple 9");
    bench.ok("commit --store s --key k");
    while price(&bench.ok(&line(&direct))) != "9" {
        thread::yield_now();
    }
    let before = bench.read("v");
    open(&gate);
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(price(&text(&output.stdout)), "9");
    assert_eq!(bench.read("v"), before);
}
