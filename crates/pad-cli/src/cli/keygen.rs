//! `pad keygen` creates a key pair. `pad public` writes the public key file of a secret key again.

use std::path::{Path, PathBuf};

#[cfg(feature = "log")]
use authdict::pad_log::Shape;
use authdict::{
    DictionaryId, PublicKey, SchemeName, SecretKey, SigningRecord, SuiteName,
    internals::{DEFAULT_ENTRIES, SchemeKeyFormat},
    pad_core::AuthorKey,
};
use clap::Args;
#[cfg(feature = "log")]
use clap::ValueEnum;
use serde_json::{Value as Json, json};

use super::{
    Failure, KEY_VARIABLE, Output, Result,
    files::OutArguments,
    progress,
    secret::{ProtectArguments, check_place, load_secret, public_path},
    session::record_of,
    signer::AuthorName,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad keygen --out author.key
  pad keygen --out author.key --passphrase
  pad keygen --out author.key --scheme tuple-spec-lightweight --dictionary 'fruit prices'
  pad keygen --out author.key --author agent:SHA256:...")]
pub(super) struct Keygen {
    /// The secret key's file; the public key's file is FILE.pub.
    #[arg(long, short, value_name = "FILE", default_value = "pad.key")]
    out: PathBuf,
    /// Hash and signature: sha256-ed25519.
    ///
    /// Builds with all suites also have blake3-ed25519 and paper-2010 (28-byte digests, for
    /// comparisons only).
    #[arg(long, value_name = "NAME", default_value = SuiteName::Sha256Ed25519.name())]
    suite: SuiteName,
    /// The authentication scheme.
    ///
    /// Trees: red-black, treap and skip-list. With treap and skip-list, equal contents have equal
    /// roots, whatever the history.
    ///
    /// Tuples of key intervals, for lookup proofs of constant size: tuple-base and tuple-spec sign
    /// each tuple in each version. tuple-base-superseding and tuple-spec-superseding store less.
    /// tuple-base-lightweight, tuple-spec-lightweight and tuple-spec3-lightweight sign less.
    /// tuple-base-superseding-bls and tuple-spec-lightweight-bls aggregate signatures.
    ///
    /// Accumulators, which answer for one key at a time: tuple-accumulators-rsa,
    /// tuple-accumulators-superseding-rsa and tuple-chain-accumulators-rsa. A new RSA key takes
    /// minutes. With -bilinear instead of -rsa, --entries limits the number of entries.
    ///
    /// Append-only logs, in which a key keeps all its values: aad-counted and aad-frontier. Lookups
    /// of aad-frontier are cheap, but its appends take hundreds of times as long. Append-only sets:
    /// aas-counted and aas-frontier. aad-frontier and aas-frontier need --parameters.
    ///
    /// For pad directory, with numbered entries on disk: directory.
    #[arg(long, value_name = "NAME", default_value = SchemeName::RedBlack.name())]
    scheme: SchemeName,
    /// Maximum NUMBER of entries, for -bilinear schemes [default: 4095].
    ///
    /// The public key grows by 48 bytes with each entry, and its check takes longer.
    #[arg(long, value_name = "NUMBER")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MOST_ENTRIES))]
    entries: Option<u32>,
    /// The public parameters of an append-only log, from pad parameters.
    ///
    /// Default for aad-counted and aas-counted: the parameters of the Ethereum project's ceremony.
    #[cfg(feature = "log")]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// The largest tree of a log has 2^LEVEL entries.
    ///
    /// Longer logs have several trees. Default: the largest LEVEL that the parameters allow.
    #[cfg(feature = "log")]
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(4..=32))]
    top: Option<u8>,
    /// The time at which a log merges trees; part of the key.
    #[cfg(feature = "log")]
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Schedule::Eager)]
    schedule: Schedule,
    /// Derive the dictionary's id from NAME instead of at random.
    #[arg(long, value_name = "NAME")]
    dictionary: Option<String>,
    /// Use this author's key, and create no secret key.
    ///
    /// KEY is an Ed25519 public key of 64 hexadecimal digits, or agent:FINGERPRINT for a key in the
    /// SSH agent at `SSH_AUTH_SOCK`. Sign with --signer then. Not for schemes with a secret of
    /// their own: -lightweight, -bls, -rsa and -bilinear.
    #[arg(long, value_name = "KEY")]
    author: Option<AuthorName>,
    #[command(flatten)]
    protect: ProtectArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad public --key author.key --out author.key.pub
  pad public --key author.key --out - | ssh mirror 'cat > author.key.pub'")]
