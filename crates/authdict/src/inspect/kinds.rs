//! The kinds of messages, as listed in `docs/format`.

use pad_core::{DecodeError, codec};

use super::suite_numbered;
use crate::selection::SuiteName;

/// The kind of a message, as decoded from the first bytes of the message, its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The number that identifies the kind in envelopes.
    pub number: u8,
    /// The context number in the envelope. Depending on the kind, it is the number of a suite, a
    /// scheme or a kind of tags, or 0.
    pub context: u16,
    /// The name of the kind.
    pub name: &'static str,
    /// The role of messages of this kind.
    pub role: Role,
}

/// The role of a message, which determines how the message is inspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A signed head.
    Head,
    /// A proof file: a signed head, and a proof under this head.
    ProofFile,
    /// An update, with the signed head of the version that it produces.
    Update,
    /// Evidence that an author's key has signed two histories.
    Evidence,
    /// A message of any other kind. No head is read from it.
    Other,
}

/// The maximum length of an inspected message, in bytes: a value of maximum length with its proof.
pub const LONGEST: usize = (16 << 20) + (1 << 20);

impl Kind {
    /// Decodes the kind from the envelope of a message.
    ///
    /// # Errors
    /// [`DecodeError`] if `message` has no envelope of this format, or its kind is unknown.
    pub fn of(message: &[u8]) -> Result<Self, DecodeError> {
        let envelope = message.first_chunk::<{ codec::ENVELOPE_LENGTH }>();
        let [m0, m1, m2, m3, format, number, c0, c1] = *envelope.ok_or(DecodeError::Malformed)?;
        if [m0, m1, m2, m3] != codec::MAGIC {
            return Err(DecodeError::NotThisFormat);
        }
        if format != codec::FORMAT_VERSION {
            return Err(DecodeError::UnknownFormatVersion(format));
        }
        let (name, role) = described(number).ok_or(DecodeError::Malformed)?;
        Ok(Self {
            number,
            context: u16::from_be_bytes([c0, c1]),
            name,
            role,
        })
    }

    /// Returns the suite (hash function and signature) of the head or signature in messages of this
    /// kind.
    pub(super) fn suite(&self) -> Result<SuiteName, DecodeError> {
        match self.number {
            // Logs have only one suite, and kinds without heads do not depend on a suite.
            10..=12 | 48..=58 | 96..=112 | 129..=131 | 145..=147 => Ok(SuiteName::Sha256Ed25519),
            _ => suite_numbered(self.context),
        }
    }

    pub(super) const fn is_of_tree(&self) -> bool {
        matches!(self.number, 32..=38)
    }

    pub(super) const fn is_look_up_of_tuples(&self) -> bool {
        self.number == 81
    }
}

fn described(number: u8) -> Option<(&'static str, Role)> {
    use Role::{Evidence, Head, Other, ProofFile, Update};
    Some(match number {
        1 => ("signed head", Head),
        2 => ("inclusion proof of heads", Other),
        3 => ("consistency proof of heads", Other),
        4 => ("update of a tree dictionary", Update),
        5 => ("evidence: two heads of one version", Evidence),
        6 => ("trusted view", Other),
        8 => ("prefix proof of heads", Other),
        9 => ("evidence: heads that contradict each other", Evidence),
        10 => ("question", Other),
        11 => ("history of a key, unproved", Other),
        12 => ("list of messages", Other),
        16..=22 => ("proof by a tree, without its head", Other),
        32 => ("proof of a look-up", ProofFile),
        33 => ("proof of a look-up of several keys", ProofFile),
        34 => ("proof of a range", ProofFile),
        35 => ("proof of a predecessor", ProofFile),
        36 => ("proof of a successor", ProofFile),
        37 => ("proof of the first entry", ProofFile),
        38 => ("proof of the last entry", ProofFile),
        56 => ("parameters of an accumulator", Other),
        57 => ("secret key of an accumulator", Other),
        48..=58 => ("message of an accumulator", Other),
        64 => ("update of a tuple dictionary", Update),
        65..=67 => ("proof by tuples, without its head", Other),
        68 => ("checkpoint of a server of a tuple dictionary", Other),
        81 => ("proof of a look-up by tuples", ProofFile),
        82 => ("proof of several keys by tuples", ProofFile),
        83 => ("proof of a range by tuples", ProofFile),
        96 => ("request about an outsourced file", Other),
        97 => ("response about an outsourced file", Other),
        98 => ("owner's key for tags of outsourced files", Other),
        99 => ("server's key for tags of outsourced files", Other),
        100 => ("verifier's key for tags of outsourced files", Other),
        112 => ("owner's state of an outsourced file", Other),
        128 => ("update of a log", Update),
        129..=131 => ("proof of a log, without its head", Other),
        132 => ("checkpoint of a server of a log", Other),
        145 => ("proof of what a log has of a key", ProofFile),
        146 => ("proof of one entry of a log", ProofFile),
        // This message begins with two heads.
        147 => ("proof that a log has grown", Other),
        160 => (
            "proof of entries of a block directory, without its head",
            Other,
        ),
        161 => (
            "proof of a range of a block directory, without its head",
            Other,
        ),
        162 => ("hint for an entry of a block directory", Other),
        163 => ("short answer of a block directory", Other),
        164 => ("proof by opened blocks of a block directory", Other),
        165 => ("look-up request to a block directory", Other),
        166 => ("answer of a block directory", Other),
        167 => ("range request to a block directory", Other),
        168 => ("state of a light author of a block directory", Other),
        176 | 177 => ("proof file of a block directory", ProofFile),
        _ => return None,
    })
}
