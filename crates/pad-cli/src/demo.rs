//! The demonstration: real prices in each kind of dictionary, a lying server, and plots.

use core::time::Duration;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::SystemTime,
};

use comfy_table::CellAlignment;
use pad::{
    Answer,
    question::Question,
    selection::{SchemeFamily, SchemeName},
};
use serde_json::json;

use crate::cli::{Failure, Output, utc};

#[cfg(feature = "accumulators")]
mod accumulators;
mod attacks;
mod dictionary;
mod directory;
#[cfg(feature = "file")]
mod file;
#[cfg(feature = "aad")]
mod log;
mod measure;
mod page;
mod prices;
mod report;
mod scene;
mod tree_attacks;
mod tuple_attacks;

use dictionary::Published;
use measure::Measured;
use prices::Prices;
use report::{Report, Section, Table};

/// What to demonstrate.
pub(crate) struct Settings {
    /// Gets the page and files to try by hand.
    pub(crate) out: PathBuf,
    /// The time for each measurement.
    pub(crate) budget: Duration,
    /// What is published in place of the bundled trace.
    pub(crate) trace: Option<PathBuf>,
}

/// Runs the demonstration.
///
/// Fails if one answer is not the right one, or one attack is not refused.
pub(crate) fn run(settings: &Settings, output: &mut Output) -> Result<(), Failure> {
    let budget = settings.budget;
    let prices = match &settings.trace {
        Some(path) => Prices::load(path)?,
        None => Prices::bundled()?,
    };
    let mut report = Report {
        contents: introduce(&prices, output)?,
        circumstances: circumstances(),
        warning: cfg!(debug_assertions).then_some(
            "This program was built without optimisation: times are many times longer than they are with it.",
        ),
        ..Report::default()
    };
    let folder = tempfile::Builder::new().prefix("pad-demo-").tempdir();
    let folder = folder.map_err(|error| Failure::Store(error.to_string()))?;
    let some = prices.some(SOME_KEYS);
    let mut published = Vec::new();
    for scheme in schemes() {
        let prices = if is_slow(scheme) { &some } else { &prices };
        let mut dictionary = dictionary::publish(folder.path(), scheme, prices)?;
        dictionary.compact()?;
        report.measured.push(measure::measure(&dictionary, budget)?);
        let (name, seconds) = (dictionary.scheme, dictionary.import_time.as_secs_f64());
        output.text(&format!("   {name:<44} {seconds:.2} s"))?;
        published.push(dictionary);
    }
    report.sections.push(look_up(&published, &prices, output)?);
    report
        .sections
        .push(attack(&published, folder.path(), output)?);
    print_measured(&report.measured, output)?;
    #[cfg(feature = "aad")]
    report.sections.push(log::show(folder.path(), output)?);
    report
        .sections
        .push(directory::show(folder.path(), output)?);
    #[cfg(feature = "file")]
    report.sections.push(file::show(folder.path(), output)?);
    #[cfg(feature = "accumulators")]
    report.sections.push(accumulators::show(&prices, output)?);
    let shown = published
        .into_iter()
        .find(Published::is_shown)
        .ok_or_else(lost)?;
    leave(&settings.out, shown, &report, &prices, output)
}

