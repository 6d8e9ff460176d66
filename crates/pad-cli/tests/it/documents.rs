//! Runs the commands in documents, in order.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::symlink,
    path::{Component, Path},
    process::Stdio,
};

use crate::{
    bench::{Bench, Outcome as _, data},
    process::{Process, free_address, until},
};

/// Runs the lines of a document that begin with `$ pad `, in a folder with the project's data, and
/// returns their number. Lines about outsourced files need a server;
/// [`the_readme_s_files_are_kept`] runs them.
fn run(document: &str) -> usize {
    let bench = Bench::new();
    symlink(data(""), bench.path("data")).unwrap();
    let commands = commands(document).filter(|command| !command.starts_with("file "));
    let run = commands.map(|command| {
        let command = command.split(" #").next().unwrap().trim_end();
        bench.ok(&command.replace('\'', ""))
    });
    run.count()
}

/// Returns the lines of a document that begin with `$ pad `, without these words.
fn commands(document: &str) -> impl Iterator<Item = &str> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("$ pad "))
}

/// The commands in the README must print the output that is shown below them.
#[test]
fn the_readme_s_commands_work() {
    let readme = include_str!("../../../../README.md");
    let count = follow(readme, &Bench::new(), |line| line.starts_with("make "));
    assert!(count >= 9, "{count}");
}

#[test]
fn the_commands_of_guides_work() {
    assert!(run(include_str!("../../../../docs/choosing.md")) >= 3);
    assert!(run(include_str!("../../../block-directory/README.md")) >= 7);
}

/// The guide's table of families must agree with the properties by which `pad advise` excludes
/// schemes.
#[test]
fn the_table_of_families_is_that_of_the_schemes() {
    use comparison::{Properties, SchemeFamily as Family, schemes};

    type Property = fn(&Properties) -> bool;
    let rows: [(&str, Property); 6] = [
        ("ranges, several keys", |of| of.proves_ranges),
        ("removal", |of| of.removes),
        ("proof that nothing was removed", |of| of.append_only),
        ("equal contents have equal roots", |of| of.set_unique),
        ("trusted setup of public parameters", |of| of.trusted_setup),
        ("fixed maximum of entries", |of| of.bounded),
    ];
    let columns: [&[Family]; 3] = [
        &[Family::Tree],
        &[Family::SignedTuples, Family::AccumulatedTuples],
        &[Family::Log],
    ];
    let guide = include_str!("../../../../docs/choosing.md");
    for (row, property) in rows {
        let begin = format!("| {row} | ");
        let line = guide.lines().find_map(|line| line.strip_prefix(&begin));
        let line = line.unwrap_or_else(|| panic!("no row: {row}"));
        let cells: Vec<&str> = line.trim_end_matches(" |").split(" | ").collect();
        assert_eq!(cells.len(), columns.len(), "{row}");
        for (cell, families) in cells.into_iter().zip(columns) {
            let schemes = schemes().iter();
            let schemes = schemes.filter(|scheme| families.contains(&scheme.family));
            let having: Vec<bool> = schemes.map(|scheme| property(&scheme.properties)).collect();
            let expected = match (having.contains(&true), having.contains(&false)) {
                (true, false) => cell == "yes",
                (false, true) => cell == "no",
                (some, _) => some && !["yes", "no"].contains(&cell),
            };
            assert!(expected, "{row}, {families:?}: {cell}");
        }
    }
}

#[test]
fn the_operator_s_tutorial_works() {
    assert!(run(include_str!("../../../../docs/tutorials/operator.md")) >= 11);
}

/// Runs the lines about outsourced files in a shell, in order, with a separate server.
#[test]
fn the_readme_s_files_are_kept() {
    let bench = Bench::new();
    for (name, words) in [("thesis.pdf", "a thesis\n"), ("talk.pdf", "a talk\n")] {
        bench.write(name, words.repeat(5_000).as_bytes());
    }
    let (mut server, mut count) = (None, 0);
    let lines = commands(include_str!("../../../flexlist-service/README.md"));
    for line in lines.filter_map(|line| line.strip_prefix("file ")) {
        count += 1;
        let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
        if let Some(serve) = command.trim_end().strip_suffix(" &") {
            // Uses a free port. State files contain the address.
            let words = ["file"].into_iter().chain(serve.split(' '));
            let words = words.chain(["--listen", "127.0.0.1:0"]);
            server = Some(Process::spawn(&bench, words));
            continue;
        }
        let mut command = format!("pad file {command}");
        if command.contains(" upload ") {
            let address = &server.as_ref().unwrap().address;
            command = format!("{} --server {address}", command.trim_end());
        }
        if command.contains(" sync ") {
            bench.write("thesis.pdf", "a better thesis\n".repeat(5_000).as_bytes());
        }
        bench.shell(&command).succeeds();
        if let Some((challenges, _)) = comment.split_once(" challenges") {
            let audit = bench.json("file audit --state thesis.state");
            assert_eq!(audit[0]["challenged_bytes"].to_string(), challenges.trim());
        }
    }
    assert!(count >= 12, "{count}");
    let copy = String::from_utf8(bench.read("copy.pdf")).unwrap();
    assert!(copy.contains("one more sentence"));
    for name in ["talk-copy.pdf", "first-talk.pdf"] {
        assert!(bench.read(name) == bench.read("talk.pdf"), "{name}");
    }
}

