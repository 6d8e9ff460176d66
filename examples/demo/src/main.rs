//! Demonstration: publishes real data in each kind of dictionary, attacks the clients, and writes a
//! page with all measurements.

use std::{
    env, fs,
    path::Path,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

mod dictionary;
mod directory;
mod file;
mod lies;
mod log;
mod measure;
mod page;
mod picture;
mod prices;
mod report;
mod set;

use dictionary::{Publication, kinds};
use prices::{KEYS, Prices, keys};
use report::{Act, Outcome, say};

const USAGE: &str = "\
Usage: demo [OPTIONS]
  --out FOLDER           write the page and example files into this folder [default: target/demo]
  --budget MILLISECONDS  measure each rate for this long [default: 100]
  --keys COUNT           publish about COUNT of the keys [default: all]";

fn main() -> ExitCode {
    let (mut out, mut budget, mut keys) = ("target/demo".to_owned(), Ok(100), Ok(usize::MAX));
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--out", Some(folder)) => out = folder,
            ("--budget", Some(number)) => budget = number.parse(),
            ("--keys", Some(number)) => keys = number.parse(),
            _ => budget = "none".parse(),
        }
    }
    let (Ok(budget), Ok(keys @ 1..)) = (budget, keys) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(Path::new(&out), Duration::from_millis(budget), keys) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Number of keys in the dictionaries of slow schemes.
const SOME_KEYS: usize = 200;

/// Runs all parts of the demonstration. Fails if an answer is wrong or a false answer is accepted.
fn run(out: &Path, budget: Duration, keys: usize) -> Outcome {
    let prices = Prices::load()?.some(keys);
    let some = prices.some(SOME_KEYS);
    let mut acts = vec![introduce(&prices)];
    acts[0].print(1)?;
    let all = publish_all([&prices, &some], budget)?;
    let text = "One row or bar for each dictionary.".to_owned();
    acts.push(look_up(&all, &prices)?);
    acts.push(lie(&all));
    acts.push(Act("Compare", text, measure::table(&all), Vec::new()));
    acts[1..]
        .iter()
        .zip(2..)
        .try_for_each(|(act, number)| act.print(number))?;
    for (show, number) in [log::show, directory::show, file::show, set::show]
        .into_iter()
        .zip(5..)
    {
        let act = show()?;
        act.print(number)?;
        acts.push(act);
    }
    let shown = all
        .iter()
        .find(|published| published.kind.scheme == "red-black");
    let shown = shown.ok_or("no dictionary is shown")?;
    let proof = picture::proof(shown, &prices::keys()[0])?;
    fs::create_dir_all(out)?;
    fs::write(
        out.join("index.html"),
        page::page(&circumstances(), &acts, &proof, &all),
    )?;
    leave(out, shown)
}

/// Publishes with every kind of dictionary, one at a time on each core. Slow kinds publish `some`,
/// which has fewer keys.
fn publish_all([prices, some]: [&Prices; 2], budget: Duration) -> Outcome<Vec<Publication<'_>>> {
    let queue = Mutex::new(kinds().into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut done = Vec::new();
        while let Some((number, kind)) = next() {
            let prices = if kind.is_slow() { some } else { prices };
            let published = kind.publish(prices, budget)?;
            let (kind, seconds) = (&published.kind, published.time);
            say(&format!("   {kind:<60} {seconds:.2} s"))?;
            done.push((number, published));
        }
        Outcome::Ok(done)
    };
    let all = thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().map(thread::ScopedJoinHandle::join);
        let done = done.map(|done| done.unwrap_or_else(|_| Err("a thread panicked".into())));
        done.collect::<Outcome<Vec<_>>>()
    })?;
    let mut all: Vec<_> = all.into_iter().flatten().collect();
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, published)| published).collect())
}

