//! The demonstration: real prices in each kind of dictionary, a lying server, and plots.

use core::time::Duration;
use std::{collections::BTreeMap, fs, path::Path};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_BORDERS_ONLY};
use pad::{
    Answer,
    question::Question,
    selection::{RepositoryName, SchemeFamily, SchemeName},
};
use serde_json::json;

use crate::cli::{Failure, Output};

mod attacks;
mod dictionary;
mod directory;
#[cfg(feature = "aad")]
mod log;
mod measure;
mod page;
mod prices;
mod scene;
mod tree_attacks;
mod tuple_attacks;

use dictionary::Published;
use measure::Measured;
use prices::Prices;

/// Runs the demonstration; `out` gets the page and files to try by hand, `budget` is the time for
/// each measurement.
///
/// Fails if one answer is not the right one, or one attack is not refused.
pub(crate) fn run(out: &Path, budget: Duration, output: &mut Output) -> Result<(), Failure> {
    let prices = Prices::load()?;
    introduce(&prices, output)?;
    let folder = tempfile::Builder::new().prefix("pad-demo-").tempdir();
    let folder = folder.map_err(|error| Failure::Store(error.to_string()))?;
    let some = prices.some(SOME_KEYS);
    let mut published = Vec::new();
    let mut measured = Vec::new();
    for kind in kinds() {
        let prices = if is_slow(kind.0) { &some } else { &prices };
        let mut dictionary = dictionary::publish(folder.path(), kind, prices)?;
        dictionary.compact()?;
        measured.push(measure::measure(&dictionary, budget)?);
        let (name, seconds) = (dictionary.name(), dictionary.import_time.as_secs_f64());
        output.text(&format!("   {name:<44} {seconds:.2} s"))?;
        published.push(dictionary);
    }
    look_up(&published, &prices, output)?;
    attack(&published, folder.path(), output)?;
    print_measured(&measured, output)?;
    #[cfg(feature = "aad")]
    log::show(folder.path(), output)?;
    directory::show(folder.path(), output)?;
    let shown = published
        .into_iter()
        .find(Published::is_shown)
        .ok_or_else(lost)?;
    leave(out, shown, &measured, &prices, output)
}

/// Every scheme with every repository, but for logs: prices change.
fn kinds() -> impl Iterator<Item = (SchemeName, RepositoryName)> {
    let schemes = SchemeName::ALL.iter();
    let schemes = schemes.filter(|scheme| !scheme.family().is_append_only());
    schemes.flat_map(|scheme| {
        let repositories = scheme.repositories().iter();
        repositories.map(move |repository| (*scheme, *repository))
    })
}

/// Whether a scheme takes milliseconds where others take microseconds: BLS signatures and accumulators.
fn is_slow(scheme: SchemeName) -> bool {
    scheme.name().ends_with("-bls") || scheme.name().contains("accumulators")
}

/// How many keys dictionaries of slow schemes hold, besides the interesting ones.
const SOME_KEYS: usize = 200;

fn introduce(prices: &Prices, output: &mut Output) -> Result<(), Failure> {
    let is_tuple = |(scheme, _): &(SchemeName, _)| scheme.family() == SchemeFamily::Tuple;
    let tuples = kinds().filter(is_tuple).count();
    let text = format!(
        "Prices of language models: {} snapshots from {} to {}, {} changes, {} keys in the last.\n\
         \n\
         1. Publish. An author signs each snapshot as a version and stores it durably, in {} kinds of\n\
         \u{20}  trees and {} kinds of tuples (those with BLS signatures and accumulators, which take\n\
         \u{20}  milliseconds where others take microseconds, with some {SOME_KEYS} of the keys):",
        prices.snapshots.len(),
        prices.first_name(),
        prices.last_name(),
        prices.changes(),
        prices.contents.last().map_or(0, BTreeMap::len),
        kinds().count() - tuples,
        tuples,
    );
    output.text(&text)
}

/// Four keys at three versions, with every dictionary giving the right, verified answer.
fn look_up(all: &[Published<'_>], prices: &Prices, output: &mut Output) -> Result<(), Failure> {
    output.text(
        "\n2. Look up. The server sends bytes; the client checks them with the public key alone.",
    )?;
    let versions = prices.versions();
    let mut table = new_table();
    let mut header = vec!["key".to_owned()];
    header.extend(versions.iter().map(|version| format!("version {version}")));
    table.set_header(header);
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
                if answer.value() != prices.value(version, key) {
                    return Err(Failure::Refused(format!(
                        "{} gave a wrong answer for {key} in version {version}",
                        dictionary.name()
                    )));
                }
            }
        }
        table.add_row(row);
    }
    output.text(&table.to_string())?;
    let answers = all.len() * versions.len() * prices.interesting_keys().len();
    let text = format!(
        "   {answers} of {answers} answers, from all {} dictionaries, verified and right.",
        all.len()
    );
    output.say(&text, &json!({ "verified_answers": answers }))
}

/// Several attacks on every dictionary, each of which must be refused for the expected reason.
fn attack(all: &[Published<'_>], folder: &Path, output: &mut Output) -> Result<(), Failure> {
    output.text("\n3. Lie. The server tampers with real answers; the client refuses each:")?;
    let mut table = new_table();
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(110);
    table.set_header(["attack", "what the server did", "refused because"]);
    let mut refused = 0;
    for dictionary in all {
        for attack in attacks::all(dictionary, folder)? {
            let Some(reason) = attack.refused else {
                return Err(Failure::Refused(format!(
                    "{} accepted the attack '{}'",
                    dictionary.name(),
                    attack.name
                )));
            };
            refused += 1;
            if dictionary.shows_attacks() {
                let family = dictionary.kind.0.family();
                table.add_row([
                    &format!("{family}: {}", attack.name),
                    &attack.story,
                    &reason,
                ]);
            }
        }
    }
    output.text(&table.to_string())?;
    let text = format!(
        "   {refused} of {refused} attacks, on all {} dictionaries, refused.",
        all.len()
    );
    output.say(&text, &json!({ "refused_attacks": refused }))
}

fn print_measured(measured: &[Measured], output: &mut Output) -> Result<(), Failure> {
    output.text("\n4. Compare. One row for each dictionary:")?;
    let mut table = new_table();
    table.set_header(measure::COLUMNS);
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
    measured: &[Measured],
    prices: &Prices,
    output: &mut Output,
) -> Result<(), Failure> {
    let write = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|error| Failure::file(&path, &error))
    };
    fs::create_dir_all(out).map_err(|error| Failure::file(out, &error))?;
    write("index.html", page::page(measured, prices)?.as_bytes())?;
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
        fs::copy(store, out.join("prices.pad")).map_err(|error| Failure::file(out, &error))?;
    }
    let folder = out.display();
    let [(what, key), ..] = prices.interesting_keys();
    let text = format!(
        "\n7. Try it yourself. The page with the plots is {folder}/index.html\n\
         \u{20}  pad get --store {folder}/prices.pad --public {folder}/prices.pub '{key}' --at 1\n\
         \u{20}  pad verify --public {folder}/prices.pub --proof {folder}/{what}.proof --at {latest} \
         '{key}'",
    );
    output.say(
        &text,
        &json!({ "page": out.join("index.html").display().to_string() }),
    )
}

fn new_table() -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn lost() -> Failure {
    Failure::Store("the demonstration lost a dictionary".into())
}
