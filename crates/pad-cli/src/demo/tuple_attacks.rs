//! A server that lies with tuples: genuine ones stretched, kept too long, or taken apart.

use pad::{
    Key, Operation, Response, TupleProof, VerifyError, Version,
    dynamic::verify,
    pad_core::codec,
    pad_tuple::{
        Lightweight, Plain, SignatureScheme, Superseding, TupleScheme, for_each_tuple,
        proof::{ShownContent, ShownTuple},
        signed::SignedEvidence,
    },
    question::{Question, Refusal},
};

use super::scene::{Attack, S, Scene, broken, expect};
use crate::cli::Failure;

/// The attacks that make sense on this design.
pub(super) fn all(scene: &Scene<'_>) -> Result<Vec<Attack>, Failure> {
    let scheme = scene.dictionary.scheme.id();
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if scheme == <$design as TupleScheme<S>>::SCHEME {
                return attacks::<$design>(scene);
            }
        };
    }
    for_each_tuple!(try_design);
    #[cfg(feature = "accumulators")]
    pad::pad_tuple::for_each_accumulated_tuple!(try_design);
    Err(broken())
}

type Answer<D> = Response<S, TupleProof<S, D>>;

fn attacks<D: TupleScheme<S, Evidence: Attacked>>(
    scene: &Scene<'_>,
) -> Result<Vec<Attack>, Failure> {
    let mut attacks = vec![
        changed_value::<D>(scene)?,
        stretched_range::<D>(scene)?,
        old_tuple::<D>(scene)?,
    ];
    if D::GENERATIONS > 1 {
        attacks.extend(old_generation::<D>(scene)?);
    }
    attacks.extend(link_of_another::<D>(scene)?);
    Ok(attacks)
}

/// The value in a genuine tuple becomes another one.
fn changed_value<D: TupleScheme<S, Evidence: Attacked>>(
    scene: &Scene<'_>,
) -> Result<Attack, Failure> {
    let version = scene.repository.latest();
    let mut answer = honest::<D>(scene, version, scene.key)?;
    let part = answer.proof.parts.last_mut().ok_or_else(broken)?;
    let ShownTuple::At { content, .. } = &mut part.tuple else {
        return Err(broken());
    };
    let value = scene.false_value(version);
    let story = format!("made the value in the tuple {value}");
    *content = ShownContent::Value(value);
    let refused = deceive(scene, (version, scene.key), &answer);
    let refused = expect_of::<D>(refused)?;
    Ok(attack("changed value", &story, refused))
}

/// A present key is denied: the tuple before it is stretched over it.
fn stretched_range<D: TupleScheme<S, Evidence: Attacked>>(
    scene: &Scene<'_>,
) -> Result<Attack, Failure> {
    let version = scene.repository.latest();
    let contents = scene.prices.contents.last().ok_or_else(broken)?;
    let before = contents.range(..scene.key.clone()).next_back();
    let between = above(before.ok_or_else(broken)?.0)?;
    let mut answer = honest::<D>(scene, version, &between)?;
    for part in &mut answer.proof.parts {
        if let ShownTuple::Below { upper, .. } = &mut part.tuple
            && upper.as_ref().is_some_and(|upper| upper <= scene.key)
        {
            *upper = None;
        }
    }
    let story = "denied the key: stretched the range of the tuple before it over it";
    let refused = deceive(scene, (version, scene.key), &answer);
    let refused = expect_of::<D>(refused)?;
    Ok(attack("stretched range", story, refused))
}

/// The tuple of the version before a change is shown for the version after it.
fn old_tuple<D: TupleScheme<S, Evidence: Attacked>>(scene: &Scene<'_>) -> Result<Attack, Failure> {
    let Change { version, key } = changes(scene).next().ok_or_else(broken)?;
    let before = version.previous().ok_or_else(broken)?;
    let mut answer = honest::<D>(scene, before, &key)?;
    answer.head = honest::<D>(scene, version, &key)?.head;
    let refused = deceive(scene, (version, &key), &answer);
    let reason = match refused {
        // Which instants are named depends on when the tuple was made; a chain of accumulators opens a head.
        Some(Refusal::Verify(
            reason @ (VerifyError::OutsideValidity { .. } | VerifyError::RootMismatch),
        )) => Some(reason.to_string()),
        other => expect_of::<D>(other)?,
    };
    let story = format!("answered version {version} with the tuple of version {before}");
    Ok(attack("old tuple", &story, reason))
}

/// The old value, which the older generation still has, is shown beside a young tuple that does not
/// hold the key. `None` if no change is of a key that the older generation has.
fn old_generation<D: TupleScheme<S>>(scene: &Scene<'_>) -> Result<Option<Attack>, Failure> {
    for Change { version, key } in changes(scene) {
        let before = version.previous().ok_or_else(broken)?;
        let young = honest::<D>(scene, version, &key)?;
        let old = honest::<D>(scene, before, &key)?;
        let is_overruled = young.proof.parts.len() == 1
            && old.proof.parts.len() > 1
            && young.proof.epochs == old.proof.epochs;
        if !is_overruled {
            continue;
        }
        let mut answer = honest::<D>(scene, version, &above(&key)?)?;
        answer.proof.parts.truncate(1);
        answer
            .proof
            .parts
            .extend(old.proof.parts.into_iter().skip(1));
        let refused = deceive(scene, (version, &key), &answer);
        let story = format!(
            "answered version {version} with the older generation's tuple, which the change in \
             that version overrules"
        );
        let refused = expect(refused, VerifyError::KeyOutsideInterval)?;
        return Ok(Some(attack("old generation", &story, refused)));
    }
    Ok(None)
}

