//! `pad directory prove`: writes the proof of entries or of a range of ids to a file. `pad
//! directory verify`: verifies proof files, or queries a folder or servers through the client
//! protocol.

use std::path::{Path, PathBuf};

use authdict::{
    LookupError, PublicKey, Refusal, StoredView, Untrusted, VerifyError, Version,
    block_directory::{
        AnswerError, BlockDirectory, DirectoryClient, DirectoryProof, Entries, Entry, EntryId,
        EntryQuery, EntryRange, Found,
        internals::{LONGEST_HINT, Selection},
    },
    internals::ViewFile,
    pad_core::{codec, internals::EmptyDictionary},
};
use clap::Args;
use pad_core::{Response, SignedHead, Suite};
use serde_json::json;

use super::{
    ReadArguments, failure,
    objects::{digest_of_file, given_digest},
    open_trusting,
    shown::{Bounds, EntrySelection, HintOutcome, LookupDetails, say_ids, say_range},
    suite_of, with_suite,
};
use crate::cli::{
    Failure, Output, Result,
    at::number,
    files::{OutArguments, load_public, read_file},
    session::{TrustArguments, beginning, refused_head, trust_of},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory prove photographs --public directory.key.pub \\
    --out entry.proof 0
  pad directory prove photographs --public directory.key.pub \\
    --out entries.proof --range 3..7")]
pub(in crate::cli) struct Prove {
    #[command(flatten)]
    read: ReadArguments,
    #[command(flatten)]
    out: OutArguments,
    /// Prove all entries from id FIRST up to, but not including, END.
    #[arg(long, value_name = "FIRST..END", conflicts_with = "ids")]
    range: Option<Bounds>,
    /// The ids of the entries.
    #[arg(required_unless_present = "range")]
    ids: Vec<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad directory verify entry.proof --public directory.key.pub \\
    --at 3 --id 0 --object a.jpg
  pad directory verify --from photographs --public directory.key.pub \\
    --id 0 --hint hints/0.hint
  pad directory verify --server https://one.example \\
    --public directory.key.pub --id 0 --object a.jpg")]
pub(in crate::cli) struct Verify {
    /// The proof's file, from pad directory prove; - for standard input. Needs --at.
    #[arg(requires = "at")]
    proof: Option<PathBuf>,
    /// Query the directory in FOLDER like an untrusted server, instead of reading a proof file.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["proof", "at"])]
    from: Option<PathBuf>,
    #[cfg(feature = "network")]
    #[command(flatten)]
    servers: crate::cli::remote::ServerArguments,
    #[command(flatten)]
    trust: TrustArguments,
    /// Version that the answer must be about; required for a proof file.
    ///
    /// Without it, servers answer about their latest version.
    #[arg(long, value_name = "VERSION", value_parser = number)]
    at: Option<u64>,
    /// The id of an entry; may be repeated.
    ///
    /// The proof must be about all these entries and no others.
    #[arg(long = "id", value_name = "ID", required_unless_present = "range")]
    ids: Vec<u64>,
    /// Range of ids that the proof must be about.
    #[arg(long, value_name = "FIRST..END", conflicts_with = "ids")]
    range: Option<Bounds>,
    /// Require the object in FILE to be the registered one.
    #[arg(long, value_name = "FILE", conflicts_with = "range")]
    object: Option<PathBuf>,
    /// Require the object with this digest to be the registered one.
    #[arg(long, value_name = "DIGITS", conflicts_with_all = ["object", "range"])]
    digest: Option<String>,
    /// An old proof of the entry, stored with the object, that saves reads.
    ///
    /// It is replaced if outdated, and created if missing. Needs --object or --digest.
    ///
    /// A hint is not trusted: with a wrong hint, a lookup costs at most what it costs without one.
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with = "range")]
    hint: Option<PathBuf>,
}

/// The head of a proof file (`None` for version 0), and the proved entries.
type ProvedEntries<S, Q> = (Option<SignedHead<S>>, Entries<S, Q>);

/// A local object to compare with: its name and its digest.
type LocalObject<S> = (String, <S as Suite>::Digest);

