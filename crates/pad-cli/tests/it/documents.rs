//! The commands that documents show, run one after the other.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Component, Path},
};

use crate::bench::Bench;

/// Runs the lines of a document that begin with `$ pad `, in a folder that has the project's data; how many.
/// Those about files of others need a server and have tests of their own.
fn run(document: &str) -> usize {
    let bench = Bench::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    symlink(data, bench.path("data")).unwrap();
    let commands = document
        .lines()
        .filter_map(|line| line.strip_prefix("$ pad "));
    let commands = commands.filter(|command| !command.starts_with("file "));
    let mut count = 0;
    for command in commands {
        let command = command.split(" #").next().unwrap().trim_end();
        bench.ok(&command.replace('\'', ""));
        count += 1;
    }
    count
}

#[test]
fn the_readme_s_commands_work() {
    assert!(run(include_str!("../../../../README.md")) >= 6);
}

#[test]
fn the_operator_s_tutorial_works() {
    assert!(run(include_str!("../../../../docs/tutorials/operator.md")) >= 11);
}

/// The servers that are started by lines that end with `&` are killed at the end.
#[cfg(feature = "network")]
#[test]
fn the_operations_commands_work() {
    use std::{
        io::{BufRead as _, BufReader},
        net::TcpListener,
        process::{Child, Stdio},
    };

    struct Servers(Vec<Child>);

    impl Drop for Servers {
        fn drop(&mut self) {
            for server in &mut self.0 {
                let _ = server.kill();
                let _ = server.wait();
            }
        }
    }

    let bench = Bench::new();
    let mut document = include_str!("../../../../docs/operations.md").to_owned();
    // All at once, so that they differ.
    let free = [(); 6].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    for (port, free) in (7440..).zip(&free) {
        let named = format!("127.0.0.1:{port}");
        document = document.replace(&named, &free.local_addr().unwrap().to_string());
    }
    drop(free);
    let (mut servers, mut count) = (Servers(Vec::new()), 0);
    for line in document.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let Some(line) = line.strip_prefix("pad ") else {
            let mut shell = std::process::Command::new("sh");
            let done = shell.args(["-c", line]).current_dir(bench.folder.path());
            assert!(done.status().unwrap().success(), "{line}");
            continue;
        };
        count += 1;
        if line.contains("--witnesses") && line.starts_with("get ") {
            // They have seen nothing yet, perhaps.
            let waits = (0..600).find(|_| {
                std::thread::sleep(std::time::Duration::from_millis(100));
                bench.run(line).status.success()
            });
            assert!(waits.is_some(), "{line}: {:?}", bench.run(line));
            continue;
        }
        let Some(server) = line.strip_suffix(" &") else {
            bench.ok(line);
            continue;
        };
        let mut command = bench.command();
        command.args(server.split(' ')).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        servers.0.push(child);
        let mut said = String::new();
        output.read_line(&mut said).unwrap();
        assert!(said.starts_with("serving "), "{line}: {said}");
    }
    assert!(count >= 19, "{count}");
}

/// The files of other crates are not there when a crate is built from what was published of it.
#[test]
fn crates_include_nothing_that_is_outside_of_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["comparison", "pad-cli"] {
        let mut included = 0;
        sources(&crates.join(name).join("src"), 1, &mut |file, depth| {
            let text = fs::read_to_string(file).unwrap();
            for opening in ["include_str!(\"", "include_bytes!(\""] {
                for rest in text.split(opening).skip(1) {
                    let path = Path::new(rest.split('"').next().unwrap());
                    let steps_up = path
                        .components()
                        .filter(|step| *step == Component::ParentDir);
                    assert!(
                        steps_up.count() <= depth,
                        "{}: {}",
                        file.display(),
                        path.display()
                    );
                    included += 1;
                }
            }
        });
        assert!(included > 0, "{name}");
    }
}

/// Calls `take` with every file in a folder, and the number of folders that it is in.
fn sources(folder: &Path, depth: usize, take: &mut impl FnMut(&Path, usize)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, depth + 1, take);
        } else {
            take(&path, depth);
        }
    }
}
