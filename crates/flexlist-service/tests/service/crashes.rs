//! Acknowledged requests survive a kill of the server at any point.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use flexlist::tag::TagKind;
use flexlist_service::{
    internals::{
        message::{Delete, Refusal, Request, Response},
        signed::RequestKind,
    },
    server::FileServer,
};
use pad_conformance::soak;
use pad_core::codec;

use crate::{
    owner::{Owner, StorePath, check_intact, open, open_with, small_checkpoints},
    plan::Random,
};

/// A request, and the owner's expected state after its answer.
struct Step {
    request: Request,
    after: Owner,
    next_part: u64,
}

impl Step {
    /// Returns whether the server's status of the file is the one after this step.
    fn is_reached(&self, server: &FileServer) -> bool {
        match server.handle(self.after.status()) {
            Response::State(standing) => {
                (standing.version, standing.next_part) == (self.after.version, self.next_part)
            }
            Response::Refused(Refusal::UnknownFile) => false,
            other => panic!("{other:?}"),
        }
    }

    /// Checks that the store has the expected contents after this step.
    fn check(&self, server: &FileServer) {
        assert!(self.is_reached(server));
        check_intact(server);
        if self.after.version > 0 {
            let expected = Response::State(self.after.standing(self.next_part));
            assert_eq!(server.handle(self.after.status()), expected);
            self.after.check_all(server);
        }
    }
}

/// The history of a file: an upload, updates, and the owner's statements after some of them.
fn life(seed: u8, updates: u64) -> Vec<Step> {
    let path = StorePath::new();
    let server = open(&path);
    let mut random = Random(u64::from(seed));
    let mut owner = Owner::new(seed, TagKind::HashOnly);
    let unfinished = owner.clone();
    let parts = [random.blocks(12), random.blocks(6), random.blocks(1)];
    let requests = owner.upload_requests(&parts);
    let mut steps = Vec::new();
    for (number, request) in (0..).zip(requests) {
        server.handle(request.clone());
        let finished = number == 4;
        let after = if finished { &owner } else { &unfinished };
        steps.push(Step {
            request,
            after: after.clone(),
            next_part: number.min(3),
        });
    }
    for number in 0..updates {
        let plan = owner.plan(&mut random, 3);
        let request = owner.update(&server, &plan);
        let acknowledge = owner.acknowledge(owner.version);
        let mut requests = vec![request];
        if number % 3 == 0 {
            requests.push(acknowledge);
        }
        steps.extend(requests.into_iter().map(|request| Step {
            request,
            after: owner.clone(),
            next_part: 3,
        }));
    }
    steps
}

#[test]
fn a_copy_of_the_running_store_opens_at_the_last_acknowledged_step() {
    let path = StorePath::new();
    let copy = path.sibling("copy");
    let server = open_with(&path, small_checkpoints());
    let steps = life(1, 30);
    for (number, step) in steps.iter().enumerate() {
        let response = server.handle(step.request.clone());
        assert!(!matches!(response, Response::Refused(_)), "{response:?}");
        fs::copy(&path, &copy).unwrap();
        let crashed = open_with(&copy, small_checkpoints());
        step.check(&crashed);
        // The previous version is still readable, unless the owner acknowledged the current one.
        if let Request::Update(_) = step.request {
            steps[number - 1].after.check_all(&crashed);
            assert_eq!(crashed.handle(step.request.clone()), response);
        }
        // The copy accepts the next request.
        if let Some(next) = steps.get(number + 1) {
            crashed.handle(next.request.clone());
            next.check(&crashed);
        }
    }
}

const STORE: &str = "FLEXLIST_KILL_STORE";

/// The server process that [`killed_servers_lose_nothing`] kills; not a test of its own.
#[test]
#[ignore = "runs as a child process of another test"]
fn server_to_kill() {
    let Ok(store) = std::env::var(STORE) else {
        return;
    };
    let server = open_with(Path::new(&store), small_checkpoints());
    let folder = PathBuf::from(store).with_file_name("requests");
    let start: usize = fs::read_to_string(folder.join("start"))
        .unwrap()
        .parse()
        .unwrap();
    for number in start.. {
        let Ok(bytes) = fs::read(folder.join(number.to_string())) else {
            return;
        };
        let request: Request = codec::decode(&bytes, bytes.len()).unwrap();
        let response = server.handle(request);
        assert!(!matches!(response, Response::Refused(_)), "{response:?}");
        println!("\nacknowledged {number}");
    }
}

