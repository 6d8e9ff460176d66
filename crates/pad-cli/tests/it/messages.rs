//! Checks the published messages that do not depend on a scheme: questions, histories, lists, and
//! messages about outsourced files.

use authdict::{
    Key, KeyRange, Keys, Predecessor, Question, Successor, Untrusted, Value, Version,
    internals::exchange, pad_tree::KeyHistory,
};
use ed25519_dalek::SigningKey;
use flexlist::{
    FileId,
    challenge::Challenge,
    internals::{BlockEdit, Bytes},
    tag::{Challenged, Hit, OwnerKey, ServerParameters, TagKind, VerifierKey, WriteId},
};
use flexlist_service::internals::{
    message::{
        Abort, Acknowledge, Begin, Confirm, Delete, FileStatus, FileUpdate, Finish, InsertedBlock,
        OwnerStatement, Part, ReadBlock, Refusal, Request, Response, SentBlock, SignedRequest,
    },
    signed::RequestKind as Kind,
};
use pad_conformance::published::{self, decode, encode};
use pad_core::{Digest, codec};
use serde::{Deserialize, Serialize};

/// A message with its decoded contents.
#[derive(Serialize, Deserialize)]
#[allow(
    clippy::struct_field_names,
    reason = "what it is called where it is published"
)]
struct Message {
    kind: u8,
    says: String,
    message: String,
}

/// Bytes that are not a message of a kind.
#[derive(Serialize, Deserialize)]
struct RefusedMessage {
    kind: u8,
    why: String,
    message: String,
}

#[derive(Serialize, Deserialize)]
struct PublishedMessages {
    comment: String,
    accepted: Vec<Message>,
    refused: Vec<RefusedMessage>,
}

impl PublishedMessages {
    /// Replaces the accepted messages. `takes` must accept all of them, and refuse all refused
    /// messages.
    fn with<T: Into<String>>(
        self,
        accepted: Vec<(T, Vec<u8>)>,
        takes: impl Fn(u8, &[u8]) -> bool,
    ) -> Self {
        let accepted = accepted.into_iter().map(|(says, message)| {
            let (kind, says) = (message[5], says.into());
            assert!(takes(kind, &message), "{says}");
            let message = encode(message);
            Message {
                kind,
                says,
                message,
            }
        });
        for RefusedMessage { kind, why, message } in &self.refused {
            assert!(!takes(*kind, &decode(message)), "{why}: {message}");
        }
        assert!(self.refused.len() >= 29);
        Self {
            accepted: accepted.collect(),
            ..self
        }
    }
}

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

#[test]
fn questions_histories_and_lists_are_the_published_ones() {
    let range = |start: Option<&str>, end: Option<&str>| {
        let (start, end) = (start.map(key), end.map(key));
        Question::Range(KeyRange { start, end })
    };
    let keys = Keys::new(vec![key("apple"), key("plum")]).unwrap();
    let questions = [
        ("the value of apple", Question::Key(key("apple"))),
        ("the values of apple and plum", Question::Keys(keys)),
        ("all entries", range(None, None)),
        (
            "from apple to before plum",
            range(Some("apple"), Some("plum")),
        ),
        (
            "whether apple has the value red",
            Question::Value(key("apple"), Value::try_from("red").unwrap()),
        ),
        (
            "whether the log of version 300 is part of this one",
            Question::Growth(Version::new(300)),
        ),
        ("the first entry", Question::First),
        ("the last entry", Question::Last),
        ("the entry before apple", Predecessor(key("apple")).into()),
        ("the entry after apple", Successor(key("apple")).into()),
    ];
    let history = |since: u64, changes: &[u64]| {
        let changes = changes.iter().copied().map(Version::new).collect();
        let since = Version::new(since);
        exchange::encode_history(Untrusted::new(KeyHistory { since, changes }))
    };
    let list = |items: &[&[u8]]| exchange::encode_list(items.iter().copied()).unwrap();
    let mut accepted: Vec<_> = questions.map(|(says, of)| (says, of.encode())).into();
    accepted.extend([
        ("nothing is missing; 1, 2 and 300", history(0, &[1, 2, 300])),
        ("nothing since version 7", history(7, &[])),
        ("one, nothing, three", list(&[b"one", b"", b"three"])),
        ("no items", list(&[])),
    ]);
    let of: PublishedMessages = published::read("messages");
    let computed = of.with(accepted, |kind, bytes| match kind {
        10 => Question::decode(bytes).is_ok(),
        11 => exchange::decode_history(bytes, 1000).is_ok(),
        _ => exchange::decode_list(bytes, 1000).is_ok(),
    });
    published::check("messages", &computed);
}

/// A tag of a block of one kind, and a proof about it.
#[derive(Serialize, Deserialize)]
struct Tag {
    kind: String,
    owner_key: String,
    verifier_key: Option<String>,
    write: String,
    block: String,
    committed: String,
    held: String,
    hits: Vec<(u64, String)>,
    proof: String,
}

#[derive(Serialize, Deserialize)]
struct FileMessages {
    #[serde(flatten)]
    messages: PublishedMessages,
    owner_seed: String,
    tags: Vec<Tag>,
}

