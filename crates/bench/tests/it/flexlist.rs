//! Output of `bench flexlist`: every promised key. Also traces made by
//! `scripts/trace-of-history.py`.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use bench::flexlist::trace::{Change, Edit, Trace};
use serde_json::Value;

use crate::output::{Promise, has_its_contents, keep_promises, lines, refusal, run, shown};

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(["-c", "commit.gpgSign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
}

/// Makes a repository with one file of 40 KB. Each of ten commits inserts one line.
fn repository(folder: &Path) {
    git(folder, &["init", "--quiet"]);
    let mut lines: Vec<String> = (0..1000).map(|line| format!("{line:039}\n")).collect();
    for commit in 0..10 {
        lines.insert(100 * commit, format!("commit {commit}\n"));
        fs::write(folder.join("file"), lines.concat()).unwrap();
        git(folder, &["add", "file"]);
        git(folder, &["commit", "--quiet", "--message=c"]);
    }
}

/// Runs the script that makes the trace `history` next to the files of the repository.
fn trace_of(repository: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/trace-of-history.py");
    let status = Command::new("python3")
        .arg(script)
        .args([repository, &repository.join("history")])
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn the_script_traces_lines_and_bytes_and_renames() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).unwrap();
        git(folder.path(), &["add", "--all"]);
    };
    let commit = || git(folder.path(), &["commit", "--quiet", "--message=c"]);
    git(folder.path(), &["init", "--quiet"]);
    fs::create_dir(folder.path().join("below")).unwrap();
    write("below/text", b"one\ntwo\nthree");
    write("bytes", b"ab\0cdef");
    commit();
    write("below/text", b"one\n2\nthree\nfour\n");
    write("bytes", b"ab\0cXYef");
    commit();
    git(folder.path(), &["mv", "bytes", "other"]);
    commit();
    trace_of(folder.path());
    let trace = Trace::read(&folder.path().join("history.csv")).unwrap();
    let edit = |offset, removed, inserted| Edit {
        offset,
        removed,
        inserted,
    };
    let changes = |commit: usize| -> Vec<Change> {
        let of = trace.commits[commit].changes.iter();
        of.map(|(_, change)| change.clone()).collect()
    };
    // The last line has no end before, and one after.
    let lines = vec![edit(4, 9, 13)];
    let added = |size| Change::Add { size };
    assert_eq!(changes(0), [added(13), added(7)]);
    let bytes = vec![edit(4, 1, 2)];
    assert_eq!(changes(1), [Change::Edit(lines), Change::Edit(bytes)]);
    assert_eq!(changes(2), [Change::Delete { size: 8 }, added(8)]);
    assert_eq!(trace.final_sizes, [Some(17), None, Some(8)]);
    assert_eq!(trace.files.iter().map(|it| it.folder).max(), Some(1));
}

/// `bench report` replays the history of this workspace. Every row fits the ones before.
#[test]
fn the_shipped_trace_is_read() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let trace = Trace::read(&data.join("history.csv.zst")).unwrap();
    assert_eq!(trace.commits.len(), 300);
}

#[test]
fn every_experiment_has_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let trace = folder.path().join("history.csv");
    trace_of(folder.path());
    let text = run(&format!(
        "flexlist --quick --json --threads=1,2 --trace {}",
        trace.display()
    ));
    let lines = lines(&text);
    keep_promises(&lines, &PROMISED);
    for (experiment, count, _) in PROMISED {
        keep_promises(&lines, &[(experiment, count, "cpu cores rustc commit")]);
    }
    counts_are_those_of_the_list(&lines);
    has_its_contents("files", &text);
    let shown = shown(&text, "");
    for title in [
        "Figures 6 and 7",
        "Figure 8",
        "Figure 10",
        "Table 2",
        "Audits",
        "Version-control",
        "Locality",
    ] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    let is_replayed = |row: &&str| row.contains("| history ") && row.contains(" server us |");
    let replayed = shown.lines().find(is_replayed);
    assert_eq!(replayed.unwrap().matches(" / ").count(), 4, "{shown}");
}

