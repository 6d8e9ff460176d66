//! `pad push` and the option `--push`: send missing versions to servers, then missing notes on
//! versions, such as names and dates.

use std::{
    path::{Path, PathBuf},
    thread,
};

use authdict::{
    PublicKey, Server, SigningKeys, StoreError, StoredView, Version, VersionNotes,
    internals::{
        verify_head,
        version_notes::{PAGE, note_count, sign_page},
    },
};
use clap::Args;
use pad_client::{
    FetchError, HttpOptions, PushOutcome, Remote,
    internals::{NotesOutcome, Resource, pages_to_json, without_password},
};
use serde_json::json;

use super::{
    Failure, KEY_VARIABLE, Output, Result, StoreArgument,
    output::counted,
    remote::{RootArguments, probable_address},
    secret::load_secret,
    session::refused_head,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad push --store prices.pad --key author.key --to https://mirror.example:7440
  pad push --store prices.pad --to https://one.example --to https://two.example")]
pub(super) struct Push {
    #[command(flatten)]
    store: StoreArgument,
    /// The server to send the versions to; may be repeated.
    #[arg(long, value_name = "URL", required = true)]
    to: Vec<String>,
    /// The author's secret key; needed only to send names and dates of versions.
    ///
    /// Servers accept them from the author only. The key is read if a server lacks some.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    key: Option<PathBuf>,
    #[command(flatten)]
    roots: RootArguments,
}

/// The servers that receive new versions.
#[derive(Debug, Default, Args)]
pub(super) struct PushArguments {
    /// Send this server the versions, names and dates it lacks; may be repeated.
    ///
    /// Versions are sent after they are durable in this store.
    #[arg(long, value_name = "URL")]
    push: Vec<String>,
    #[command(flatten)]
    roots: RootArguments,
}

impl Push {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let key = NotesKey {
            file: self.key.as_deref(),
            loaded: None,
        };
        push((&self.store.store, &self.to), &self.roots, key, output)
    }
}

impl PushArguments {
    pub(super) const fn is_given(&self) -> bool {
        !self.push.is_empty()
    }

    /// Sends missing versions and notes of a store to the servers. `key` signs the notes. This
    /// process must not have the store open for writing.
    pub(super) fn run(&self, store: &Path, key: &SigningKeys, output: &mut Output) -> Result {
        if !self.is_given() {
            return Ok(());
        }
        let key = NotesKey {
            file: None,
            loaded: Some(key.clone()),
        };
        push((store, &self.push), &self.roots, key, output)
    }
}

/// The author's keys, which sign notes for delivery.
struct NotesKey<'k> {
    /// The file of a key that is not loaded yet. It is read only if a server lacks notes, because
    /// this may prompt for a passphrase.
    file: Option<&'k Path>,
    loaded: Option<SigningKeys>,
}

impl NotesKey<'_> {
    /// Returns the keys, if there are any. Reads the file at most once.
    fn get(&mut self) -> Result<Option<&SigningKeys>> {
        if let Some(file) = self.file.take() {
            self.loaded = Some((&load_secret(file)?).into());
        }
        Ok(self.loaded.as_ref())
    }
}

