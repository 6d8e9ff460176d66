//! An append-only log of root certificates, whose operator the client does not trust either.

use std::path::Path;

use pad::{
    Key, LogParameters, Operation, PublicKey, SecretKey, Value, Version,
    aad::{Schedule, Shape},
    client_view::StoredView,
    dynamic::{AnyAuthor, AnyRepository, create_store_with, open_author, verify},
    question::{Question, Refusal, Statement},
    selection::{SchemeName, SuiteName},
    trace::TraceReader,
};
use serde_json::json;

use super::{
    dictionary::record_beside,
    report::{Section, Table},
    scene::{Attack, broken},
};
use crate::cli::{Failure, Output};

/// A log in a store, and its author's client.
struct Published {
    author: AnyAuthor,
    public: PublicKey,
}

/// Publishes the log, follows it, asks it, and lets it lie: to the owner of a name, and to everybody.
pub(super) fn show(folder: &Path, output: &mut Output) -> Result<Section, Failure> {
    let batches = certificates()?;
    let (certificates, versions) = (batches.iter().map(Vec::len).sum::<usize>(), batches.len());
    output.text(&format!(
        "\n5. Log. {certificates} root certificates by name in {versions} versions of an append-only dictionary. The client\n\
         \u{20}  does not trust its operator either, who signs what it likes; parameters of a public ceremony:",
    ))?;
    let key = secret_key()?;
    let honest = publish(&folder.join("log.pad"), &key, batches.clone())?;
    let repository = honest.author.repository();
    let name = name_with_most(&batches).ok_or_else(broken)?;
    let known = following(&honest.public, repository)?;
    let mut table = Table::new(["found", "name", "proof"]);
    for key in [&name, &nobody()?] {
        let (found, bytes) = honest.values(repository.latest(), key)?;
        table.rows.push(vec![
            format!("{} certificates and no other", found.len()),
            key.to_string(),
            format!("{bytes} bytes"),
        ]);
    }
    table.print_wide(output)?;
    let attacks = [
        honest.hidden_value(&name)?,
        honest.old_answer(&name)?,
        forgotten(folder, &key, batches, &known, &name)?,
    ];
    let lies = Table::of_lies("lie", &attacks)?;
    lies.print(output)?;
    let text = format!(
        "   Followed through {versions} versions, each shown to contain the one before; {refused} of {refused} lies refused.",
        refused = attacks.len()
    );
    output.say(
        &text,
        &json!({
            "log_certificates": certificates, "log_versions": versions, "refused_lies": attacks.len(),
        }),
    )?;
    Ok(Section {
        title: "Append-only log",
        text: format!(
            "{certificates} root certificates by name in {versions} versions of an append-only dictionary. The client does not \
             trust its operator either: it followed all versions, each shown to contain the one before, and for a name it is \
             shown all certificates and that there is no other."
        ),
        tables: vec![table, lies],
    })
}

/// The certificates of each release, by name. That one is trusted no more takes nothing out of the log.
fn certificates() -> Result<Vec<Vec<Operation>>, Failure> {
    let failure = |error| Failure::Input(format!("bundled trace: {error}"));
    let mut batches = Vec::new();
    for release in TraceReader::from_bytes(TRACE).map_err(failure)? {
        let operations = release.map_err(failure)?.operations.into_iter();
        let named = operations.filter_map(|operation| match operation {
            Operation::Put(fingerprint, name) => Some(Operation::Put(
                Key::new(name.as_bytes()).ok()?,
                Value::new(fingerprint.as_bytes()).ok()?,
            )),
            Operation::Remove(_) => None,
        });
        let named: Vec<_> = named.collect();
        if !named.is_empty() {
            batches.push(named);
        }
    }
    Ok(batches)
}

/// The name with the most certificates.
fn name_with_most(batches: &[Vec<Operation>]) -> Option<Key> {
    let names = || batches.iter().flatten().map(Operation::key);
    let count = |name: &Key| names().filter(|other| *other == name).count();
    names().max_by_key(|name| count(name)).cloned()
}

/// A name that nobody has.
fn nobody() -> Result<Key, Failure> {
    Key::try_from("CN=Example Root,O=Example,C=XX").map_err(|_| broken())
}

fn secret_key() -> Result<SecretKey, Failure> {
    let parameters = LogParameters::ethereum().map_err(|_| broken())?;
    let (scheme, suite) = (SchemeName::AadCounted, SuiteName::Sha256Ed25519);
    let shape = Shape::new(parameters.greatest_top_level(scheme), Schedule::Eager);
    let setup = shape.and_then(|shape| parameters.setup(scheme, shape));
    let key = SecretKey::generate_with(Some(setup.ok_or_else(broken)?), suite, scheme, None);
    key.map_err(|error| Failure::Store(error.to_string()))
}