/// Asserts numbers of hashes and bytes, which are exact on every machine, unlike times.
fn counts_are_those_of_the_list(lines: &[Value]) {
    let of = |experiment: &str, keys: &[(&str, Value)]| -> Value {
        let found = lines.iter().find(|line| {
            line["experiment"] == experiment && keys.iter().all(|(key, value)| line[*key] == *value)
        });
        found.unwrap().clone()
    };
    // Half of 9000 blocks are above the lowest level; then the sentinels and the root.
    let build = of("flexlist_build", &[("threads", 2.into())]);
    let hashes = build["hashes"].as_u64().unwrap();
    assert!((13_503..=13_505).contains(&hashes), "{build}");
    let neighbours = of(
        "flexlist_multi",
        &[("updates", 10.into()), ("order", "consecutive".into())],
    );
    let scattered = of(
        "flexlist_multi",
        &[("updates", 10.into()), ("order", "random".into())],
    );
    for side in ["server", "client"] {
        let hashes = |line: &Value, key: &str| line[side][key].as_f64().unwrap();
        for line in [&neighbours, &scattered] {
            assert!(
                hashes(line, "batch_hashes") < hashes(line, "singles_hashes"),
                "{line}"
            );
        }
        let batch = "batch_hashes";
        assert!(
            hashes(&neighbours, batch) < 0.6 * hashes(&scattered, batch),
            "{side}"
        );
    }
    let audit = of("flexlist_audit", &[("tags", "private-mac".into())]);
    let part = |key: &str| audit[key].as_u64().unwrap();
    assert_eq!(part("challenges"), 460);
    let parts = ["list_proof_bytes", "committed_bytes", "tag_proof_bytes"].map(part);
    assert_eq!(part("total_bytes"), parts.iter().sum::<u64>());
    let replay = of("flexlist_replay", &[]);
    assert_eq!(
        (&replay["commits"], &replay["commits_with_edits"]),
        (&10.into(), &9.into())
    );
    assert_eq!(replay["batches"], 9);
    assert_eq!(replay["trace"], "history");
    // A line of nine bytes in each of nine commits, and the file that is added.
    let locality = of("flexlist_locality", &[]);
    assert_eq!(
        (&locality["commits"], &locality["commits_with_edits"]),
        (&10.into(), &9.into())
    );
    assert_eq!(locality["blocks_per_commit"]["mean"], 1.0);
    assert_eq!(locality["run_blocks"]["mean"], 1.0);
    assert_eq!(locality["changes_in_main_folder"], 1.0);
    assert_eq!(locality["edits_in_one_run"], 1.0);
}

#[test]
fn wrong_arguments_are_refused() {
    for wrong in ["--tags=md5", "--experiment=figure14", "--blocks=3"] {
        assert_eq!(refusal(&format!("flexlist {wrong}")).0, Some(2), "{wrong}");
    }
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.csv");
    let (code, errors) = refusal(&format!(
        "flexlist --quick --experiment=replay --trace {}",
        missing.display()
    ));
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("missing-files.csv: cannot be read"),
        "{errors}"
    );
}

/// Promises of `bench flexlist --json`.
#[rustfmt::skip]
const PROMISED: [Promise<'_>; 7] = [
    ("flexlist_locality", 1, "trace commits changes_in_main_folder edits_in_one_run \
        blocks_per_commit run_blocks sent_bytes_per_commit paper_blocks_per_commit"),
    ("flexlist_build", 4, "blocks block_bytes threads total_ms build_ms tag_ms ns_per_block \
        hashes bare_hashes_ms ratio speed_up"),
    ("flexlist_hash_share", 3, "operation update_us without_hashes_us hash_share witness_bytes \
        hashes limit_us ratio"),
    ("flexlist_multi", 4, "updates order rounds server client witness_bytes \
        singles_witness_bytes"),
    ("flexlist_audit", 3, "challenged_blocks tags key_seconds tag_us list_proof_bytes \
        committed_bytes tag_proof_bytes total_bytes prove_list_us prove_tags_us verify_list_us \
        verify_list_limit_us verify_list_ratio verify_tags_us owner_verify_tags_us"),
    ("flexlist_replay", 1, "model files commits batches operations operations_per_commit plan_us \
        server client witness_bytes singles_witness_bytes"),
    ("flexlist_network", 12, "request clients answers per_second p50_us p90_us p99_us"),
];