/// Describes the published data.
fn introduce(prices: &Prices) -> Act {
    let (snapshots, kinds) = (&prices.snapshots, kinds());
    let trees = kinds.iter().filter(|kind| kind.is_tree()).count();
    let text = format!(
        "Prices of language models: {} snapshots from {} to {}, {} changes, {} keys in the last.\n\
         An author signs each snapshot as a version, and a server applies it, for {trees} kinds of \
         trees\n\
         and {} kinds of tuples. Kinds with BLS signatures or accumulators take milliseconds \
         where\n\
         others take microseconds, so they publish only about {SOME_KEYS} of the keys.",
        snapshots.len(),
        snapshots[0].0,
        snapshots[snapshots.len() - 1].0,
        snapshots
            .iter()
            .map(|(_, operations)| operations.len())
            .sum::<usize>(),
        prices.last().len(),
        kinds.len() - trees,
    );
    Act("Publish", text, Vec::new(), Vec::new())
}

/// Looks keys up at three versions. Every dictionary must give the right, verified answer.
fn look_up(all: &[Publication<'_>], prices: &Prices) -> Outcome<Act> {
    let versions: Vec<_> = prices.versions().step_by(13).collect();
    let mut table = vec![vec!["key".to_owned()]];
    table[0].extend(versions.iter().map(|version| format!("version {version}")));
    for ((what, _), key) in KEYS.iter().zip(&keys()) {
        let mut row = vec![format!("{what}: {key}")];
        for version in versions.iter().copied() {
            let right = prices.value(version, key);
            for Publication {
                kind, dictionary, ..
            } in all
            {
                let answer = dictionary.answer(version, key)?;
                let answer = dictionary.check(version, key, &answer)?;
                if answer.value() != right {
                    return Err(format!("{kind}: wrong answer for {key} in {version}").into());
                }
            }
            row.push(right.map_or("absent".into(), ToString::to_string));
        }
        table.push(row);
    }
    let text = format!(
        "The server sends bytes. The client verifies them with only the author's public key.\n\
         {0} of {0} answers, from all {1} dictionaries, verified and were right.",
        all.len() * versions.len() * KEYS.len(),
        all.len()
    );
    Ok(Act("Look up", text, table, Vec::new()))
}

/// Reports the false answers of servers, which the clients rejected.
fn lie(all: &[Publication<'_>]) -> Act {
    let text = format!(
        "The server tampers with real answers. The client rejected {0} of {0} lies about all {1}\n\
         dictionaries. These are the lies about one tree and about one kind of tuples:",
        all.iter()
            .map(|published| published.lies.len())
            .sum::<usize>(),
        all.len()
    );
    let mut told = Vec::new();
    for (family, wanted) in [("tree", "red-black"), ("tuple", "tuple-spec-lightweight")] {
        let published = all.iter().find(|published| published.kind.scheme == wanted);
        for mut lie in published.map_or(Vec::new(), |published| published.lies.clone()) {
            lie[0] = format!("{family}: {}", lie[0]);
            told.push(lie);
        }
    }
    Act("Lie", text, Vec::new(), told)
}

/// Returns a description of the machine and the program.
fn circumstances() -> String {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let processor = processor
        .unwrap_or("an unknown processor")
        .trim_matches([' ', '\t', ':']);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (version, system) = (env!("CARGO_PKG_VERSION"), env::consts::OS);
    format!("Made by the demonstration of pad {version}, on {processor}, {cores} cores, {system}.")
}

/// Writes a public key and proofs to files, so that a reader can verify them with `pad`.
fn leave(out: &Path, shown: &Publication<'_>) -> Outcome {
    let authority = shown.dictionary.authority();
    let (author, dictionary, scheme) = (authority.author, authority.dictionary, &shown.kind.scheme);
    let public = format!(
        "pad-public-key v1\nsuite sha256-ed25519\nscheme {scheme}\ndictionary {dictionary}\n\
         author {author}\n"
    );
    fs::write(out.join("prices.pub"), public)?;
    let latest = shown.prices.latest();
    for ((what, _), key) in KEYS.iter().zip(&keys()) {
        let answer = shown.dictionary.answer(latest, key)?;
        fs::write(out.join(format!("{what}.proof")), answer)?;
    }
    let (folder, (what, key)) = (out.display(), KEYS[0]);
    say(&format!(
        "\n9. Try it yourself. The page with the plots is {folder}/index.html\n   \
         pad verify --public {folder}/prices.pub --proof {folder}/{what}.proof --at {latest} \
         '{key}'"
    ))
}
