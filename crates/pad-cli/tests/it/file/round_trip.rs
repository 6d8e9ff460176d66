//! Tests of uploading, editing, reading and auditing a file, and of a server that changes a block.

use std::fs;

use authdict::internals::FileOwnerKey;
use flexlist::ByteEdit;
use flexlist_service::{
    client::{ClientError, FileClient, HttpOptions, HttpTransport, Transport, TransportError},
    internals::message::{Request, Response},
};
use pad_conformance::Random;
use serde_json::{Value as Json, json};

use crate::{
    bench::{Bench, Outcome as _, assert_has},
    process::Process,
};

/// Returns the contents of the file. `PAD_FILE_BYTES` sets its length (default 2 MB).
fn contents() -> Vec<u8> {
    let wanted = std::env::var("PAD_FILE_BYTES");
    let length: usize = wanted.map_or(2_000_000, |length| length.parse().unwrap());
    // Text with many repetitions and small changes suits content-defined blocks.
    let words = ["root", "rank", "level", "below", "after", "tag", "leaf"];
    let (mut text, mut random) = (Vec::with_capacity(length + 64), Random::new(1));
    while text.len() < length {
        let word = words[random.index(words.len())];
        text.extend_from_slice(format!("{word} {}\n", random.below(1 << 14)).as_bytes());
    }
    text.truncate(length);
    text
}

#[test]
fn what_is_stored_is_read_back_and_damage_is_named() {
    let bench = Bench::new();
    let mut model = contents();
    bench.write("original", &model);
    let server = Process::of_files(&bench, "");
    let file = format!("--state s --key k --server {}", server.address);

    let of_version = |version: usize, length: usize| json!({ "version": version, "bytes": length });
    let upload = format!("file upload {file} original");
    assert_has(&bench.first(&upload), &of_version(1, model.len()), &upload);

    bench.write("piece", &vec![b'x'; 50_000]);
    for number in 0..10 {
        let offset = model.len() / 11 * number;
        let command = match number % 3 {
            0 => {
                model.splice(offset..offset + 5, *b"hello");
                format!("file write {file} --offset {offset} --text hello")
            }
            1 => {
                model.splice(offset..offset, vec![b'x'; 50_000]);
                format!("file insert {file} --offset {offset} --from piece")
            }
            _ => {
                model.drain(offset..offset + 30_000);
                format!("file delete {file} --offset {offset} --length 30000")
            }
        };
        let expected = of_version(number + 2, model.len());
        assert_has(&bench.first(&command), &expected, &command);
    }

    let audit = bench.json(&format!("file audit {file}"));
    let established = audit[0]["established"].as_str().unwrap();
    let is_sure = established.starts_with("at least 99 % chance");
    assert!(is_sure, "{established}");
    bench.ok(&format!("file audit {file} --full"));
    bench.ok(&format!("file read {file} --out copy"));
    assert!(bench.read("copy") == model);
    read_with_care(&bench, &file, &model);
    let status = bench.json(&format!("file status {file}"));
    let claim = status[0]["says"].as_str().unwrap();
    assert!(claim.starts_with("the server has this version"), "{claim}");

    publish(&bench, &file, &status[0]["sealed_root"]);

    // Invalid requests change nothing, and the error names the problem.
    let end = model.len();
    bench.steps(&[
        &format!("file delete {file} --offset {end} --length 1 => 2 outside a file"),
        &format!("file upload {file} original => 2 use another --state"),
    ]);
    assert_eq!(bench.json(&format!("file status {file}")), status);

    settle_two_writers(&bench, &file, &server.address);
    model[0] = b's';

    server.stop();
    let wanted = model.len() * 6 / 11;
    damage(&bench, &model[wanted..wanted + 48]);
    let damages = bench.run("file check --store server").fails_with(3, "");
    let server = Process::of_files(&bench, "");
    let file = format!("--state s --key k --server {}", server.address);
    let audit = bench.run(&format!("file audit {file} --full"));
    let audit = audit.fails_with(3, "");
    println!("{damages}{audit}");
    // Both messages name the same block, which is the damaged block.
    let (_, range) = audit.trim_end().rsplit_once("bytes ").unwrap();
    let (start, end) = range.split_once("..").unwrap();
    let named = format!("bytes {start} to {end}");
    assert!(damages.contains(&named), "{damages}");
    let [start, end]: [usize; 2] = [start, end].map(|index| index.parse().unwrap());
    assert!(start <= wanted && wanted < end);
    // Reads of other blocks succeed, and reads of the damaged block are refused.
    bench.ok(&format!("file read {file} --length 1000 --out beginning"));
    let read = bench.run(&format!("file read {file} --out all"));
    read.fails_with(3, "");
    assert!(!bench.path("all").exists());
    assert!(bench.read("beginning") == model[..1000]);
}

