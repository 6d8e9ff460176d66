//! Reads and checks groups of known answers about logs. The crate's unit tests include this module
//! for a scheme that only they have.

use pad_accumulators::wire;
use pad_core::{DecodeError, Digest, Key, Value, VerifyError, Workers};
use pad_log::{
    AbsenceProof, Absent, AppendOnlyProof, DictionaryScheme, Entries, Entry, Growth, Included,
    InclusionProof, Log, LogRoot, LookupProof, Scheme, SetScheme, internals::Address,
};
use serde_json::Value as Json;

use super::support::{at, verify};

/// The contents of `docs/vectors/logs/logs.json`.
pub(crate) fn vectors() -> Json {
    pad_conformance::published::read("logs/logs")
}

pub(crate) fn items<'a>(value: &'a Json, name: &str) -> &'a [Json] {
    value[name].as_array().map_or(&[], |list| list)
}

pub(crate) fn text<'a>(value: &'a Json, name: &str) -> &'a str {
    let text = value[name].as_str();
    text.unwrap_or_else(|| panic!("{name} is a text in {value}"))
}

pub(crate) fn number(value: &Json, name: &str) -> u64 {
    let number = value[name].as_u64();
    number.unwrap_or_else(|| panic!("{name} is a number in {value}"))
}

pub(crate) fn bytes(value: &Json) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

pub(crate) fn digest(value: &Json) -> Digest<32> {
    Digest(bytes(value).try_into().unwrap())
}

fn key(value: &Json) -> Key {
    Key::new(bytes(value)).unwrap()
}

/// Decodes a value. JSON `null`, for a member, gives an empty value.
fn value(value: &Json) -> Value {
    value.as_str().map_or_else(Value::default, |text| {
        Value::new(hex::decode(text).unwrap()).unwrap()
    })
}

fn entry(value_of: &Json) -> Entry {
    Entry {
        key: key(&value_of[0]),
        value: value(&value_of[1]),
    }
}

/// The statement that an accepted message establishes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement {
    /// All values of a key in order of position. Empty for an absent member of a set.
    Values(Vec<Vec<u8>>),
    /// Position and occurrence of an entry. The occurrence is 0 in sets.
    Included(u64, u64),
    /// Both sizes.
    Grown(u64, u64),
}

/// The expected statement of an accepted case.
fn expected(case: &Json) -> Statement {
    match text(case, "check") {
        "lookup" => Statement::Values(items(case, "values").iter().map(bytes).collect()),
        "inclusion" => Statement::Included(number(case, "position"), number(case, "occurrence")),
        _ => Statement::Grown(number(case, "old"), number(case, "new")),
    }
}

/// The cases of a group that are accepted.
fn accepted(group: &Json) -> impl Iterator<Item = &Json> {
    items(group, "cases").iter().chain(group.get("accepted"))
}

/// The damaged messages of a group, each with its case.
fn damaged(group: &Json) -> Vec<(&Json, Vec<u8>)> {
    let damage = &group["damage"];
    let of_item = |item: &Json| {
        let of = usize::try_from(number(item, "of")).unwrap();
        let place = usize::try_from(damage["of"][of].as_u64().unwrap()).unwrap();
        let case = &items(group, "cases")[place];
        let mut proof = bytes(&case["proof"]);
        match text(item, "what") {
            "byte" => {
                let at = usize::try_from(number(item, "at")).unwrap();
                proof[at] = u8::try_from(number(item, "to")).unwrap();
            }
            "cut" => drop(proof.pop()),
            _ => proof.push(0),
        }
        (case, proof)
    };
    items(damage, "list").iter().map(of_item).collect()
}

/// The log of known answers, with the two functions that differ between dictionaries and sets.
pub(crate) struct Subject<S: Scheme> {
    /// The author's log.
    log: Log<S>,
    /// The client's log, made from the encoded setup.
    client: Log<S>,
    /// Verifies a look-up and returns its values. There are none for absent members.
    look_up: LookUp<S>,
    /// Makes the message of a look-up in the log of a given size.
    answer: fn(&Entries<S>, u64, &Key) -> Vec<u8>,
}