impl Prove {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let asked = EntrySelection::new(&self.ids, self.range)?;
        with_suite!(suite_of(&self.read.folder)?, S => self.prove::<S>(&asked, output))
    }

    fn prove<S: Suite>(&self, asked: &EntrySelection, output: &mut Output) -> Result {
        let (directory, public) = open_trusting::<S>(&self.read.folder, &self.read.trust, output)?;
        let version = directory.latest();
        if version == Version::EMPTY {
            return Err(Failure::input("the directory has no version yet"));
        }
        let answer = match asked {
            EntrySelection::Ids(query) => prove(&directory, &public, query),
            EntrySelection::Range(range) => prove(&directory, &public, range),
        }?;
        let Some(file) = self.out.write(&answer, output)? else {
            return Ok(());
        };
        let (bytes, asked) = (answer.len(), asked.text());
        let verdict = output.verdict();
        let text =
            format!("{bytes} bytes in {file} prove {asked} in version {version}   [{verdict}]");
        let object = json!({ "version": version.number(), "bytes": bytes, "file": file });
        output.say_verdict(&text, object)
    }
}

/// Proves the answer to `query`, verifies the proof, and encodes it with the head of its version.
fn prove<S: Suite, Q: Selection>(
    directory: &BlockDirectory<S>,
    public: &PublicKey,
    query: &Q,
) -> Result<Vec<u8>> {
    let proof = directory.prove_latest(query).map_err(|error| match error {
        LookupError::InvalidQuery => {
            Failure::input("a range of at most 1 048 576 entries is proved at once")
        }
        error => failure::lookup(directory, error),
    })?;
    let response = Response::<S, DirectoryProof<S, Q>>::new(directory, directory.latest(), proof)?;
    let bytes = codec::encode(&response);
    entries_under(public, Untrusted::new(response), None, query)?;
    Ok(bytes)
}