/// Checks that one signed head covers all files.
fn publish(bench: &Bench, file: &str, sealed: &Json) {
    bench.steps(&[
        "keygen --out author",
        &format!("file publish {file} --path original --store d --author author"),
        "commit --store d --key author",
        &format!(r#"get --store d original -> {{"value_hex": {sealed}}}"#),
    ]);
}

/// Checks reads that would overwrite a file, or that request bytes after the end.
fn read_with_care(bench: &Bench, file: &str, model: &[u8]) {
    // Existing files are not overwritten without `--force`.
    bench.write("copy", b"mine");
    let again = format!("file read {file} --length 5 --out copy");
    bench.fails(&again, 2, "exists already");
    assert_eq!(bench.read("copy"), b"mine");
    bench.ok(&format!("{again} --force"));
    assert_eq!(bench.read("copy"), model[..5]);
    let beyond = model.len() + 1;
    let read = format!("file read {file} --offset {beyond}");
    bench.step(&format!("{read} => 2 byte {beyond} is out of range"));
}

/// Checks that two writers without a response to their updates learn the outcome. The update that
/// the server applied first must be reported as applied, the other one as dropped.
fn settle_two_writers(bench: &Bench, file: &str, address: &str) {
    fs::copy(bench.path("s"), bench.path("t")).unwrap();
    for state in ["s", "t"] {
        leave_pending(bench, state, address);
    }
    let update = |file: &str| {
        let status = bench.json(&format!("file status {file}"));
        status[0]["update"].as_str().map(str::to_owned)
    };
    let applied = update(file).unwrap();
    let made = "applied: it made version 12";
    assert!(applied.ends_with(made), "{applied}");
    let dropped = update(&file.replace("--state s", "--state t")).unwrap();
    let refused = "is dropped, because the server refused it";
    assert!(dropped.contains(refused), "{dropped}");
    assert_eq!(update(file), None);
}

/// A connection that drops updates.
struct LossyTransport(HttpTransport);

impl Transport for LossyTransport {
    fn exchange(&self, request: &Request) -> Result<Response, TransportError> {
        match request {
            Request::Update(_) => Err(TransportError::Status(500)),
            _ => self.0.exchange(request),
        }
    }

    fn request_limit(&self) -> usize {
        self.0.request_limit()
    }
}

/// Writes the name of the state over the first byte of its file. The update is dropped.
fn leave_pending(bench: &Bench, state: &str, address: &str) {
    let key = FileOwnerKey::load(&bench.path("k")).unwrap();
    let transport = HttpTransport::new(&format!("http://{address}"), HttpOptions::default());
    let lossy = LossyTransport(transport.unwrap());
    let mut client = FileClient::open(&bench.path(state), key.owner(), lossy).unwrap();
    let bytes = state.as_bytes().to_vec();
    let lost = client.apply(&[ByteEdit::Write { offset: 0, bytes }]);
    assert!(matches!(lost, Err(ClientError::Transport(_))), "{lost:?}");
    assert!(client.is_pending());
}

/// Flips a bit in each occurrence of these bytes in the store's file.
fn damage(bench: &Bench, needle: &[u8]) {
    let mut bytes = bench.read("server/files.redb");
    let places: Vec<usize> = (0..bytes.len() - needle.len())
        .filter(|place| bytes[*place..].starts_with(needle))
        .collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place + 7] ^= 1;
    }
    bench.write("server/files.redb", &bytes);
}