type LookUp<S> = fn(&LogRoot<S>, &Key, &[u8]) -> Result<Vec<Value>, VerifyError>;

impl<S: DictionaryScheme> Subject<S> {
    pub(crate) fn dictionary(log: Log<S>, client: Log<S>) -> Self {
        Self {
            log,
            client,
            look_up: |at, key, proof| {
                let values = verify::<LookupProof<S>>(proof, at, key)?;
                assert_eq!(values.key, *key);
                assert_eq!(values.dictionary, at.log().dictionary());
                Ok(values.values)
            },
            answer: |entries, size, key| {
                wire::encode(&entries.prove_values(size, key.as_bytes()).unwrap())
            },
        }
    }
}

impl<S: SetScheme> Subject<S> {
    pub(crate) fn set(log: Log<S>, client: Log<S>) -> Self {
        Self {
            log,
            client,
            look_up: |at, member, proof| {
                let absent = verify::<AbsenceProof<S>>(proof, at, member)?;
                let expected = Absent {
                    dictionary: at.log().dictionary(),
                    version: at.version(),
                    member: member.clone(),
                };
                assert_eq!(absent, expected);
                Ok(Vec::new())
            },
            answer: |entries, size, member| {
                let proof = entries.prove_absence(size, member.as_bytes()).unwrap();
                wire::encode(&proof.unwrap())
            },
        }
    }
}

impl<S: Scheme> Subject<S> {
    /// Checks that an honest log has the group's digests, roots and messages, built at once or
    /// entry by entry. Returns the result of [`Subject::check_messages`].
    pub(crate) fn check_log(&self, group: &Json) -> usize {
        let size = u64::try_from(items(group, "entries").len()).unwrap();
        let entries = |workers| Entries::bounded(self.log.clone(), workers, size).unwrap();
        let mut slowly = entries(Workers::sequential());
        let mut at_once = entries(Workers::all_cores());
        let roots: Vec<Digest<32>> = items(group, "roots").iter().map(digest).collect();
        assert_eq!(slowly.digest(0), roots[0]);
        for (item, root) in items(group, "entries").iter().zip(&roots[1..]) {
            slowly.push(entry(item)).unwrap();
            slowly.build().unwrap();
            assert_eq!(slowly.digest(slowly.size()), *root);
            at_once.push(entry(item)).unwrap();
        }
        at_once.build().unwrap();
        check_forests(&at_once, group);
        for case in items(group, "cases") {
            for entries in [&slowly, &at_once] {
                let answered = hex::encode(self.answer(entries, case));
                assert_eq!(answered, text(case, "proof"), "{case}");
            }
        }
        self.check_messages(group)
    }

    /// Checks the accepted, refused and damaged messages of a group. Returns their number.
    pub(crate) fn check_messages(&self, group: &Json) -> usize {
        for case in accepted(group) {
            let proof = bytes(&case["proof"]);
            let established = self.established(case, &proof);
            assert_eq!(established, Ok(expected(case)), "{case}");
            if let Some(length) = case["bytes"].as_u64() {
                assert_eq!(u64::try_from(proof.len()), Ok(length));
            }
        }
        for case in items(group, "refused") {
            let proof = bytes(&case["proof"]);
            let refused = self.established(case, &proof).unwrap_err();
            assert_refusal(refused, text(case, "refused"), text(case, "why"));
        }
        let damaged = damaged(group);
        for (case, proof) in &damaged {
            assert!(self.established(case, proof).is_err(), "{case}");
        }
        items(group, "cases").len() + items(group, "refused").len() + damaged.len()
    }