pub(super) struct Public {
    /// The secret key's file.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    key: PathBuf,
    #[command(flatten)]
    out: OutArguments,
}

impl Keygen {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        check_place("--out", &self.out)?;
        let dictionary = self.dictionary.as_deref().map(DictionaryId::from_name);
        let public_path = public_path(&self.out);
        let failure = Failure::key_file(&self.out);
        let record = record_of(&self.out, None)?;
        if record.symlink_metadata().is_ok() {
            return Err(Failure::Input(format!(
                "{} exists already: it is the signing record of another key of this name",
                record.display()
            )));
        }
        let entries = self.entries()?;
        if let Some(author) = &self.author {
            return self.publish(&author.key()?, &record, output);
        }
        let protect = self.protect.ask()?;
        let is_search = self.scheme.name().ends_with("-rsa");
        let search = is_search.then(|| {
            let message = "searching for two safe primes, which may take minutes";
            progress::spinner(output, message)
        });
        let key = match self.setup(output)? {
            None => SecretKey::generate_for(entries, self.suite, self.scheme, dictionary),
            setup => SecretKey::generate_with(setup, self.suite, self.scheme, dictionary),
        };
        let key = key.map_err(failure)?;
        drop(search);
        let file = protect(&self.out, key.to_file().map_err(failure)?)?;
        key.save_pair_as(&file, &self.out, &public_path)
            .map_err(|(path, error)| Failure::key_file(path)(error))?;
        SigningRecord::create(&record)?;
        let public = key.public();
        let text = format!(
            "secret key  {}  (keep it, and keep it secret: it signs versions)\n\
             public key  {}  (give it to all who verify)\n\
             record      {}  (of what was signed: never restore a copy of it)",
            self.out.display(),
            public_path.display(),
            record.display(),
        );
        let mut object = shown(public, &public_path, &record);
        object["secret_key"] = self.out.display().to_string().into();
        output.say(&text, &object)
    }

    /// Creates the public key file for an author whose secret key is elsewhere, and the signing
    /// record, unless the dictionary may exist already.
    fn publish(&self, author: &AuthorKey, record: &Path, output: &mut Output) -> Result {
        if self.protect.is_given() {
            return Err(Failure::input(
                "--passphrase: --author creates no secret key",
            ));
        }
        let path = public_path(&self.out);
        let failure = Failure::key_file(&path);
        let dictionary = self.dictionary.as_deref().map(DictionaryId::from_name);
        let setup = self.setup(output)?;
        let setup = setup.as_ref().map(|setup| setup.as_slice());
        let public = PublicKey::from_parts(self.suite, self.scheme, dictionary, *author, setup);
        let public = public.map_err(failure)?;
        public.save(&path).map_err(failure)?;
        let shown_path = path.display();
        let text = format!("public key  {shown_path}  (give it to all who verify)");
        // Author and name determine the dictionary, so it may have signed versions already. A new
        // record would let the author sign other versions with the same numbers.
        let text = if dictionary.is_some() {
            format!("{text}\nrecord      none yet: the first signature needs --new-record")
        } else {
            SigningRecord::create(record)?;
            let record = record.display();
            format!(
                "{text}\nrecord      {record}  (of what was signed: never restore a copy of it)"
            )
        };
        output.say(&text, &shown(&public, &path, record))
    }

    /// Returns the setup of an append-only log for the key: public parameters and the shape of
    /// trees. `None` if the scheme is not a log scheme.
    #[cfg(feature = "log")]
    fn setup(&self, output: &Output) -> Result<Option<Setup>> {
        if !self.scheme.family().is_append_only() {
            return match &self.parameters {
                Some(_) => Err(Failure::Input(format!(
                    "--parameters: dictionaries of scheme {} have none",
                    self.scheme
                ))),
                None => Ok(None),
            };
        }
        if self.suite != SuiteName::Sha256Ed25519 {
            return Err(Failure::Input(format!(
                "logs of scheme {} have the suite {}",
                self.scheme,
                SuiteName::Sha256Ed25519
            )));
        }
        let parameters = super::parameters::load(self.parameters.as_deref(), output)?;
        let greatest = parameters.greatest_top_level(self.scheme);
        let top = self.top.unwrap_or(greatest);
        let shape = Shape::new(top, self.schedule.into());
        let setup = shape.and_then(|shape| parameters.setup(self.scheme, shape));
        let setup = setup.ok_or_else(|| {
            let from = match &self.parameters {
                Some(path) => format!("the parameters in {}", path.display()),
                None => "the parameters that come with this program".into(),
            };
            Failure::Input(format!(
                "--top {top}: {from} serve trees of up to 2^{greatest} entries of scheme {}, and \
                 of at least 2^4",
                self.scheme
            ))
            .help("give other parameters with --parameters")
        })?;
        if parameters.origin().is_none() {
            Output::warn(super::parameters::ORIGIN);
        }
        Ok(Some(setup))
    }

    #[cfg(not(feature = "log"))]
    fn setup(&self, _: &Output) -> Result<Option<Setup>> {
        Ok(None)
    }

    /// Returns the maximum number of entries that the key supports. Fails if `--entries` is given
    /// and the scheme has no maximum.
    fn entries(&self) -> Result<usize> {
        let format = self.scheme.key_format();
        let is_bounded = format.is_some_and(SchemeKeyFormat::is_bounded);
        match self.entries {
            Some(_) if !is_bounded => Err(Failure::input(format!(
                "--entries: dictionaries of scheme {} have no maximum number of entries",
                self.scheme
            ))),
            Some(entries) => {
                usize::try_from(entries).map_err(|error| Failure::Input(error.to_string()))
            }
            None => Ok(DEFAULT_ENTRIES),
        }
    }
}