/// Server processes that are killed when this value is dropped.
struct Servers(Vec<std::process::Child>);

impl Drop for Servers {
    fn drop(&mut self) {
        for server in &mut self.0 {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// Asserts that lines of a document are lines of what was printed.
fn assert_shown(lines: &[&str], printed: &str) {
    for line in lines {
        let is_shown = printed.lines().any(|other| other == *line);
        assert!(is_shown, "{line}: {printed}");
    }
}

/// Runs the lines of a document that begin with `$ `: commands of `pad` and of the shell.
///
/// A line that ends with `&` starts a server. A line with `# exit status N` must fail. The lines
/// below a command must be in its output. Ports from 7440 on are replaced by free ports. Returns
/// the number of `pad` lines.
fn follow(document: &str, bench: &Bench, mut other: impl FnMut(&str) -> bool) -> usize {
    let mut document = document.to_owned();
    for port in 7440..7447 {
        document = document.replace(&format!("127.0.0.1:{port}"), &free_address());
    }
    let (mut servers, mut count) = (Servers(Vec::new()), 0);
    let mut lines = document.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("$ ") else {
            continue;
        };
        let is_output = |line: &&str| !["$", "```"].iter().any(|next| line.starts_with(next));
        let shown: Vec<&str> = std::iter::from_fn(|| lines.next_if(is_output)).collect();
        let Some(line) = line.strip_prefix("pad ") else {
            if !other(line) {
                bench.shell(line).succeeds();
            }
            continue;
        };
        count += 1;
        if let Some((line, status)) = line.split_once(" # exit status ") {
            let errors = bench.run(line).fails_with(status.parse().unwrap(), "");
            assert_shown(&shown, &errors);
            continue;
        }
        if line.starts_with("get --server ") {
            // Mirrors and witnesses may not have received the version yet, so the command is
            // repeated.
            until(line, || bench.run(line).status.success());
            continue;
        }
        let Some(server) = line.strip_suffix(" &") else {
            assert_shown(&shown, &bench.ok(line));
            continue;
        };
        let mut command = bench.command();
        command.args(server.split(' ')).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        servers.0.push(child);
        let mut said = String::new();
        output.read_line(&mut said).unwrap();
        assert!(said.contains("127.0.0.1:"), "{line}: {said}");
    }
    count
}

#[test]
fn the_operations_commands_work() {
    let document = include_str!("../../../../docs/operations.md");
    let count = follow(document, &Bench::new(), |_| false);
    assert!(count >= 21, "{count}");
}

/// The reader's own program must build as the document describes, outside of the workspace.
#[test]
fn the_first_half_hour_works() {
    let document = include_str!("../../../../docs/tutorials/first-half-hour.md");
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/standalone/authdict");
    let program = fs::read_to_string(reader.join("src/main.rs")).unwrap();
    let shown = document.split_once("```rust,no_run\n").unwrap().1;
    let shown = shown.split_once("```").unwrap().0;
    // The document's program is the one that is built.
    assert!(program.ends_with(shown));

    let bench = Bench::new();
    let is_built = pad_conformance::soak::enabled();
    let mut printed = None;
    let count = follow(document, &bench, |line| {
        if !line.starts_with("cargo run ") {
            return false;
        }
        // This build compiles `pad` again, with the features of a program outside of the workspace.
        if is_built {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = std::process::Command::new(cargo);
            command.args(["run", "--quiet", "--locked", "--offline", "--manifest-path"]);
            command.arg(reader.join("Cargo.toml")).arg("--target-dir");
            command.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("standalone"));
            let output = command.current_dir(bench.folder.path()).output();
            printed = Some(output.unwrap().succeeds());
        }
        true
    });
    assert!(count >= 25, "{count}");
    let expected = is_built.then_some("apple: Present(Value(1.20))\n");
    assert_eq!(printed.as_deref(), expected);
    let copy = [b"prices:", &bench.read("prices.csv")[..]].concat();
    assert_eq!(bench.read("copy.csv"), copy);
}

/// When a published crate is built, the files of other crates are missing.
#[test]
fn crates_include_nothing_that_is_outside_of_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in ["comparison", "authdict"] {
        let mut included = 0;
        sources(&crates.join(name).join("src"), 1, &mut |file, depth| {
            let text = fs::read_to_string(file).unwrap();
            for opening in ["include_str!(\"", "include_bytes!(\""] {
                for rest in text.split(opening).skip(1) {
                    let path = Path::new(rest.split('"').next().unwrap());
                    let steps = path.components();
                    let steps_up = steps.filter(|step| *step == Component::ParentDir);
                    let (file, path) = (file.display(), path.display());
                    assert!(steps_up.count() <= depth, "{file}: {path}");
                    included += 1;
                }
            }
        });
        assert!(included > 0, "{name}");
    }
}

/// Calls `take` with every source file in a folder, and the number of folders above the file.
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
