//! The identity of a log: its setup, and the id that its hashes cover.

use alloc::{sync::Arc, vec::Vec};
use core::{fmt, marker::PhantomData};

use pad_accumulators::{AccumulatorId, bilinear::Parameters, wire::Reader};
use pad_core::{
    DecodeError, DictionaryId, Digest, Sha256Ed25519, SnapshotHead, Verified, VerifyError, Version,
    history::PastRoot,
};

use crate::{
    scheme::Scheme,
    shape::{Schedule, Shape},
};

/// The public setup of a log, which clients need in addition to the author's key: parameters and
/// shape. Fixed when the log is made.
///
/// A setup is an unauthenticated claim of the log. A client must have a reason to trust the
/// parameters: it pinned them, or knows the ceremony that made them. Knowledge of the parameters'
/// secret allows forging every proof.
#[derive(Clone, Debug)]
pub struct Setup {
    parameters: Arc<Parameters>,
    shape: Shape,
}

impl Setup {
    /// Creates a setup.
    pub const fn new(parameters: Arc<Parameters>, shape: Shape) -> Self {
        Self { parameters, shape }
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The shape.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Encodes the setup for key files: level of blocks (1) ‖ top level (1) ‖ schedule (1) ‖
    /// `[s]_2` (96) ‖ length of the purpose (1) ‖ purpose.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.label().to_vec();
        bytes.extend_from_slice(&self.parameters.secret_in_g2());
        let purpose = self.parameters.purpose().as_bytes();
        bytes.push(u8::try_from(purpose.len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(purpose);
        bytes
    }

    /// Decodes a setup that can only verify.
    ///
    /// # Errors
    /// - [`DecodeError::ParametersInvalid`] for another level of blocks, a top level outside 4 to
    ///   32, or an unknown schedule. Also for the generator as `[s]_2`, and for a purpose of 0 or
    ///   over 64 bytes.
    /// - [`DecodeError::Malformed`] for a purpose that is not UTF-8.
    /// - Other [`DecodeError`]s for an invalid point, and for bytes that are too short or too long.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let [block_level, top_level, schedule] = reader.array()?;
        let schedule = Schedule::from_number(schedule).ok_or(DecodeError::ParametersInvalid)?;
        let shape = Shape::new(top_level, schedule).ok_or(DecodeError::ParametersInvalid)?;
        if block_level != Shape::BLOCK_LEVEL {
            return Err(DecodeError::ParametersInvalid);
        }
        let s_g2 = reader.array_ref()?;
        let [length] = reader.array()?;
        let purpose = reader.take(usize::from(length))?;
        reader.finish()?;
        let purpose = core::str::from_utf8(purpose).map_err(|_| DecodeError::Malformed)?;
        let parameters = Parameters::for_claims(s_g2, purpose)?;
        Ok(Self::new(Arc::new(parameters), shape))
    }

    const fn label(&self) -> [u8; 3] {
        [
            self.shape.block_level(),
            self.shape.top_level(),
            self.shape.schedule().number(),
        ]
    }
}

/// One log: scheme, dictionary and setup, and the id derived from them. Cheap to clone.
#[derive(Clone)]
pub struct Log<S> {
    dictionary: DictionaryId,
    setup: Setup,
    id: AccumulatorId,
    scheme: PhantomData<S>,
}

impl<S: Scheme> Log<S> {
    /// Creates the log with this dictionary id and setup.
    pub fn new(dictionary: DictionaryId, setup: Setup) -> Self {
        let label = [&dictionary.to_bytes()[..], &setup.label()].concat();
        let id = AccumulatorId::derive(S::ID, &setup.parameters.fingerprint(), &label);
        Self {
            dictionary,
            setup,
            id,
            scheme: PhantomData,
        }
    }

    /// The id, which the digest and every challenge cover.
    pub const fn id(&self) -> AccumulatorId {
        self.id
    }

    /// The dictionary's id in heads.
    pub const fn dictionary(&self) -> DictionaryId {
        self.dictionary
    }

    /// The setup.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The shape of the forest.
    pub const fn shape(&self) -> Shape {
        self.setup.shape
    }

    /// Returns the log at a verified head, for verifying proofs.
    ///
    /// # Errors
    /// [`VerifyError::WrongDictionary`], [`VerifyError::WrongScheme`] for a head of another
    /// dictionary or scheme. The head does not contain the setup. The digest of a log covers
    /// dictionary, scheme and setup, unless the log is empty.
    pub fn at(
        &self,
        head: &Verified<SnapshotHead<Sha256Ed25519>>,
    ) -> Result<LogRoot<S>, VerifyError> {
        let head = head.get();
        if head.dictionary != self.dictionary {
            return Err(VerifyError::WrongDictionary);
        }
        if head.scheme != S::ID {
            let (expected, actual) = (S::ID.0, head.scheme.0);
            return Err(VerifyError::WrongScheme { expected, actual });
        }
        Ok(LogRoot {
            log: self.clone(),
            version: head.version,
            root: head.root,
        })
    }

    /// The log at a root in the history of a head of this log.
    pub(crate) fn at_past(&self, past: &Verified<PastRoot<Sha256Ed25519>>) -> LogRoot<S> {
        LogRoot {
            log: self.clone(),
            version: past.get().version,
            root: past.get().root,
        }
    }
}

impl<S: Scheme> fmt::Debug for Log<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Log")
            .field("scheme", &S::NAME)
            .field("dictionary", &self.dictionary)
            .field("setup", &self.setup)
            .finish_non_exhaustive()
    }
}

/// A log at one version with a verified root: the commitment that proofs are checked against. Only
/// [`Log::at`] and [`LogClient`](crate::LogClient) create it.
#[derive(Clone, Debug)]
pub struct LogRoot<S: Scheme> {
    log: Log<S>,
    version: Version,
    root: Digest<32>,
}

impl<S: Scheme> LogRoot<S> {
    /// The log.
    pub const fn log(&self) -> &Log<S> {
        &self.log
    }

    /// The version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The digest of the log at that version.
    pub const fn root(&self) -> Digest<32> {
        self.root
    }
}
