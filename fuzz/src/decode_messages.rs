//! Any bytes into the decoders of messages. Checks that none panics, and that decoded messages
//! encode to the same bytes.

use block_directory::{
    EntryProof, Hint, RangeProof as EntryRangeProof,
    internals::{
        DirectoryAnswer, EntryRequest, OpenedProof, RangeRequest, ShortCircuit, strategy::Flat,
    },
};
use pad_core::{
    Blake3Ed25519, ConsistencyProof, Contradiction, Equivocation, InclusionProof, Key, Paper2010,
    Response, Sha256Ed25519, SignedHead, Suite, TrustedView, Update,
    codec::{self, Message},
    internals::PrefixProof,
};
use pad_core::{First, KeyRange, Keys, Last, Predecessor, Successor};
use pad_tree::TreeProof;
use pad_tuple::{
    ManyProof, RangeProof, TupleProof,
    designs::{
        AccumulatorsSupersedingRsa, BaseSuperseding, ChainAccumulatorsRsa, SpecLightweight,
        SpecLightweightBls,
    },
    internals::{AggregateDesign, Design, TupleAttachment},
};

const LIMIT: usize = 1 << 16;

/// Decodes the input as every type of message in `decode_suite`, for each suite.
pub fn run(data: &[u8]) {
    decode_suite::<Sha256Ed25519>(data);
    decode_suite::<Blake3Ed25519>(data);
    decode_suite::<Paper2010>(data);
}

fn decode_suite<S: Suite>(data: &[u8]) {
    decode::<SignedHead<S>>(data);
    decode::<InclusionProof<S>>(data);
    decode::<ConsistencyProof<S>>(data);
    decode::<Update<S>>(data);
    decode::<Equivocation<S>>(data);
    decode::<PrefixProof<S>>(data);
    decode::<Contradiction<S>>(data);
    decode::<TrustedView<S>>(data);
    decode::<TreeProof<S, Key>>(data);
    decode::<Response<S, TreeProof<S, Key>>>(data);
    decode::<TreeProof<S, Keys>>(data);
    decode::<TreeProof<S, KeyRange>>(data);
    decode::<TreeProof<S, Predecessor>>(data);
    decode::<TreeProof<S, Successor>>(data);
    decode::<TreeProof<S, First>>(data);
    decode::<TreeProof<S, Last>>(data);
    decode::<EntryProof<S>>(data);
    decode::<EntryRangeProof<S>>(data);
    decode::<Hint<S>>(data);
    decode::<ShortCircuit<S>>(data);
    decode::<EntryRequest<S>>(data);
    decode::<DirectoryAnswer<S>>(data);
    decode::<RangeRequest<S>>(data);
    decode::<OpenedProof<S, Flat>>(data);
    decode_signed::<S, BaseSuperseding>(data);
    decode_signed::<S, SpecLightweight>(data);
    decode_signed::<S, SpecLightweightBls>(data);
    decode_design::<S, AccumulatorsSupersedingRsa>(data);
    decode_design::<S, ChainAccumulatorsRsa>(data);
}

fn decode_signed<S: Suite, D: AggregateDesign<S>>(data: &[u8]) {
    decode_design::<S, D>(data);
    decode::<ManyProof<S, D>>(data);
    decode::<RangeProof<S, D>>(data);
}

fn decode_design<S: Suite, D: Design<S>>(data: &[u8]) {
    decode::<TupleProof<S, D>>(data);
    decode::<Update<S, TupleAttachment<D::Extension>>>(data);
}

fn decode<M: Message>(data: &[u8]) {
    if let Ok(message) = codec::decode::<M>(data, LIMIT) {
        assert_eq!(codec::encode(&message), data, "decoding is canonical");
    }
}