const SEED: [u8; 32] = [42; 32];
const FILE: FileId = FileId([7; 32]);
const ROOT: Digest<32> = Digest([9; 32]);

fn signed(kind: Kind, body: &impl Serialize) -> SignedRequest {
    SignedRequest::new(kind, body, &SigningKey::from_bytes(&SEED)).unwrap()
}

/// Returns the key for tags of this kind. If the kind has a secret, the secret is [`SEED`].
fn owner_key(kind: TagKind) -> Option<OwnerKey> {
    let (number, secret) = match kind {
        TagKind::HashOnly => (1, &[][..]),
        TagKind::PrivateMac => (2, &SEED[..]),
        TagKind::PublicBls => (5, &SEED[..]),
        // These kinds need safe primes. `docs/vectors/files/flexlist.json` contains tags of
        // this kind.
        TagKind::Rsa2048 | TagKind::Rsa3072 => return None,
    };
    let envelope = [b"PAD1\x01\x62\x00", &[number][..], secret].concat();
    Some(OwnerKey::from_bytes(&envelope).unwrap())
}

fn sent(kind: TagKind, data: &[u8]) -> SentBlock {
    let tag = owner_key(kind).unwrap().tag(WriteId([3; 16]), data);
    SentBlock {
        tag: tag.unwrap(),
        data: Bytes(data.to_vec()),
    }
}

fn requests() -> Vec<(&'static str, Request)> {
    let (file, root, total, seed) = (FILE, ROOT, 300, SEED);
    let (version, start, end) = (1, 0, 300);
    let key = owner_key(TagKind::PrivateMac).unwrap();
    let begin = Begin {
        owner: SigningKey::from_bytes(&SEED).verifying_key().to_bytes(),
        salt: [1; 16],
        server_parameters: Bytes(key.server_parameters().to_bytes()),
        expires: 1_800_000_000,
    };
    let block = || sent(TagKind::PrivateMac, b"a block");
    let (number, blocks) = (0, vec![block()]);
    let part = Part {
        file,
        number,
        blocks,
    };
    let (level, block) = (2, block());
    let inserted = InsertedBlock {
        level,
        block: block.clone(),
    };
    let insertion = BlockEdit::Insert {
        index: 0,
        block: inserted,
    };
    let change = BlockEdit::Modify { index: 251, block };
    let update = FileUpdate {
        file,
        base_version: 1,
        edits: vec![insertion, change, BlockEdit::Remove { index: 5 }],
    };
    let confirm = Confirm {
        file,
        version: 2,
        root,
        total,
    };
    let word = Acknowledge { file, version: 2 };
    let delete = Delete { file, version: 2 };
    let acknowledge = Request::Acknowledge(signed(Kind::Acknowledge, &word));
    let audit = |challenge| Request::Audit {
        file,
        version,
        challenge,
    };
    let sample = Challenge::Sample { seed, count: 460 };
    let every = Challenge::Every { seed, start, end };
    let read = Request::Read {
        file,
        version,
        start,
        end,
    };
    let abort = Request::Abort(signed(Kind::Abort, &Abort { file }));
    vec![
        ("begin", Request::Begin(signed(Kind::Begin, &begin))),
        ("part", Request::Part(signed(Kind::Part, &part))),
        ("finish", Request::Finish(finish())),
        ("update", Request::Update(signed(Kind::Update, &update))),
        ("acknowledge", acknowledge),
        ("audit of 460 samples", audit(sample)),
        ("audit of all blocks of a range", audit(every)),
        ("read", read),
        ("status", Request::Status { file }),
        ("abort", abort),
        ("delete", Request::Delete(signed(Kind::Delete, &delete))),
        ("confirm", Request::Confirm(signed(Kind::Confirm, &confirm))),
        ("confirmed", Request::Confirmed { file }),
    ]
}

/// Returns the owner's signed end of an upload.
fn finish() -> SignedRequest {
    let finish = Finish {
        file: FILE,
        parts: 1,
        root: ROOT,
        total: 300,
    };
    signed(Kind::Finish, &finish)
}

