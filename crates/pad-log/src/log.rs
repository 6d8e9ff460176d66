//! The identity of a log: its public setup, and the id that its digests and challenges cover.

use alloc::{sync::Arc, vec::Vec};
use core::{fmt, marker::PhantomData};

use pad_accumulators::{AccumulatorId, bilinear::Parameters, wire::Reader};
use pad_core::{
    AuthorKey, Authority, DecodeError, DictionaryId, Digest, Sha256Ed25519, SnapshotHead, Verified,
    VerifyError, Version, internals::PastRoot,
};

use crate::{
    scheme::Scheme,
    shape::{Schedule, Shape},
};

/// The public setup of a log, which clients need in addition to the author's key: parameters and
/// shape. Fixed when the log is made.
///
/// A setup is an unauthenticated claim of the log. A client must have a reason to trust the
/// parameters: it pinned them, or knows the ceremony that made them. A party that knows the secret
/// behind the parameters can forge every proof.
#[derive(Clone, Debug)]
pub struct Setup {
    parameters: Arc<Parameters>,
    shape: Shape,
}

impl Setup {
    /// Creates a setup from the parameters of the accumulators and the shape of the trees.
    pub const fn new(parameters: Arc<Parameters>, shape: Shape) -> Self {
        Self { parameters, shape }
    }

    /// The parameters of the log's accumulators: public powers of a secret.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The shape of the log's trees.
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

    /// Decodes a setup of [`Self::to_bytes`]. Its parameters suffice for verification only.
    ///
    /// # Errors
    /// - [`DecodeError::ParametersInvalid`] for a level of blocks other than
    ///   [`Shape::BLOCK_LEVEL`], a top level outside 4 to 32, or an unknown schedule. Also for the
    ///   generator as `[s]_2`, and for a purpose of 0 or over 64 bytes.
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
    /// Creates the identity of the log with this dictionary id and setup. The id is a hash of
    /// scheme, dictionary and setup.
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

    /// The id of the log, a hash of scheme, dictionary and setup. The log's digest and every
    /// challenge cover it.
    pub const fn id(&self) -> AccumulatorId {
        self.id
    }

    /// The dictionary id that the heads of this log contain.
    pub const fn dictionary(&self) -> DictionaryId {
        self.dictionary
    }

    /// The public setup of the log: parameters and shape.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The shape of the log's trees.
    pub const fn shape(&self) -> Shape {
        self.setup.shape
    }

    /// The author's key with this log's dictionary and scheme.
    pub(crate) const fn authority(&self, author: AuthorKey) -> Authority {
        Authority {
            author,
            dictionary: self.dictionary,
            scheme: S::ID,
        }
    }

    /// Returns the log at a verified head, the commitment against which proofs are verified.
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

    /// Returns the log at an older version whose root is proved to be in the history of a head of
    /// this log.
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
    /// The identity and setup of the log.
    pub const fn log(&self) -> &Log<S> {
        &self.log
    }

    /// The version of the log that proofs are checked against.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The verified digest of the log at [`Self::version`].
    pub const fn root(&self) -> Digest<32> {
        self.root
    }
}
