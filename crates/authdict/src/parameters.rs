//! Public parameters of logs: their files, their encoding in key files, and their records in
//! stores.
//!
//! The public parameters of a log are powers of a secret number. A log's author and servers need
//! one power for each element of its largest trees. Frontier schemes need 512 times as many powers,
//! or 256 times for sets. Clients need only one point of the parameters, which both key files
//! contain in their line `scheme-key`.

use std::sync::Arc;

use pad_accumulators::{
    SecretKey as _,
    bilinear::{BilinearSecretKey, Parameters, ceremony},
    wire,
};
use pad_core::{DecodeError, Workers};
use pad_log::{Setup, Shape};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::{
    keys::PublicKey,
    own_keys::NoRandomness,
    selection::SchemeName,
    store::{RecordChange, Store, StoreError},
};

/// Public parameters of logs, checked to be well-formed and consistent. No check can establish that
/// the secret number behind the parameters is unknown; see [`LogParameters::origin`].
#[derive(Clone, Debug)]
pub struct LogParameters {
    parameters: Arc<Parameters>,
}

impl LogParameters {
    /// Generates insecure parameters for tests. They suffice for trees of up to `2^top_level`
    /// elements; `top_level` is limited to [`LogParameters::greatest_made`].
    ///
    /// A party that learns the secret can forge proofs. This function neither returns nor stores
    /// the secret.
    ///
    /// # Errors
    /// `NoRandomness` if the operating system supplies no random numbers.
    pub fn generate_insecure(scheme: SchemeName, top_level: u8) -> Result<Self, NoRandomness> {
        let capacity = scheme.powers_of_entry() << top_level.min(Self::greatest_made(scheme));
        let workers = Workers::all_cores();
        let secret = BilinearSecretKey::generate(capacity, 1, b"", &workers);
        let secret = secret.map_err(|_| NoRandomness)?;
        let parameters = secret.public_key().shared_parameters();
        Ok(Self { parameters })
    }

    fn of(parameters: Parameters) -> Self {
        let parameters = Arc::new(parameters);
        Self { parameters }
    }

    /// Returns the maximum `top_level` of [`LogParameters::generate_insecure`], which reduces
    /// greater levels to it. The parameters for this level take 200 MB.
    pub fn greatest_made(scheme: SchemeName) -> u8 {
        level(MOST_MADE, scheme)
    }

    /// The maximum length of a file of parameters, in bytes.
    pub const LONGEST: usize = 512 << 20;