fn refusals() -> [(&'static str, Refusal); 18] {
    let (requested, base, current, expected, next_part) = (1, 1, 3, 2, 2);
    let unknown = Refusal::UnknownVersion { requested, current };
    let stale = Refusal::StaleBase { base, current: 2 };
    let why = || "why".into();
    [
        ("unknown file", Refusal::UnknownFile),
        ("version 1 of 3 is unknown", unknown),
        ("part 2 is next", Refusal::UploadUnfinished { next_part }),
        ("upload finished", Refusal::UploadFinished),
        ("part 2 was expected", Refusal::PartOutOfOrder { expected }),
        ("wrong owner", Refusal::WrongOwner),
        ("wrong file id", Refusal::WrongFileId),
        ("base 1, current 2", stale),
        ("root mismatch", Refusal::RootMismatch),
        ("invalid, why", Refusal::Invalid(why())),
        ("too large, why", Refusal::TooLarge(why())),
        ("tags invalid", Refusal::TagsInvalid),
        ("unavailable", Refusal::Unavailable),
        ("store failed, why", Refusal::StoreFailed(why())),
        ("cannot write", Refusal::CannotWrite),
        ("removed", Refusal::Removed),
        ("owner not allowed", Refusal::OwnerNotAllowed),
        ("it is 300", Refusal::BeginExpired { now: 300 }),
    ]
}

fn responses() -> Vec<(String, Response)> {
    let status = FileStatus {
        version: 1,
        root: ROOT,
        total: 300,
        blocks: 4,
        next_part: 1,
    };
    let bytes = |text: &str| Bytes(text.as_bytes().to_vec());
    let [witness, list_proof, committed, tag_proof, data] =
        ["witness", "list proof", "committed", "tag proof", "a block"].map(bytes);
    let block = ReadBlock {
        committed: committed.clone(),
        data,
    };
    let read = Response::Read {
        list_proof: list_proof.clone(),
        blocks: vec![block],
    };
    let audited = Response::Audited {
        list_proof,
        committed: vec![committed],
        tag_proof,
    };
    let statement = OwnerStatement::Finish(finish());
    let made = [
        ("state", Response::State(status)),
        ("updated", Response::Updated { status, witness }),
        ("audited", audited),
        ("read", read),
    ];
    let refusals = refusals().into_iter();
    let refused =
        refusals.map(|(says, refusal)| (format!("refused: {says}"), Response::Refused(refusal)));
    let others = [
        ("removed", Response::Removed),
        ("confirmed", Response::Confirmed { status, statement }),
    ];
    let named = |(says, response): (&str, _)| (says.to_owned(), response);
    let made = made.map(named).into_iter().chain(refused);
    made.chain(others.map(named)).collect()
}

/// Creates a tag of a block of 600 bytes, and the proof for 20 samples of it in two chunks.
fn tag(kind: TagKind) -> Option<Tag> {
    let key = owner_key(kind)?;
    let block: Vec<u8> = (0..600_u16).map(|byte| byte.to_be_bytes()[1]).collect();
    let write = WriteId([3; 16]);
    let tag = key.tag(write, &block).unwrap();
    let hit = |number: u64| Hit {
        offset: number * 29,
        coefficient: u128::MAX - u128::from(number),
    };
    let challenged = Challenged {
        start: 0,
        length: 600,
        hits: (0..20).map(hit).collect(),
    };
    let mut prover = key.server_parameters().prover();
    prover.absorb(&challenged, &tag, &block).unwrap();
    let proof = prover.finish();
    let verifier = key.verifier();
    let opened = [(challenged.clone(), tag.committed.clone())];
    assert_eq!(verifier.verify(&opened, &proof), Ok(()));
    for place in [0, proof.len() / 2, proof.len() - 1] {
        let mut changed = proof.clone();
        changed[place] ^= 1;
        let verdict = verifier.verify(&opened, &changed);
        assert!(verdict.is_err(), "{kind}: {place}");
    }
    let verifier = verifier.to_bytes();
    // The verifier key of public tags is long, and can be computed from the owner's key.
    let is_short = verifier.len() < 1000;
    let hits = challenged.hits.iter();
    Some(Tag {
        kind: kind.name().to_owned(),
        owner_key: encode(key.to_bytes()),
        verifier_key: is_short.then(|| encode(verifier)),
        write: encode(write.0),
        block: encode(&block),
        committed: encode(tag.committed.as_ref()),
        held: encode(tag.held.as_ref()),
        hits: hits
            .map(|hit| (hit.offset, encode(hit.coefficient.to_be_bytes())))
            .collect(),
        proof: encode(proof),
    })
}

#[test]
fn messages_about_files_are_the_published_ones() {
    let mac = owner_key(TagKind::PrivateMac).unwrap();
    let parameters = mac.server_parameters().to_bytes();
    let of_keys = [
        ("the owner's key", mac.to_bytes().to_vec()),
        ("the server's parameters", parameters),
        ("the verifier's key", mac.verifier().to_bytes().to_vec()),
    ];
    let requests = requests().into_iter();
    let requests = requests.map(|(says, request)| (says.to_owned(), codec::encode(&request)));
    let responses = responses().into_iter();
    let responses = responses.map(|(says, response)| (says, codec::encode(&response)));
    let keys = of_keys.map(|(says, key)| (format!("private-mac: {says}"), key));
    let accepted = requests.chain(responses).chain(keys).collect();
    let of: FileMessages = published::read("files/messages");
    let messages = of.messages.with(accepted, |kind, bytes| match kind {
        96 => codec::decode::<Request>(bytes, 1 << 20).is_ok(),
        97 => codec::decode::<Response>(bytes, 1 << 20).is_ok(),
        98 => OwnerKey::from_bytes(bytes).is_ok(),
        99 => ServerParameters::from_bytes(bytes).is_ok(),
        _ => VerifierKey::from_bytes(bytes).is_ok(),
    });
    let vectors = FileMessages {
        messages,
        owner_seed: encode(SEED),
        tags: TagKind::ALL.into_iter().filter_map(tag).collect(),
    };
    published::check("files/messages", &vectors);
}