/// A tuple is kept alive with another tuple's link, of a design that has links.
fn link_of_another<D: TupleScheme<S, Evidence: Attacked>>(
    scene: &Scene<'_>,
) -> Result<Option<Attack>, Failure> {
    let version = scene.repository.latest();
    let other = scene.prices.other();
    let mut answer = honest::<D>(scene, version, scene.key)?;
    let other = honest::<D>(scene, version, other)?;
    let parts = (answer.proof.parts.last_mut(), other.proof.parts.last());
    let (Some(part), Some(other)) = parts else {
        return Err(broken());
    };
    if !part.evidence.take_link(&other.evidence) {
        return Ok(None);
    }
    let refused = deceive(scene, (version, scene.key), &answer);
    let story = "kept the tuple alive with the link that was revealed for another one";
    let refused = expect(refused, VerifyError::SignatureInvalid)?;
    Ok(Some(attack("link of another tuple", story, refused)))
}

/// The reason for which a tuple is refused that the evidence shown with it is not of.
fn expect_of<D: TupleScheme<S, Evidence: Attacked>>(
    refused: Option<Refusal>,
) -> Result<Option<String>, Failure> {
    match refused {
        Some(Refusal::Verify(reason)) if D::Evidence::REFUSALS.contains(&reason) => {
            Ok(Some(reason.to_string()))
        }
        other => expect(other, VerifyError::SignatureInvalid),
    }
}

/// What tuples are proved by, as a liar sees it.
trait Attacked {
    /// Why a client refuses it beside another tuple.
    const REFUSALS: &'static [VerifyError] = &[VerifyError::SignatureInvalid];

    /// Takes the link of another tuple; `false` if there are no links.
    fn take_link(&mut self, _: &Self) -> bool {
        false
    }
}

impl<G: SignatureScheme> Attacked for SignedEvidence<S, G, Plain> {}

impl<G: SignatureScheme> Attacked for SignedEvidence<S, G, Superseding> {}

#[cfg(feature = "accumulators")]
impl<R: pad::pad_tuple::Retention> Attacked
    for pad::pad_tuple::accumulated::AccumulatedEvidence<R>
{
    const REFUSALS: &'static [VerifyError] = WITNESS_REFUSALS;
}

/// A witness as bytes, under a chain of accumulators.
#[cfg(feature = "accumulators")]
impl Attacked for Vec<u8> {
    const REFUSALS: &'static [VerifyError] = WITNESS_REFUSALS;
}

/// An RSA witness names the prime that stands for a tuple, so that another tuple has another.
#[cfg(feature = "accumulators")]
const WITNESS_REFUSALS: &[VerifyError] = &[
    VerifyError::WitnessMismatch,
    VerifyError::NotAPrimeRepresentative,
];

impl<G: SignatureScheme> Attacked for SignedEvidence<S, G, Lightweight> {
    fn take_link(&mut self, other: &Self) -> bool {
        self.shown.link = other.shown.link;
        true
    }
}

/// A version that gave a present key another value.
struct Change {
    version: Version,
    key: Key,
}

/// All such changes, latest first.
fn changes<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = Change> + 'a {
    let versions = (1..).map(Version::new).zip(&scene.prices.snapshots);
    let versions: Vec<_> = versions.collect();
    versions
        .into_iter()
        .rev()
        .flat_map(move |(version, snapshot)| {
            let changed = snapshot.operations.iter().filter_map(move |operation| {
                let Operation::Put(key, value) = operation else {
                    return None;
                };
                let before = scene.prices.value(version.previous()?, key)?;
                let key = key.clone();
                (before != value).then_some(Change { version, key })
            });
            changed.collect::<Vec<_>>()
        })
}

/// The smallest key above another.
fn above(key: &Key) -> Result<Key, Failure> {
    Ok(Key::new([key.as_bytes(), &[0]].concat())?)
}

fn honest<D: TupleScheme<S>>(
    scene: &Scene<'_>,
    version: Version,
    key: &Key,
) -> Result<Answer<D>, Failure> {
    let answer = scene
        .repository
        .answer(version, &Question::Key(key.clone()))?;
    codec::decode(&answer, answer.len()).map_err(|_| broken())
}

/// Hands an answer to a client that trusts the public key alone.
fn deceive<D: TupleScheme<S>>(
    scene: &Scene<'_>,
    (version, key): (Version, &Key),
    answer: &Answer<D>,
) -> Option<Refusal> {
    let (public, question) = (&scene.dictionary.public, Question::Key(key.clone()));
    verify(public, version, &question, &codec::encode(answer)).err()
}

fn attack(name: &'static str, story: &str, refused: Option<String>) -> Attack {
    let story = story.into();
    Attack {
        name,
        story,
        refused,
    }
}