    /// Decodes public parameters from a message (of kind 56), and checks them.
    ///
    /// Time: 50 microseconds per power, spread over all cores, and a sum over all powers.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(message: &[u8]) -> Result<Self, DecodeError> {
        let parameters = wire::decode::<Parameters>(&Workers::all_cores(), message, Self::LONGEST)?;
        Ok(Self::of(parameters.into_unverified()))
    }

    /// Reads the parameters in a file that a public setup ceremony has published, as JSON or text
    /// ([`ceremony`]).
    ///
    /// Time: as for [`LogParameters::decode`].
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn from_ceremony(file: &[u8]) -> Result<Self, DecodeError> {
        let workers = Workers::all_cores();
        let is_json = file.trim_ascii_start().first() == Some(&b'{');
        let read = if is_json {
            ceremony::from_json(file, PURPOSE, &workers)
        } else {
            ceremony::from_text(file, PURPOSE, &workers)
        };
        read.map(Self::of)
    }

    /// Returns the parameters of the Ethereum project's setup ceremony, which are part of this
    /// crate. They suffice for trees of up to 2048 entries with the schemes `aad-counted` and
    /// `aas-counted`.
    ///
    /// Time: 0.2 seconds on one core.
    ///
    /// # Errors
    /// [`DecodeError`] if the file in this crate is damaged.
    pub fn ethereum() -> Result<Self, DecodeError> {
        Self::decode(ETHEREUM)
    }

    /// Returns a shared reference to the powers, for the [`Setup`] of a log.
    pub fn shared(&self) -> Arc<Parameters> {
        Arc::clone(&self.parameters)
    }

    /// Encodes the public parameters as a message (of kind 56).
    pub fn to_message(&self) -> Vec<u8> {
        wire::encode(&*self.parameters)
    }

    /// Returns the name of the published ceremony that produced the parameters, if this crate knows
    /// it. The secret of such parameters is unknown unless all participants of the ceremony
    /// colluded. The maker of any other parameters may be able to forge proofs.
    pub fn origin(&self) -> Option<&'static str> {
        origin(&self.parameters.secret_in_g2())
    }

    /// Returns the level of the largest trees of a log with this scheme for which the parameters
    /// suffice. A tree of level `l` has `2^l` elements. With a level below 4, the parameters
    /// suffice for no tree.
    pub fn greatest_top_level(&self, scheme: SchemeName) -> u8 {
        level(self.parameters.capacity(), scheme)
    }

    /// Encodes the scheme key of a log with this scheme, shape and parameters, for key files.
    /// Returns `None` if the log's largest trees need more powers than the parameters contain.
    pub fn setup(&self, scheme: SchemeName, shape: Shape) -> Option<Zeroizing<Vec<u8>>> {
        let setup = Setup::new(Arc::clone(&self.parameters), shape);
        let serves = shape.top_level() <= self.greatest_top_level(scheme);
        serves.then(|| setup.to_bytes().into())
    }

    /// Returns the [`Setup`] of the log with this public key, with all powers of these parameters.
    /// Returns `None` if the key is for other parameters, or the log needs more powers.
    #[doc(hidden)]
    pub fn setup_of(&self, public: &PublicKey) -> Option<Setup> {
        let known = public.scheme_key.as_ref()?.get::<Setup>()?;
        let setup = Setup::new(Arc::clone(&self.parameters), known.shape());
        let same = setup.to_bytes() == known.to_bytes();
        let greatest = self.greatest_top_level(public.scheme);
        (same && known.shape().top_level() <= greatest).then_some(setup)
    }

    /// Returns the record that stores a log's parameters: an integrity digest, and the powers with
    /// their coordinates. A store with this record can be opened without checking the powers again.
    #[doc(hidden)]
    pub fn record(&self) -> RecordChange {
        let kept = self.parameters.to_kept();
        let digest = Sha256::digest(&kept);
        RecordChange::put(PARAMETERS_GROUP, "", [&digest[..], &kept].concat())
    }

    /// Reads the parameters in a log's store. They are as trustworthy as the other contents of the
    /// store.
    ///
    /// Time: about one microsecond per power.
    ///
    /// # Errors
    /// [`StoreError`].
    #[doc(hidden)]
    pub fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let found = store.records(PARAMETERS_GROUP)?.pop();
        let read = found.and_then(|(_, record)| {
            let (digest, kept) = record.split_first_chunk::<32>()?;
            let is_whole = Sha256::digest(kept)[..] == digest[..];
            is_whole.then(|| Parameters::from_kept(kept).ok())?
        });
        let damaged = StoreError::Damaged("the log's parameters are missing or damaged");
        read.map(Self::of).ok_or(damaged)
    }
}

/// Returns the name of the published ceremony that produced the parameters of the log with this
/// public key. Returns `None` if this crate does not know the ceremony, or the key is not for a
/// log.
pub fn origin_of(public: &PublicKey) -> Option<&'static str> {
    let setup = public.scheme_key.as_ref()?.get::<Setup>()?;
    origin(&setup.parameters().secret_in_g2())
}

fn origin(s_g2: &[u8]) -> Option<&'static str> {
    (hex::encode(s_g2) == ETHEREUM_SECRET).then_some("the Ethereum project's KZG ceremony of 2023")
}

/// Returns the level of the largest trees of a log with this scheme for which `powers` powers
/// suffice.
fn level(powers: usize, scheme: SchemeName) -> u8 {
    let entries = powers / scheme.powers_of_entry().max(1);
    u8::try_from(entries.max(1).ilog2()).unwrap_or(Shape::GREATEST_LEVEL)
}

/// The maximum number of powers that [`LogParameters::generate_insecure`] makes.
const MOST_MADE: usize = 1 << 22;

const PARAMETERS_GROUP: &str = "parameters";

/// The label that is encoded with the powers. It is the same in all files, because the ids of logs
/// depend on powers and label.
const PURPOSE: &str = "accumulator";

/// The parameters of the Ethereum project's KZG setup ceremony: 4096 powers in G1 and 65 in G2, as
/// a message of kind 56. Source and licence: `data/README.md` of this crate.
const ETHEREUM: &[u8] = include_bytes!("../data/ethereum-kzg-2023.parameters");

/// `[s]_2` of the ceremony, in hexadecimal digits: the point in G2 that identifies the secret `s`.
/// It is taken from the ceremony's file `trusted_setup_4096.json`.
const ETHEREUM_SECRET: &str = "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d\
    2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2\
    3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";