impl Public {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let key = load_secret(&self.key)?;
        self.out.check_other(&self.key)?;
        let public = key.public();
        let Some(file) = self.out.write(public.to_text().as_bytes(), output)? else {
            return Ok(());
        };
        let fingerprint = public.fingerprint();
        let text = format!("public key  {file}  (fingerprint {fingerprint})");
        let object = json!({ "public_key": file, "fingerprint": fingerprint });
        output.say(&text, &object)
    }
}

/// The time at which an append-only log merges its trees.
#[cfg(feature = "log")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Schedule {
    /// Immediately: proofs are shortest, and some appends take long.
    Eager,
    /// After as many appends as the new tree has entries.
    ///
    /// The work can be spread over these appends, and proofs are longer.
    Deferred,
}

#[cfg(feature = "log")]
impl From<Schedule> for authdict::pad_log::Schedule {
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Eager => Self::Eager,
            Schedule::Deferred => Self::Deferred,
        }
    }
}

/// The encoded setup of an append-only log (public parameters and shape of trees), as stored in the
/// key.
type Setup = authdict::Zeroizing<Vec<u8>>;

/// Maximum value of `--entries`. Key files for more entries would be too large.
pub(super) const MOST_ENTRIES: i64 = 40_000;

/// Renders a new key as a JSON object, without the path of a secret key.
fn shown(public: &PublicKey, path: &Path, record: &Path) -> Json {
    json!({
        "public_key": path.display().to_string(),
        "record": record.display().to_string(),
        "suite": public.suite.to_string(),
        "scheme": public.scheme.to_string(),
        "dictionary": public.authority.dictionary.to_string(),
        "author": public.authority.author.to_string(),
        "fingerprint": public.fingerprint(),
        "scheme_key": public.scheme_key.as_ref().map(ToString::to_string),
    })
}
