//! Opening of stores, views and authors' keys, shared by several commands.

use std::path::{Path, PathBuf};

use authdict::{
    Author, Heads, NotFollowed, PublicKey, RefusedHead, Server, SigningKeys, SigningRecord,
    StoreError, StoredView, VerifyError, Version, ViewAccessError, ViewAccessFault,
    evidence::{MOST_FILES, keep},
    internals::{
        AnyStore, RecordChange, RedbStore, SchemeFamily, Store, ViewFile,
        dynamic::{create_store_with, key_of_store},
    },
};
use clap::{ArgGroup, Args};

use super::{
    Failure, KEY_VARIABLE, NewStoreArguments, Output, PUBLIC_VARIABLE, Result, VIEW_VARIABLE,
    files::load_public, signer::SignerArguments,
};

/// Trust options: the public key that verifies answers, and the view, a file with the newest
/// version seen.
#[derive(Debug, Args)]
pub(super) struct TrustArguments {
    /// The public key to verify with.
    ///
    /// Without it, and without an existing view, the key that the store or server claims is used.
    /// That key is unauthenticated, and the output says so.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    pub(super) public: Option<PathBuf>,
    /// Remember the public key and the newest version seen in FILE.
    ///
    /// Refuses a store that is older, has another history, or has another key.
    #[arg(long, value_name = "FILE", env = VIEW_VARIABLE)]
    pub(super) view: Option<PathBuf>,
}

/// A source of a dictionary's heads (signed statements of its versions) and of the author's key.
pub(super) trait HeadSource: Heads<Error: Into<Failure>> {
    /// Returns the author's key that this source claims. The key is not authenticated.
    fn own_key(&self) -> Result<PublicKey>;
}

impl HeadSource for Server {
    fn own_key(&self) -> Result<PublicKey> {
        Ok(self.public_key()?)
    }
}

/// Opens `store`, and reports to `output` whether its answers are verified with an authenticated
/// key. The store is not trusted more than a remote server.
pub(super) fn open_store(
    store: &Path,
    trust: &TrustArguments,
    output: &mut Output,
) -> Result<(Server, StoredView)> {
    let open = || Ok(Server::of_any(store)?);
    let (repository, view) = trust.open(open, output)?;
    add_caveat(view.public(), output);
    Ok((repository, view))
}

impl TrustArguments {
    /// Opens a source of heads, and reports to `output` whether its answers are verified with an
    /// authenticated key.
    ///
    /// The source is not trusted more than a remote server. With `--view`, its latest head is
    /// checked against the view.
    pub(super) fn open<R: HeadSource>(
        &self,
        open: impl Fn() -> Result<R>,
        output: &mut Output,
    ) -> Result<(R, StoredView)> {
        let given = self.public.as_deref().map(load_public).transpose()?;
        let Some(view) = &self.view else {
            let repository = open()?;
            let own = repository.own_key()?;
            let trust = match given {
                Some(public) if public != own => return Err(another_key()),
                Some(_) => None,
                None => Some(own.fingerprint()),
            };
            output.trust(trust);
            return Ok((repository, StoredView::new(own)));
        };
        match open_with_view(view, given.as_ref(), &open, output) {
            // Another process may have advanced the view after this source was opened, so the
            // source is opened again.
            Err(failure) if matches!(failure.bare(), Failure::Behind(_)) => {
                open_with_view(view, given.as_ref(), &open, output)
            }
            opened => opened,
        }
    }
}

/// Opens a source of heads, and advances the client's view in the file `path` to the source's
/// latest head.
fn open_with_view<R: HeadSource>(
    path: &Path,
    given: Option<&PublicKey>,
    open: &impl Fn() -> Result<R>,
    output: &mut Output,
) -> Result<(R, StoredView)> {
    let repository = open()?;
    let own = repository.own_key()?;
    let view = with_view(path, (given, Some(&own)), |view| {
        if *view.public() != own {
            return Err(another_key());
        }
        output.trust(trust_of(&view));
        advanced(path, &view, &repository)
    })?;
    Ok((repository, view))
}

/// Returns the fingerprint of the view's key if the user has not authenticated it. The view refuses
/// other keys from now on.
pub(super) fn trust_of(view: &StoredView) -> Option<String> {
    (!view.is_authenticated()).then(|| view.public().fingerprint())
}

/// The key that the user has given, and the key that the source of answers claims.
type Keys<'k> = (Option<&'k PublicKey>, Option<&'k PublicKey>);

/// Advances the view stored at `path`, and stores the result. `advance` runs again if another
/// process changes the file meanwhile.
pub(super) fn with_view(
    path: &Path,
    keys: Keys<'_>,
    advance: impl FnMut(StoredView) -> Result<StoredView>,
) -> Result<StoredView> {
    ViewFile::at(path).advance(|stored| beginning(path, stored, keys), advance)
}