/// When, where, and by which program.
fn circumstances() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let when = utc(now.map_or(0, |since| since.as_secs()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    format!(
        "Made at {when} by pad {}, on {}, {cores} cores, {} {}.",
        env!("CARGO_PKG_VERSION"),
        processor(),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

fn processor() -> String {
    comparison::processor().unwrap_or_else(|| "an unknown processor".into())
}

/// Every scheme of trees and tuples.
fn schemes() -> impl Iterator<Item = SchemeName> {
    let families = [SchemeFamily::Tree, SchemeFamily::Tuple];
    families.into_iter().flat_map(SchemeFamily::schemes)
}

/// Whether a scheme takes milliseconds where others take microseconds: BLS signatures and accumulators.
fn is_slow(scheme: SchemeName) -> bool {
    scheme.name().ends_with("-bls") || scheme.name().contains("accumulators")
}

/// How many keys dictionaries of slow schemes hold, besides the interesting ones.
const SOME_KEYS: usize = 200;

/// Says what is published; what the page says of it.
fn introduce(prices: &Prices, output: &mut Output) -> Result<String, Failure> {
    let [trees, tuples] =
        [SchemeFamily::Tree, SchemeFamily::Tuple].map(|family| family.schemes().count());
    let mut contents = format!(
        "{}: {} snapshots from {} to {}, {} changes, {} keys in the last.",
        prices.title,
        prices.snapshots.len(),
        prices.first_name(),
        prices.last_name(),
        prices.changes(),
        prices.contents.last().map_or(0, BTreeMap::len),
    );
    if let Some(left_out) = &prices.left_out {
        contents.extend([" Left out: ", left_out, "."]);
    }
    output.text(&format!(
        "{contents}\n\
         \n\
         1. Publish. An author signs each snapshot as a version and stores it durably, in {trees} kinds of\n\
         \u{20}  trees and {tuples} kinds of tuples (those with BLS signatures and accumulators, which take\n\
         \u{20}  milliseconds where others take microseconds, with some {SOME_KEYS} of the keys):",
    ))?;
    Ok(format!(
        "{contents} An author signed each snapshot as a version, in {trees} kinds of trees and {tuples} kinds of tuples; those \
         with BLS signatures and accumulators hold some {SOME_KEYS} of the keys. Every answer was verified with the author's \
         public key alone."
    ))
}

/// Keys at three versions, with every dictionary giving the right, verified answer.
fn look_up(
    all: &[Published<'_>],
    prices: &Prices,
    output: &mut Output,
) -> Result<Section, Failure> {
    output.text(
        "\n2. Look up. The server sends bytes; the client checks them with the public key alone.",
    )?;
    let versions = prices.versions();
    let header = versions.iter().map(|version| format!("version {version}"));
    let mut table = Table::new(core::iter::once("key".to_owned()).chain(header));
    for (what, key) in prices.interesting_keys() {
        let mut row = vec![format!("{what}: {key}")];
        for version in versions {
            for dictionary in all {
                let answer = dictionary.look_up(version, key)?;
                if dictionary.is_shown() {
                    row.push(match &answer {
                        Answer::Present(value) => value.to_string(),
                        Answer::Absent => "absent".into(),
                    });
                }
                if answer.value() != dictionary.prices.value(version, key) {
                    return Err(Failure::Refused(format!(
                        "{} gave a wrong answer for {key} in version {version}",
                        dictionary.scheme
                    )));
                }
            }
        }
        table.rows.push(row);
    }
    table.print_wide(output)?;
    let answers = all.len() * versions.len() * prices.interesting_keys().len();
    let text = format!(
        "{answers} of {answers} answers, from all {} dictionaries, verified and right.",
        all.len()
    );
    output.say(
        &format!("   {text}"),
        &json!({ "verified_answers": answers }),
    )?;
    Ok(Section {
        title: "Look up",
        text: format!(
            "A server sends bytes; a client checks them with the author's public key alone. {text}"
        ),
        tables: vec![table],
    })
}

/// Several attacks on every dictionary, each of which must be refused for the expected reason.
fn attack(all: &[Published<'_>], folder: &Path, output: &mut Output) -> Result<Section, Failure> {
    output.text("\n3. Lie. The server tampers with real answers; the client refuses each:")?;
    let mut table = Table::of_lies("attack", &[])?;
    let mut refused = 0;
    for dictionary in all {
        let attacks = attacks::all(dictionary, folder)?;
        let lies = Table::of_lies("attack", &attacks)
            .map_err(|failure| Failure::Refused(format!("{}: {failure}", dictionary.scheme)))?;
        refused += lies.rows.len();
        if dictionary.shows_attacks() {
            let family = dictionary.scheme.family();
            table.rows.extend(lies.rows.into_iter().map(|mut row| {
                if let Some(name) = row.first_mut() {
                    *name = format!("{family}: {name}");
                }
                row
            }));
        }
    }
    table.print(output)?;
    let text = format!(
        "{refused} of {refused} attacks, on all {} dictionaries, refused.",
        all.len()
    );
    output.say(
        &format!("   {text}"),
        &json!({ "refused_attacks": refused }),
    )?;
    Ok(Section {
        title: "Lie",
        text: format!(
            "The server tampers with real answers, and the client refuses each, for the reason that is right. {text} Those \
             on one tree and on one kind of tuples:"
        ),
        tables: vec![table],
    })
}

fn print_measured(measured: &[Measured], output: &mut Output) -> Result<(), Failure> {
    output.text("\n4. Compare. One row for each dictionary:")?;
    let mut table = report::new_printed();
    table.set_header(measure::COLUMNS.map(|(column, _)| column));
    for column in 2..measure::COLUMNS.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in measured {
        table.add_row(row.cells());
        if output.is_json() {
            output.say("", &row.to_json())?;
        }
    }
    output.text(&table.to_string())?;
    output.text(
        "   Proofs are of random keys in random versions, without the signed head; look-ups are\n\
         \u{20}  answers for present keys with head as bytes, verifications include the head's signature.\n\
         \u{20}  Updates are the mean of what an author sends for a snapshot.",
    )
}

/// The page, and a store with its public key and proofs to try by hand.
fn leave(
    out: &Path,
    shown: Published<'_>,
    report: &Report,
    prices: &Prices,
    output: &mut Output,
) -> Result<(), Failure> {
    let write = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|error| Failure::file(&path, &error))
    };
    fs::create_dir_all(out).map_err(|error| Failure::file(out, &error))?;
    write("index.html", page::page(report).as_bytes())?;
    write("prices.pub", shown.public.to_text().as_bytes())?;
    let repository = shown.author.repository();
    let latest = repository.latest();
    let store = repository.store().file();
    let store = store.map(|store| store.path().to_path_buf());
    for (what, key) in prices.interesting_keys() {
        let answer = repository.answer(latest, &Question::Key(key.clone()))?;
        write(&format!("{}.proof", what.replace(' ', "-")), &answer)?;
    }
    // Closed before it is copied, so that the copy opens without repair.
    drop(shown);
    if let Some(store) = store {
        for end in ["pad", "pad.nodes", "pad.nodes.heads"] {
            let (from, to) = (
                store.with_extension(end),
                out.join("prices").with_extension(end),
            );
            fs::copy(from, to).map_err(|error| Failure::file(out, &error))?;
        }
    }
    let folder = out.display();
    let Some((what, key)) = prices.interesting_keys().first() else {
        return Err(lost());
    };
    // The shell's way to have a quote within quotes.
    let key = key.to_string().replace('\'', r"'\''");
    let text = format!(
        "\n9. Try it yourself. The page with the plots is {folder}/index.html\n\
         \u{20}  pad get --store {folder}/prices.pad --public {folder}/prices.pub '{key}' --at 1\n\
         \u{20}  pad verify --public {folder}/prices.pub --proof {folder}/{what}.proof --at {latest} \
         '{key}'",
    );
    output.say(
        &text,
        &json!({ "page": out.join("index.html").display().to_string() }),
    )
}

fn lost() -> Failure {
    Failure::Store("the demonstration lost a dictionary".into())
}