fn publish(
    path: &Path,
    key: &SecretKey,
    batches: Vec<Vec<Operation>>,
) -> Result<Published, Failure> {
    let public = key.public().clone();
    let parameters = LogParameters::ethereum().map_err(|_| broken())?;
    create_store_with(path, &public, Some(parameters.record()))?;
    let mut author = open_author(path, key, record_beside(path)?)?;
    for batch in batches {
        author.stage(batch)?;
        author.flush(&[])?;
    }
    Ok(Published { author, public })
}

/// A client that has followed the log from version 1 to the latest, each along an append-only proof.
fn following(public: &PublicKey, repository: &AnyRepository) -> Result<StoredView, Failure> {
    let mut view = StoredView::new(public.clone()).authenticated();
    for version in 1..=repository.latest().number() {
        view = offered(&view, repository, Version::new(version)).map_err(Failure::from)?;
    }
    Ok(view)
}

/// What a client makes of a version that it is offered with all proofs.
fn offered(
    view: &StoredView,
    repository: &AnyRepository,
    version: Version,
) -> Result<StoredView, Refusal> {
    let lost = |_| Refusal::from(pad::VerifyError::MalformedHistoryProof);
    let head = repository.head_message(version).map_err(lost)?;
    let seen = view.version();
    let mut proofs = (None, None);
    if Version::EMPTY < seen {
        let consistency = repository.consistency_message(seen, version);
        let append_only = repository.append_only_message(seen, version);
        proofs = (Some(consistency.map_err(lost)?), append_only.map_err(lost)?);
    }
    view.advance(&head, proofs.0.as_deref(), proofs.1.as_deref())
        .map_err(|refused| refused.refusal)
}

impl Published {
    /// All values of a key, verified, and how many bytes show it.
    fn values(&self, version: Version, key: &Key) -> Result<(Vec<Value>, usize), Failure> {
        let answer = self.answer(version, key)?;
        match self.check(version, key, &answer)? {
            Statement::Values(values) => Ok((values.values, answer.len())),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    fn answer(&self, version: Version, key: &Key) -> Result<Vec<u8>, Failure> {
        let question = Question::Key(key.clone());
        Ok(self.author.repository().answer(version, &question)?)
    }

    fn check(&self, version: Version, key: &Key, answer: &[u8]) -> Result<Statement, Refusal> {
        verify(&self.public, version, &Question::Key(key.clone()), answer)
    }

    /// The server leaves the last value of a name out of a true answer, and counts one fewer.
    fn hidden_value(&self, name: &Key) -> Result<Attack, Failure> {
        let version = self.author.repository().latest();
        let (values, _) = self.values(version, name)?;
        let mut answer = self.answer(version, name)?;
        let listed = |values: &[Value]| -> usize {
            values.iter().map(|value| 4 + value.as_bytes().len()).sum()
        };
        let start = answer.len().checked_sub(4 + listed(&values));
        let place = start.ok_or_else(broken)?;
        let (_, shown) = values.split_last().ok_or_else(broken)?;
        let count = u32::try_from(shown.len()).map_err(|_| broken())?;
        let counter = answer.get_mut(place..place + 4).ok_or_else(broken)?;
        counter.copy_from_slice(&count.to_be_bytes());
        answer.truncate(place + 4 + listed(shown));
        Ok(Attack {
            name: "hidden value",
            story: format!(
                "left one of {} certificates out of its answer",
                values.len()
            ),
            refused: refusal(self.check(version, name, &answer)),
        })
    }

    /// The server answers for the latest version with the truth about an older one.
    fn old_answer(&self, name: &Key) -> Result<Attack, Failure> {
        let latest = self.author.repository().latest();
        let before = Version::new(1);
        let answer = self.answer(before, name)?;
        Ok(Attack {
            name: "old answer",
            story: format!("answered for version {latest} with the proof of version {before}"),
            refused: refusal(self.check(latest, name, &answer)),
        })
    }
}

/// The author signs a log that never had a certificate, and goes on from there.
fn forgotten(
    folder: &Path,
    key: &SecretKey,
    mut batches: Vec<Vec<Operation>>,
    known: &StoredView,
    name: &Key,
) -> Result<Attack, Failure> {
    for batch in &mut batches {
        batch.retain(|operation| operation.key() != name);
    }
    batches.push(vec![Operation::Put(nobody()?, Value::default())]);
    let other = publish(&folder.join("forgotten.pad"), key, batches)?;
    let repository = other.author.repository();
    Ok(Attack {
        name: "forgotten name",
        story: "its author signed a next version in which the name never had a certificate".into(),
        refused: refusal(offered(known, repository, repository.latest())),
    })
}

fn refusal<T>(answer: Result<T, Refusal>) -> Option<String> {
    answer.err().map(|refusal| refusal.to_string())
}

const TRACE: &[u8] = include_bytes!("../../data/ca-roots.csv.zst");