impl Verify {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let asked = EntrySelection::new(&self.ids, self.range)?;
        let has_object = self.object.is_some() || self.digest.is_some();
        if has_object && !matches!(&asked, EntrySelection::Ids(query) if query.single().is_some()) {
            let text = "an object is compared with one entry";
            return Err(Failure::input(text).help("give one --id"));
        }
        if self.hint.is_some() && !has_object {
            return Err(Failure::input("--hint: no object is given")
                .help("give the object with --object, or its digest with --digest"));
        }
        #[cfg(feature = "network")]
        {
            let from = self.from.as_ref().map(|_| "--from");
            let other = from.or(self.proof.as_ref().map(|_| "a proof"));
            if self.servers.are_asked(other)? {
                return self.ask_servers(&asked, output);
            }
        }
        match (&self.from, &self.proof) {
            (Some(folder), _) => {
                with_suite!(suite_of(folder)?, S => self.ask::<S>(folder, &asked, output))
            }
            (None, Some(proof)) => self.verify_file(proof, &asked, output),
            (None, None) => Err(Failure::input("no proof is given")
                .help("give its file, or query a folder with --from or servers with --server")),
        }
    }

    fn at_hand<S: Suite>(&self) -> Result<Option<LocalObject<S>>> {
        Ok(match (&self.object, &self.digest) {
            (Some(path), _) => Some((path.display().to_string(), digest_of_file::<S>(path)?)),
            (None, Some(digits)) => Some((digits.clone(), given_digest::<S>(digits)?)),
            (None, None) => None,
        })
    }

    fn verify_file(&self, proof: &Path, asked: &EntrySelection, output: &mut Output) -> Result {
        let given = self.trust.public.as_deref().map(load_public).transpose()?;
        let path = self.trust.view.as_deref();
        let mut advance = |view: StoredView| {
            output.trust(trust_of(&view));
            let seen = (path.unwrap_or(Path::new("")), &view);
            with_suite!(view.public().suite, S => {
                self.verify_bytes::<S>(proof, seen, asked, output)
            })
        };
        let advanced = match (path, given) {
            (Some(path), given) => ViewFile::at(path).advance_held(
                |stored| beginning(path, stored, (given.as_ref(), None)),
                advance,
            ),
            (None, Some(public)) => advance(StoredView::new(public).authenticated()),
            (None, None) => Err(Failure::input("no public key is given")
                .help("give --public, or a --view that was begun with a key")),
        };
        advanced.map(drop)
    }

    /// Verifies a proof file, passes its head to the client's view, which is stored at a path, and
    /// prints the proved entries. Returns the advanced view.
    fn verify_bytes<S: Suite>(
        &self,
        proof: &Path,
        (path, view): (&Path, &StoredView),
        asked: &EntrySelection,
        output: &mut Output,
    ) -> Result<StoredView> {
        let (at, from) = (self.at.map(Version::new), (proof, view.public()));
        let accept = |head: Option<SignedHead<S>>| {
            let version = head.map_or(Version::EMPTY, |head| head.head.version);
            if let Some(expected) = at
                && expected != version
            {
                let actual = version;
                return Err(Refusal::from(VerifyError::WrongVersion { expected, actual }).into());
            }
            seen(path, view, (version, head.as_ref().map(codec::encode)))
        };
        match asked {
            EntrySelection::Ids(query) => {
                let object = self.at_hand::<S>()?;
                let (head, entries) = read_proof::<S, _>(from, at, query)?;
                let newer = accept(head)?;
                compared(&entries, object, LookupDetails::default(), output).map(|()| newer)
            }
            EntrySelection::Range(range) => {
                let (head, entries) = read_proof::<S, _>(from, at, range)?;
                let newer = accept(head)?;
                say_range(&entries, LookupDetails::default(), output).map(|()| newer)
            }
        }
    }

    #[cfg(feature = "network")]
    fn ask_servers(&self, asked: &EntrySelection, output: &mut Output) -> Result {
        let (servers, at) = (&self.servers, self.at.map(Version::new));
        servers.ask_directory(&self.trust, at, output, |client, version, output| {
            if version == Version::EMPTY {
                return Err(Failure::input(match at {
                    None => "the server has no version yet",
                    Some(_) => "version 0 has no signed head",
                }));
            }
            with_suite!(client.public().suite, S => match asked {
                EntrySelection::Ids(query) => {
                    let object = self.at_hand::<S>()?;
                    let entries = client.entries::<S>(version, query)?;
                    compared(&entries, object, LookupDetails::default(), output)
                }
                EntrySelection::Range(range) => {
                    let entries = client.entry_range::<S>(version, range)?;
                    say_range(&entries, LookupDetails::default(), output)
                }
            })
        })
    }

    /// Queries the directory in `folder` as an untrusted server.
    fn ask<S: Suite>(&self, folder: &Path, asked: &EntrySelection, output: &mut Output) -> Result {
        let object = self.at_hand::<S>()?;
        let (directory, public) = open_trusting::<S>(folder, &self.trust, output)?;
        if directory.latest() == Version::EMPTY {
            return Err(Failure::input("the directory has no version yet"));
        }
        let client = DirectoryClient::new(public.authority, directory.step());
        let before = directory.blocks_read();
        let read = || directory.blocks_read().saturating_sub(before);
        match asked {
            EntrySelection::Ids(query) => {
                let (found, used) = self.look_up(&directory, client, (query, object.as_ref()))?;
                let looked = LookupDetails::asked(read(), used);
                compared(found.entries.get(), object, looked, output)
            }
            EntrySelection::Range(range) => {
                let entries = ask_range(&directory, client, range)?;
                say_range(&entries, LookupDetails::asked(read(), None), output)
            }
        }
    }

    /// Looks up entries in `directory`. If a hint is given, uses it, and replaces its file if the
    /// answer contains a newer hint. Returns the verified entries, and the outcome of the hint.
    fn look_up<S: Suite>(
        &self,
        directory: &BlockDirectory<S>,
        mut client: DirectoryClient<S>,
        (query, object): (&EntryQuery, Option<&LocalObject<S>>),
    ) -> Result<(Found<S>, Option<HintOutcome>)> {
        let hinted = self.hint.as_deref().zip(object.zip(query.single()));
        let Some((path, ((_, digest), id))) = hinted else {
            return Ok((ask_plainly(directory, &mut client, query)?, None));
        };
        // A missing or unreadable hint is treated like a wrong hint.
        let hint = if path.exists() {
            read_file(path, LONGEST_HINT).unwrap_or_default()
        } else {
            Vec::new()
        };
        let (pending, request) = client.ask_with_hint(id, digest, &hint);
        let answer = answer(directory, &request)?;
        let found = match client.accept(&pending, &answer) {
            Err(AnswerError::HintFailed(_)) => ask_plainly(directory, &mut client, query)?,
            found => found?,
        };
        if let Some(refreshed) = &found.refreshed {
            let bytes = codec::encode(refreshed);
            pad_disk::replace(path, &bytes, pad_disk::Access::Usual).map_err(Failure::at(path))?;
        }
        let used = HintOutcome {
            matched: found.hint_matched,
            refreshed: found.refreshed.is_some(),
        };
        Ok((found, Some(used)))
    }
}

fn answer<S: Suite>(directory: &BlockDirectory<S>, request: &[u8]) -> Result<Vec<u8>> {
    let answer = directory.answer(request);
    answer.map_err(|error| failure::request(directory, error))
}