    /// Verifies `proof` as the answer to the case, and returns the statement that it proves.
    fn established(&self, case: &Json, proof: &[u8]) -> Result<Statement, VerifyError> {
        let at = |version, root| at(&self.client, version, digest(&case[root]));
        match text(case, "check") {
            "lookup" => {
                let values = (self.look_up)(&at(1, "root"), &key(&case["key"]), proof)?;
                let values = values.iter().map(|value| value.as_bytes().to_vec());
                Ok(Statement::Values(values.collect()))
            }
            "inclusion" => {
                let entry = Entry {
                    key: key(&case["key"]),
                    value: value(&case["value"]),
                };
                let at = at(1, "root");
                let included = verify::<InclusionProof<S>>(proof, &at, &entry)?;
                let (position, occurrence) = (included.position, included.occurrence);
                let expected = Included {
                    dictionary: self.client.dictionary(),
                    version: at.version(),
                    entry,
                    position,
                    occurrence,
                };
                assert_eq!(included, expected);
                Ok(Statement::Included(position, occurrence))
            }
            "append_only" => {
                let growth = Growth::new(at(1, "old_root"), at(2, "new_root")).unwrap();
                let grown = verify::<AppendOnlyProof<S>>(proof, &growth, &())?;
                Ok(Statement::Grown(grown.from_size, grown.to_size))
            }
            other => panic!("{other} is no proof"),
        }
    }

    /// Returns the proof with which an honest server answers the case.
    fn answer(&self, entries: &Entries<S>, case: &Json) -> Vec<u8> {
        match text(case, "check") {
            "lookup" => (self.answer)(entries, number(case, "n"), &key(&case["key"])),
            "inclusion" => {
                let (size, position) = (number(case, "n"), number(case, "position"));
                wire::encode(&entries.prove_inclusion(size, position))
            }
            _ => wire::encode(&entries.prove_append_only(number(case, "old"), number(case, "new"))),
        }
    }
}

fn check_forests<S: Scheme>(entries: &Entries<S>, group: &Json) {
    for (size, expected) in group["forests"].as_object().unwrap() {
        let forest = entries.roots(size.parse().unwrap());
        assert_eq!(forest.len(), expected.as_array().unwrap().len());
        for ((Address { level, index }, hash, accumulator), expected) in
            forest.iter().zip(expected.as_array().unwrap())
        {
            assert_eq!(u64::from(*level), number(expected, "level"));
            assert_eq!(*index, number(expected, "index"));
            assert_eq!(hash.to_string(), text(expected, "hash"));
            let accumulator = accumulator.map(hex::encode);
            assert_eq!(accumulator.as_deref(), expected["accumulator"].as_str());
        }
    }
}

/// Checks that the error is the model's, or one of an earlier check. Layout, values and digests are
/// checked before points, so a message with several faults may fail another check.
fn assert_refusal(refused: VerifyError, reason: &str, why: &str) {
    let (undecodable, root) = (VerifyError::Undecodable, VerifyError::RootMismatch);
    let expected: &[VerifyError] = match reason {
        "equation" => &[VerifyError::EquationMismatch],
        "root" => &[root],
        "old-root" => &[VerifyError::OldRootMismatch],
        "size" => &[VerifyError::SizeOutOfRange],
        // A missing value may leave a gap in the occurrences of the values that are shown.
        "zero" => &[VerifyError::ZeroOpening, VerifyError::ValueMismatch],
        "value" | "occurrence" => &[VerifyError::ValueMismatch],
        "values-count" => &[VerifyError::CountMismatch],
        "present" => &[VerifyError::ElementPresent],
        "block-without-key" => &[VerifyError::Extraneous],
        "prefix-length" => &[VerifyError::PrefixLength],
        "malformed" => &[undecodable(DecodeError::Malformed)],
        "trailing" => &[undecodable(DecodeError::TrailingBytes)],
        "scalar" => &[undecodable(DecodeError::ScalarOutOfRange)],
        "envelope" => &[undecodable(DecodeError::WrongKind {
            expected: 129,
            actual: 130,
        })],
        // The accumulators of roots are hashed before they are decoded.
        "identity" => &[undecodable(DecodeError::PointIsIdentity), root],
        "subgroup" => &[undecodable(DecodeError::PointOutsideSubgroup), root],
        other => panic!("{other} is no known reason"),
    };
    let known = expected.contains(&refused);
    assert!(known, "{why}: {refused:?}, expected {reason}");
}