impl From<ViewAccessError> for Failure {
    fn from(error: ViewAccessError) -> Self {
        match &error.fault {
            ViewAccessFault::Io(fault) => Self::file(&error.path, fault),
            ViewAccessFault::NotPlain => {
                Self::Input(format!("{} is not a plain file", error.path.display()))
            }
            ViewAccessFault::InUse(_) => Self::Store(format!("the view {error}")),
            _ => Self::Store(error.to_string()),
        }
    }
}

/// Returns `stored` or, without it, a new view with the key `given` or else `own`. A view whose key
/// is `given` counts as authenticated. Fails if the key of `stored` is not `given`, or if there is
/// neither a view nor a key.
pub(super) fn beginning(
    path: &Path,
    stored: Option<StoredView>,
    (given, own): Keys<'_>,
) -> Result<StoredView> {
    Ok(match (stored, given, own) {
        (Some(view), Some(given), _) if view.public() != given => {
            return Err(Failure::Input(format!(
                "the view {} was begun with the key {}, not with the key {} that is given",
                path.display(),
                view.public().fingerprint(),
                given.fingerprint(),
            )));
        }
        (Some(view), None, _) => view,
        (Some(view), Some(_), _) => view.authenticated(),
        (None, Some(given), _) => StoredView::new(given.clone()).authenticated(),
        (None, None, Some(own)) => StoredView::new(own.clone()),
        (None, None, None) => {
            return Err(Failure::Input(format!(
                "view {}: the file does not exist, and no key is given to create it",
                path.display()
            ))
            .help("give --public, or correct the path of --view"));
        }
    })
}

/// Adds a caveat to `output` if the dictionary is a log whose public parameters have an unknown
/// origin.
#[cfg(feature = "log")]
pub(super) fn add_caveat(public: &PublicKey, output: &mut Output) {
    if public.scheme.family().is_append_only() && authdict::internals::origin_of(public).is_none() {
        output.caveat(super::parameters::ORIGIN);
    }
}

#[cfg(not(feature = "log"))]
pub(super) const fn add_caveat(_: &PublicKey, _: &mut Output) {}

fn another_key() -> Failure {
    Failure::Refused("verification failed: the store was made with another key".into())
}

/// Returns `view` advanced to the latest head of `heads`. If the author has signed two histories,
/// writes evidence next to the view's file `path`.
fn advanced(path: &Path, view: &StoredView, heads: &impl HeadSource) -> Result<StoredView> {
    view.follow(heads).map_err(|error| match error {
        NotFollowed::Behind { seen, offered } => {
            let rollback = VerifyError::Rollback { seen, offered };
            Failure::Behind(format!("verification failed: {rollback}"))
        }
        NotFollowed::Refused(refused) => refused_head(path, view.version(), refused),
        NotFollowed::Silent(error) => error.into(),
    })
}

/// Creates the failure for a refused head. If there is evidence, writes it next to the view at
/// `path`, which is at version `seen`.
pub(super) fn refused_head(path: &Path, seen: Version, refused: RefusedHead) -> Failure {
    let RefusedHead { refusal, evidence } = refused;
    let Some(evidence) = evidence else {
        return refusal.into();
    };
    let text = format!("verification failed: {}", VerifyError::Fork(seen));
    match keep(path, ".evidence", &evidence, MOST_FILES) {
        Ok(file) => {
            let file = file.display();
            Failure::Refused(format!("{text}: the evidence is in {file}"))
                .help(format!("check it with pad evidence --public KEY {file}"))
        }
        Err(error) => {
            let failure = Failure::file(path, &error);
            Failure::Refused(format!("{text}, but the evidence is lost: {failure}"))
        }
    }
}

/// The author's secret key or external signer, and the signing record, a file with the newest
/// signed head.
#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("author").args(["key", "signer"]).required(true).multiple(true))]
pub(super) struct AuthorArguments {
    /// The author's secret key.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    pub(super) key: Option<PathBuf>,
    #[command(flatten)]
    pub(super) signer: SignerArguments,
    /// The signing record [default: the key's file with .signed appended].
    ///
    /// It holds the newest signed head. pad refuses to sign with a store that is behind it, such as
    /// a restored backup. Keep it with the key.
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Create a new signing record.
    ///
    /// Safe only if the store has every version that was ever signed with this key. pad keygen
    /// creates a record with the key; a key restored from a copy has none.
    #[arg(long)]
    pub(super) new_record: bool,
}

impl AuthorArguments {
    /// Loads the secret key, or connects to the external signer. Called only once, because loading
    /// prompts for the key's passphrase.
    pub(super) fn keys(&self) -> Result<SigningKeys> {
        let keys = self.signer.keys(self.key.as_deref())?;
        keys.ok_or_else(|| Failure::input("no key: give --key or --signer"))
    }

    /// Returns the path of the key's file, next to which the signing record is.
    pub(super) fn key_file(&self) -> PathBuf {
        self.signer.key_file(self.key.as_deref())
    }

