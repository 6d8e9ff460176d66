//! The public parameters of logs: files, what key files say of them, and where stores keep them.
//!
//! A log's author and servers need as many powers as its largest trees have elements, in frontier schemes 512 times as many; clients
//! need one point of them, which both key files have in their line `scheme-key`.

use std::sync::Arc;

use aad::{Setup, Shape};
use accumulators::{
    SecretKey as _,
    bilinear::{BilinearSecretKey, Parameters},
    wire,
};
use pad_core::{DecodeError, Workers};
use zeroize::Zeroizing;

use crate::{
    keys::PublicKey,
    own_keys::NoRandomness,
    selection::SchemeName,
    store::{RecordChange, Store, StoreError},
};

/// Public parameters of logs: well-formed and consistent. That nobody knows their secret cannot be checked.
#[derive(Clone, Debug)]
pub struct LogParameters {
    message: Vec<u8>,
    parameters: Arc<Parameters>,
}

impl LogParameters {
    /// New parameters for trees of up to `2^top_level` elements, at most [`LogParameters::greatest_made`], for tests: whoever runs
    /// this can forge, if the secret is kept. It is not.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn generate_insecure(scheme: SchemeName, top_level: u8) -> Result<Self, NoRandomness> {
        let capacity = scheme.powers_of_entry() << top_level.min(Self::greatest_made(scheme));
        let workers = Workers::all_cores();
        let secret = BilinearSecretKey::generate(capacity, 1, b"", &workers);
        let secret = secret.map_err(|_| NoRandomness)?;
        let message = wire::encode(secret.public_key().parameters());
        Self::decode(message).map_err(|_| NoRandomness)
    }

    /// The largest trees for which parameters are made here, as a level: 50 MB.
    pub fn greatest_made(scheme: SchemeName) -> u8 {
        level(MOST_MADE, scheme)
    }

    /// The most bytes of a file of parameters that is read.
    pub const LONGEST: usize = 512 << 20;

    /// The parameters in a message of kind 56.
    ///
    /// Time: 50 microseconds for each power, spread over all cores, and a sum over all of them.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn decode(message: Vec<u8>) -> Result<Self, DecodeError> {
        let parameters =
            wire::decode::<Parameters>(&Workers::all_cores(), &message, Self::LONGEST)?;
        let parameters = Arc::new(parameters.into_unverified());
        Ok(Self {
            message,
            parameters,
        })
    }

    /// The message.
    pub fn as_bytes(&self) -> &[u8] {
        &self.message
    }

    /// The level of the largest trees of this scheme that the parameters serve.
    pub fn greatest_top_level(&self, scheme: SchemeName) -> u8 {
        level(self.parameters.capacity(), scheme)
    }

    /// What key files say of a log of this scheme and shape with these parameters; `None` if its largest trees are larger than the
    /// parameters serve.
    pub fn setup(&self, scheme: SchemeName, shape: Shape) -> Option<Zeroizing<Vec<u8>>> {
        let setup = Setup::new(Arc::clone(&self.parameters), shape);
        let serves = shape.top_level() <= self.greatest_top_level(scheme);
        serves.then(|| setup.to_bytes().into())
    }

    /// The setup of the log with this key, with all powers; `None` if the key's parameters are others, or more powers are needed.
    pub fn setup_of(&self, public: &PublicKey) -> Option<Setup> {
        let known = public.scheme_key.as_ref()?.get::<Setup>()?;
        let setup = Setup::new(Arc::clone(&self.parameters), known.shape());
        let same = setup.to_bytes() == known.to_bytes();
        let greatest = self.greatest_top_level(public.scheme);
        (same && known.shape().top_level() <= greatest).then_some(setup)
    }

    /// The record in which a log's store has its parameters.
    pub fn record(&self) -> RecordChange {
        RecordChange::put(PARAMETERS_GROUP, "", self.message.clone())
    }

    /// The parameters in a log's store.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn read(store: &impl Store) -> Result<Self, StoreError> {
        let found = store.records(PARAMETERS_GROUP)?.pop();
        let read = found.and_then(|(_, message)| Self::decode(message).ok());
        read.ok_or(StoreError::Damaged("it does not have the log's parameters"))
    }
}

/// The level of the largest trees for which so many powers suffice.
fn level(powers: usize, scheme: SchemeName) -> u8 {
    let entries = powers / scheme.powers_of_entry().max(1);
    u8::try_from(entries.max(1).ilog2()).unwrap_or(Shape::GREATEST_LEVEL)
}

/// The most powers that are made here.
const MOST_MADE: usize = 1 << 20;

const PARAMETERS_GROUP: &str = "parameters";