fn ask_plainly<S: Suite>(
    directory: &BlockDirectory<S>,
    client: &mut DirectoryClient<S>,
    query: &EntryQuery,
) -> Result<Found<S>> {
    let (pending, request) = client.ask(query.clone());
    Ok(client.accept(&pending, &answer(directory, &request)?)?)
}

fn ask_range<S: Suite>(
    directory: &BlockDirectory<S>,
    mut client: DirectoryClient<S>,
    range: &EntryRange,
) -> Result<Entries<S, EntryRange>> {
    let (pending, request) = client.ask_range(range.clone());
    let answer = answer(directory, &request)?;
    Ok(client.accept_range(&pending, &answer)?.into_inner())
}

/// Advances `view` to the head of a proof file, if the view is at version 0 or at the version of
/// the head. Fails if the head is older than the view, or contradicts it.
///
/// The file does not prove that a newer head continues the view's head. The view is then unchanged,
/// and a warning is printed. A proof about version 0 changes nothing.
fn seen(
    path: &Path,
    view: &StoredView,
    (version, head): (Version, Option<Vec<u8>>),
) -> Result<StoredView> {
    let seen = view.version();
    if version < seen {
        let offered = version;
        let rollback = Refusal::from(VerifyError::Rollback { seen, offered });
        return Err(Failure::Behind(format!("verification failed: {rollback}")));
    }
    if version > seen && seen > Version::EMPTY {
        Output::warn(&format!(
            "the file does not show that version {version} continues version {seen}, the newest \
             one seen: the view is unchanged"
        ));
        return Ok(view.clone());
    }
    let Some(head) = head else {
        return Ok(view.clone());
    };
    let advanced = view.advance(&head, None, None);
    advanced.map_err(|refused| refused_head(path, seen, refused))
}

fn read_proof<S: Suite, Q: Selection>(
    (path, public): (&Path, &PublicKey),
    at: Option<Version>,
    query: &Q,
) -> Result<ProvedEntries<S, Q>> {
    let longest = query.longest_proof().saturating_add(LONGEST_HEAD);
    let bytes = read_file(path, longest)?;
    let response = Untrusted::<Response<S, DirectoryProof<S, Q>>>::decode(&bytes, longest);
    entries_under(public, response.map_err(Refusal::from)?, at, query)
}

/// Verifies a proof and its head, and trusts only the public key.
///
/// Version 0 has no signed head. It is accepted only if `at` is version 0, because an empty answer
/// is valid for every directory.
fn entries_under<S: Suite, Q: Selection>(
    public: &PublicKey,
    response: Untrusted<Response<S, DirectoryProof<S, Q>>>,
    at: Option<Version>,
    query: &Q,
) -> Result<ProvedEntries<S, Q>> {
    let Response {
        head: signed,
        proof,
    } = response.into_unverified();
    let authority = &public.authority;
    let head = match signed {
        Some(signed) => Untrusted::new(signed).verify(authority, &signed.head.version),
        None if at == Some(Version::EMPTY) => {
            Untrusted::new(EmptyDictionary::new()).verify(authority, &())
        }
        None => {
            let refused = "verification failed: the proof has no signed head";
            return Err(Failure::Refused(refused.into()));
        }
    };
    let head = head.map_err(Refusal::from)?;
    let entries = Untrusted::new(proof).verify(&head, query);
    Ok((signed, entries.map_err(Refusal::from)?.into_inner()))
}

/// Prints verified entries. Fails if the given object is not the registered object.
fn compared<S: Suite>(
    entries: &Entries<S, EntryQuery>,
    object: Option<LocalObject<S>>,
    mut looked: LookupDetails,
    output: &mut Output,
) -> Result {
    let Some(((name, digest), id)) = object.zip(entries.query().single()) else {
        return say_ids(entries, looked, output);
    };
    let found = entries.of(id).unwrap_or(Entry::Unassigned);
    let matches = found == Entry::Live(digest);
    looked.matches = Some(matches);
    say_ids(entries, looked, output)?;
    if matches {
        return Ok(());
    }
    let said = match found {
        Entry::Live(other) => format!("which has the digest {}", hex::encode(other)),
        Entry::Deleted => "which is deleted".into(),
        Entry::Unassigned => "which is not assigned yet".into(),
    };
    Err(Failure::Refused(format!(
        "the object {name} with the digest {} is not what version {} has as entry {}, {said}",
        hex::encode(digest),
        entries.version,
        EntryId::number(id),
    )))
}

/// Maximum bytes of the head and the envelope in a proof file.
const LONGEST_HEAD: usize = 1024;
