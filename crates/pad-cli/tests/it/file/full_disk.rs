//! Tests of a server whose disk is full, on a small separate file system.

#![cfg(target_os = "linux")]

use std::{fs, time::Instant};

use crate::{
    bench::{Bench, Outcome as _},
    process::{Process, until},
    small_disk::SmallDisk,
};

#[test]
fn a_full_disk_passes_while_the_server_lives_on() {
    let bench = Bench::new();
    let Some(_disk) = SmallDisk::mount(bench.path("server"), "8m") else {
        println!("skipped: only root can mount a small disk");
        return;
    };
    let contents: Vec<u8> = (0..250_000_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(bench.path("original"), &contents).unwrap();
    fs::write(bench.path("large"), contents.repeat(12)).unwrap();
    // The server is dropped, and so killed, before the file system is unmounted.
    let server = Process::of_files(&bench, "--reserve 1000000");
    let file = |state: &str| format!("--state {state} --key k --server {}", server.address);
    bench.ok(&format!("file upload {} original", file("s")));
    let still_there = |when: &str| {
        bench.ok(&format!("file audit {} --full", file("s")));
        bench.ok(&format!("file read {} --out {when}", file("s")));
        assert!(bench.read(when) == contents, "{when}");
    };
    for round in 0..3 {
        let large = file(&format!("large-{round}"));
        let output = bench.run(&format!("file upload {large} large"));
        output.fails_with(4, "it cannot write for now, only read");
        still_there(&format!("full-{round}"));
        bench.ok(&format!("file delete {large} --whole-file"));
        let small = file(&format!("small-{round}"));
        let start = Instant::now();
        until("room for a file", || {
            let output = bench.run(&format!("file upload {small} original"));
            assert!(matches!(output.status.code(), Some(0 | 4)), "{output:?}");
            output.status.success()
        });
        println!("room again after {:?}", start.elapsed());
        still_there(&format!("room-{round}"));
        bench.ok(&format!("file delete {small} --whole-file"));
    }
    server.stop();
    bench.ok("file check --store server");
}
