//! Tests of `bench::peers`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use bench::peers::{PeersArguments, follow};

use crate::arguments::parsed;

#[test]
fn what_is_asked_for_is_handed_on() {
    let peers = "jmt,treap path copying";
    let arguments = ["--json", "--quick", "--keys", "10,200", "--peer", peers];
    let command = parsed::<PeersArguments>(&arguments).command();
    let words = command.get_args().map(|word| word.to_str().unwrap());
    let words: Vec<&str> = words.collect();
    let shown = words.join(" ");
    let end = "peers/Cargo.toml -- --keys 10,200 --peer jmt,treap path copying --quick";
    assert!(shown.ends_with(end), "{shown}");
    let manifest = words.iter().find(|word| word.ends_with("Cargo.toml"));
    assert!(PathBuf::from(manifest.unwrap()).is_file());
}

#[test]
fn what_prints_no_line_is_ended() {
    let script = "echo $$; exec sleep 60";
    let mut shell = Command::new("sh");
    let error = follow(shell.args(["-c", script]), |line| {
        Err(format!("took {line:?}").into())
    });
    let error = error.unwrap_err().to_string();
    let process = error.split('\'').nth(1).unwrap();
    assert!(process.parse::<u32>().is_ok(), "{error}");
    assert!(!Path::new("/proc").join(process).exists(), "{error}");
    // The same if a line is there and cannot be taken.
    let script = "echo \"{\\\"pid\\\":$$}\"; exec sleep 60";
    let mut process = None;
    let refused = follow(Command::new("sh").args(["-c", script]), |line| {
        process = Some(line.count("pid"));
        Err("no".into())
    });
    assert_eq!(refused.unwrap_err().to_string(), "no");
    let process = process.unwrap().to_string();
    assert!(!Path::new("/proc").join(process).exists());
    let mut lines = 0;
    let done = follow(Command::new("sh").args(["-c", "echo {}; exit 3"]), |_| {
        lines += 1;
        Ok(())
    });
    let failed = done.unwrap_err().to_string();
    assert!(lines == 1 && failed.ends_with("exit status: 3"), "{failed}");
}