/// Sends missing versions of a store to all servers in parallel, then missing notes to one server
/// after the other.
fn push(
    (store, addresses): (&Path, &[String]),
    roots: &RootArguments,
    mut key: NotesKey<'_>,
    output: &mut Output,
) -> Result {
    let options = roots.options()?;
    let repository = Server::of_any(store)?;
    let mut failures = Vec::new();
    let mut advice: Vec<String> = Vec::new();
    let mut is_refused = false;
    let from = &PushSource {
        public: &repository.public_key()?,
        repository: &repository,
        store,
    };
    let options = &options;
    let results: Vec<_> = thread::scope(|scope| {
        let all = addresses.iter();
        let all = all.map(|address| scope.spawn(move || from.bring(address, options)));
        let all: Vec<_> = all.collect();
        all.into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect()
    });
    for (address, result) in addresses.iter().zip(results) {
        let address = without_password(address);
        let result = result.unwrap_or_else(|_| Err(Failure::Store("the transfer failed".into())));
        let result = result.and_then(|delivery| {
            let notes = from.bring_notes(&delivery, &mut key)?;
            Ok((delivery.brought, notes))
        });
        match result {
            Ok((brought, notes)) => {
                let latest = repository.latest();
                let mut text = format!("{address} has version {latest}; {brought} were brought");
                if notes > 0 {
                    let count = counted(notes, "version");
                    text = format!("{text}, and the names and dates of {count}");
                }
                let object = json!({
                    "server": address,
                    "latest": latest.number(),
                    "new_versions": brought,
                    "new_notes": notes,
                });
                output.say(&text, &object)?;
            }
            Err(failure) => {
                is_refused |= matches!(failure.bare(), Failure::Refused(_));
                failures.push(format!("{address}: {failure}"));
                let of_server = failure.advice();
                advice.extend(of_server.map(|advice| format!("{address}: {advice}")));
            }
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let text = format!(
        "{}; the versions are in {}",
        failures.join("; "),
        store.display()
    );
    advice.push("send the versions later with pad push".into());
    let failure = if is_refused {
        Failure::Refused(text)
    } else {
        Failure::Store(text)
    };
    Err(failure.help(advice.join("; ")))
}

/// The store whose versions are sent, with the author's public key.
struct PushSource<'r> {
    public: &'r PublicKey,
    repository: &'r Server,
    /// Path of the store; evidence is written next to it.
    store: &'r Path,
}

/// A server with all versions of the store.
struct Delivery {
    server: Remote,
    /// Number of sent versions that were new to the server.
    brought: u64,
    /// Comparison of the numbers of notes; `None` if it takes no notes.
    lacking: Option<NoteComparison>,
}

/// A comparison of the number of notes of a server with that of the store.
struct NoteComparison {
    /// Number of notes that the store has more than the server.
    number: u64,
    /// Whether the server has a note on each version that it had before the push.
    is_complete: bool,
}

impl PushSource<'_> {
    /// Sends the versions that a server lacks. Checks that the server and the store have the same
    /// latest head.
    fn bring(&self, address: &str, options: &HttpOptions) -> Result<Delivery> {
        let server = Remote::connect(address, options.clone())?;
        let ours = self.repository.latest();
        let versions = server.versions().map_err(|error| {
            let other = probable_address(&server.address(), &error);
            Failure::from(error).or_address(other)
        })?;
        let mut theirs = versions.latest;
        let own = note_count(self.repository.store())?;
        let lacking = versions.notes.map(|notes| NoteComparison {
            number: own.saturating_sub(notes),
            is_complete: theirs == ours && notes >= ours.number(),
        });
        let mut brought = 0;
        while theirs < ours {
            let next = Version::new(theirs.number().saturating_add(1));
            let Some(update) = self.repository.update_message(next)? else {
                return Err(Failure::Input(format!(
                    "the server is at version {theirs}, and the update to version {next} was \
                     pruned"
                ))
                .help("copy the store to the server"));
            };
            match server.push(&update)? {
                PushOutcome::Taken => {
                    brought += 1;
                    theirs = next;
                }
                PushOutcome::Known => theirs = next,
                // Another client has sent versions at the same time.
                PushOutcome::Gap { latest } if latest > theirs => theirs = latest,
                PushOutcome::Gap { latest } => {
                    let text = format!("the server went back from version {theirs} to {latest}");
                    return Err(Failure::Refused(text));
                }
            }
        }
        if theirs > ours {
            return Err(self.is_ahead(&server, theirs));
        }
        if ours > Version::EMPTY {
            self.check_head(&server, ours)?;
        }
        Ok(Delivery {
            server,
            brought,
            lacking,
        })
    }

    /// Sends the notes that a server lacks, from the newest versions on. Returns the number of
    /// notes that were new to the server.
    ///
    /// The server takes the notes after the versions. An interrupted push loses no note, because
    /// the next push compares the numbers of notes again.
    fn bring_notes(&self, delivery: &Delivery, key: &mut NotesKey<'_>) -> Result<u64> {
        let Delivery {
            server,
            brought,
            lacking,
            ..
        } = delivery;
        let Some(lacking) = lacking else {
            return Ok(0);
        };
        // The server lacks the notes of the versions just brought, even if it has more notes than
        // this store in all. An earlier push may have brought the latest version without its note.
        let latest = self.repository.latest().number();
        let sure = (*brought).max(1).min(latest);
        let newest = [latest.saturating_sub(sure).saturating_add(1), latest].map(Version::new);
        let [from, to] = newest;
        let newest = VersionNotes::read(self.repository.store(), from, to)?;
        let newest = u64::try_from(newest.iter().count()).unwrap_or(u64::MAX);
        let known = if *brought > 0 { newest } else { 0 };
        if lacking.number == 0 && (newest == 0 || lacking.is_complete) {
            return Ok(0);
        }
        let address = server.address();
        let Some(key) = key.get()? else {
            let number = lacking.number.max(known);
            if number > 0 {
                let count = counted(number, "version");
                Output::warn(&format!(
                    "{address} lacks the names and dates of {count}; use --key to send them"
                ));
            }
            return Ok(0);
        };
        if key.public().authority != self.public.authority {
            return Err(StoreError::OtherKey.into());
        }
        let mut sent = NotesOutcome::default();
        let (mut last, mut size) = (latest, lacking.number.max(sure).min(PAGE));
        while (sent.taken < lacking.number || latest - last < sure) && last > 0 {
            let first = last.saturating_sub(size.saturating_sub(1)).max(1);
            let [from, to] = [first, last].map(Version::new);
            let notes = VersionNotes::read(self.repository.store(), from, to)?;
            let mut unsent = u64::try_from(notes.iter().count()).unwrap_or(u64::MAX);
            for page in pages_to_json(&notes) {
                let outcome = server.push_notes(&sign_page(key, page.as_bytes())?)?;
                let counted = outcome.taken.saturating_add(outcome.different);
                unsent = unsent.checked_sub(counted).ok_or_else(|| {
                    Failure::Refused(format!("{address} counts more notes than were sent"))
                })?;
                sent.taken = sent.taken.saturating_add(outcome.taken);
                sent.different = sent.different.saturating_add(outcome.different);
            }
            last = first.saturating_sub(1);
            // The missing notes are usually those of the newest versions.
            size = size.saturating_mul(2).min(PAGE);
        }
        if sent.different > 0 {
            let count = counted(sent.different, "version");
            Output::warn(&format!("{address} keeps other names or dates of {count}"));
        }
        Ok(sent.taken)
    }

    fn check_head(&self, server: &Remote, version: Version) -> Result {
        let ours = self.repository.head_message(version)?;
        let theirs = head_of(server, version)?;
        if ours == theirs {
            return Ok(());
        }
        let seen = StoredView::new(self.public.clone()).advance(&ours, None, None);
        let seen = seen.map_err(|refused| refused_head(self.store, version, refused))?;
        match seen.advance(&theirs, None, None) {
            Err(refused) => Err(refused_head(self.store, version, refused)),
            Ok(_) => Ok(()),
        }
    }

    fn is_ahead(&self, server: &Remote, theirs: Version) -> Failure {
        let ours = self.repository.latest();
        if let Err(failure) = require_signed(self.public, server, theirs) {
            return failure;
        }
        Failure::Refused(format!(
            "the server has version {theirs}, signed by the author, but the latest version of \
             this store is {ours}: it is an old copy"
        ))
        .help("do not sign with this store")
    }
}

/// Fails unless a server shows a head of version `theirs` that the author has signed.
pub(super) fn require_signed(public: &PublicKey, server: &Remote, theirs: Version) -> Result {
    let head = head_of(server, theirs)?;
    let verified = verify_head(public, theirs, &head);
    verified.map(drop).map_err(|refusal| {
        Failure::Refused(format!(
            "the server claims version {theirs}, but shows no head of it signed by the author: \
             {refusal}"
        ))
    })
}

fn head_of(server: &Remote, version: Version) -> Result<Vec<u8>> {
    Ok(server.get(&Resource::HeadOf(version), LONGEST_HEAD)?)
}

const LONGEST_HEAD: usize = 1 << 10;

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        let text = error.to_string();
        match error {
            FetchError::Refused { code, .. }
                if ["update_refused", "other_update", "notes_refused"].contains(&code.as_str()) =>
            {
                Self::Refused(text)
            }
            _ => Self::Store(text),
        }
    }
}