/// Runs a server on the requests from `start` on, and kills it after it has acknowledged `wanted`.
/// Returns the last acknowledged request; `None` if the server ended first.
fn kill_after(path: &Path, start: usize, wanted: usize, random: &mut Random) -> Option<usize> {
    let requests = path.with_file_name("requests");
    fs::write(requests.join("start"), start.to_string()).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "crashes::server_to_kill",
            "--ignored",
            "--nocapture",
        ])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let acknowledged = |line: std::io::Result<String>| -> Option<usize> {
        line.unwrap().strip_prefix("acknowledged ")?.parse().ok()
    };
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = output.lines().filter_map(acknowledged);
    let last = lines.by_ref().find(|number| *number >= wanted);
    sleep(Duration::from_micros(random.below(600)));
    child.kill().unwrap();
    child.wait().unwrap();
    // Acknowledgements printed before the kill took effect.
    lines.last().or(last)
}

/// Writes the requests to the folder from which the server process reads them.
fn leave_requests<'a>(path: &Path, requests: impl Iterator<Item = &'a Request>) {
    let folder = path.with_file_name("requests");
    fs::create_dir(&folder).unwrap();
    for (number, request) in requests.enumerate() {
        fs::write(folder.join(number.to_string()), codec::encode(request)).unwrap();
    }
}

#[test]
fn killed_servers_lose_nothing() {
    let path = StorePath::new();
    let steps = life(2, soak::size(60, 120));
    leave_requests(&path, steps.iter().map(|step| &step.request));
    let mut random = Random(3);
    let mut start = 0;
    let mut rounds = 0;
    while start + 1 < steps.len() {
        rounds += 1;
        let wanted = start + 1 + usize::try_from(random.below(16)).unwrap();
        let last = kill_after(&path, start, wanted, &mut random);
        let last = last.unwrap_or(steps.len() - 1);
        let server = open_with(&path, small_checkpoints());
        let reached: Vec<usize> = (0..steps.len())
            .filter(|number| steps[*number].is_reached(&server))
            .collect();
        let newest = *reached.last().unwrap();
        assert!(
            newest >= last,
            "step {last} was acknowledged, the store is at {newest}"
        );
        steps[newest].check(&server);
        // Repeats a request that was executed.
        start = reached[0];
        if last == steps.len() - 1 {
            break;
        }
    }
    assert!(rounds > 2, "{rounds} rounds");
}

#[test]
fn killed_servers_bring_no_removed_file_back() {
    let path = StorePath::new();
    let mut random = Random(4);
    let server = open(&path.sibling("model"));
    let mut requests = Vec::new();
    let mut files = Vec::new();
    for seed in 0..soak::size(20, 60) {
        let mut owner = Owner::new(seed, TagKind::HashOnly);
        // More records than one transaction deletes.
        let of_file = owner.upload_requests(&[random.blocks(400), random.blocks(400)]);
        for request in &of_file {
            server.handle(request.clone());
        }
        requests.extend(of_file);
        if seed % 3 > 0 {
            let plan = owner.plan(&mut random, 3);
            requests.push(owner.update(&server, &plan));
        }
        let (file, version) = (owner.file, owner.version);
        let delete = owner.sign(RequestKind::Delete, &Delete { file, version });
        requests.push(Request::Delete(delete));
        files.push((owner, requests.len() - 1));
    }
    leave_requests(&path, requests.iter());
    let mut start = 0;
    let mut rounds = 0;
    while start < requests.len() {
        rounds += 1;
        let wanted = start + usize::try_from(random.below(12)).unwrap();
        let last = kill_after(&path, start, wanted, &mut random);
        let last = last.unwrap_or(requests.len() - 1);
        let server = open(&path);
        let mut there = 0;
        let mut next = last + 1;
        for (owner, delete) in &files {
            match server.handle(owner.status()) {
                Response::Refused(Refusal::Removed) => {
                    // The answer may have been lost. The next server continues after this removal.
                    next = next.max(delete + 1);
                    for request in &requests[delete.saturating_sub(4)..*delete] {
                        let answer = server.handle(request.clone());
                        assert_eq!(answer, Response::Refused(Refusal::Removed));
                    }
                }
                Response::State(_) => {
                    assert!(*delete > last, "{delete} was acknowledged");
                    there += 1;
                }
                Response::Refused(Refusal::UnknownFile) => assert!(*delete > last),
                other => panic!("{other:?}"),
            }
        }
        assert!(there <= 1, "{there} files");
        while server.leftovers().unwrap() > 0 {
            sleep(Duration::from_millis(1));
        }
        assert_eq!(check_intact(&server).files, there);
        // Repeated requests about the file in progress get their first answers again.
        start = next.min(last + 1);
    }
    assert!(rounds > 2, "{rounds} rounds");
}