    /// Refuses to create a new store with a key that has signed versions of another store. Does
    /// nothing if `store` exists.
    pub(super) fn check_new(&self, store: &Path) -> Result {
        if store.exists() {
            return Ok(());
        }
        check_unsigned(&self.record()?, &self.key_file(), store)?;
        self.record_for(Version::EMPTY).map(drop)
    }

    pub(super) fn record(&self) -> Result<SigningRecord> {
        let path = record_of(&self.key_file(), self.record.as_deref())?;
        Ok(SigningRecord::open(&path)?)
    }

    /// Opens the signing record of the key, for a store at version `stored`. Fails if no record was
    /// begun, unless `--new-record` is given, which begins one.
    pub(super) fn record_for(&self, stored: Version) -> Result<SigningRecord> {
        let mut record = self.record()?;
        if self.new_record {
            record.begin()?;
        } else {
            record.require(stored)?;
        }
        Ok(record)
    }

    pub(super) fn open(&self, store: &Path, keys: &SigningKeys) -> Result<Author> {
        let own = own_store(store)?;
        check_key(store, &key_of_store(&own)?, keys.public())?;
        let record = self.record_for(own.latest()?)?;
        drop(own);
        Ok(Author::of_any(store, keys, record)?)
    }
}

/// Rejects a store in an object store, because authors do not sign there.
pub(super) fn require_own(store: &Path) -> Result {
    if AnyStore::is_in_objects(store) {
        return Err(StoreError::NotSignedFor.into());
    }
    Ok(())
}

/// Opens an author's store, which must be a local file.
pub(super) fn own_store(store: &Path) -> Result<RedbStore> {
    require_own(store)?;
    Ok(RedbStore::open(store)?)
}

/// Returns the path of the signing record: `given`, or else a file next to the key.
pub(super) fn record_of(key: &Path, given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(record) => Ok(record.to_owned()),
        None => pad_disk::companion(key, ".signed").map_err(Failure::at(key)),
    }
}

pub(super) fn check_unsigned(record: &SigningRecord, key: &Path, store: &Path) -> Result {
    if record.is_empty() {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "versions were signed with the key {} before, but there is no store {}",
        key.display(),
        store.display(),
    ))
    .help("restore a copy of the store, or create another key for a new dictionary"))
}

/// Creates a missing store. Checks that an existing store has the public key `public`.
pub(super) fn create_or_match(
    path: &Path,
    public: &PublicKey,
    new: &NewStoreArguments,
    output: &Output,
) -> Result {
    if public.scheme.family() == SchemeFamily::Directory {
        return Err(Failure::Input(format!(
            "a key of scheme {} is for a directory",
            public.scheme
        ))
        .help("create one in a folder with pad directory create"));
    }
    if AnyStore::exists(path)? {
        return check_key(path, &key_of_store(&*AnyStore::open(path)?)?, public);
    }
    match create_store_with(path, public, parameters_record(public, new, output)?) {
        // Another process has created the store in the meantime.
        Err(StoreError::Exists(_)) if AnyStore::exists(path)? => {
            create_or_match(path, public, new, output)
        }
        created => Ok(created?),
    }
}

/// Returns the record that stores the public parameters in a new store of a log; `None` for other
/// schemes.
#[cfg(feature = "log")]
fn parameters_record(
    public: &PublicKey,
    new: &NewStoreArguments,
    output: &Output,
) -> Result<Option<RecordChange>> {
    use super::parameters::load;
    if !public.scheme.family().is_append_only() {
        return match new.parameters {
            Some(_) => Err(Failure::Input(format!(
                "--parameters: dictionaries of scheme {} have none",
                public.scheme
            ))),
            None => Ok(None),
        };
    }
    let file = new.parameters.as_deref();
    if file.is_none() && authdict::internals::origin_of(public).is_none() {
        return Err(Failure::Input(format!(
            "a new store of scheme {} needs the --parameters that its key was made with",
            public.scheme
        )));
    }
    let parameters = load(file, output)?;
    if parameters.setup_of(public).is_none() {
        let file = file.map_or_else(
            || "those that come with this program".into(),
            |path| format!("those in {}", path.display()),
        );
        let text = format!("the key was made with other parameters than {file}");
        return Err(Failure::Input(text));
    }
    Ok(Some(parameters.record()))
}

#[cfg(not(feature = "log"))]
fn parameters_record(
    _: &PublicKey,
    _: &NewStoreArguments,
    _: &Output,
) -> Result<Option<RecordChange>> {
    Ok(None)
}

pub(super) fn check_key(path: &Path, found: &PublicKey, given: &PublicKey) -> Result {
    if found == given {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Input(
        if found.authority.dictionary == given.authority.dictionary {
            format!("the key is not the one that the store {path} was made with")
        } else {
            format!(
                "the key is for dictionary {}, but the store {path} holds dictionary {}",
                given.authority.dictionary, found.authority.dictionary
            )
        },
    ))
}
