//! Checks of a whole family, through nothing but the traits of [`pad_core`].

use core::marker::PhantomData;

use pad_core::{
    Answers, Authored, Authority, DictionaryId, Family, HeadSigner, Hosts, Key, PublicKey,
    Repository, Serves, codec::Message,
};

use crate::{
    Action, Pad,
    dictionary::check_matches_oracle,
    pad::{dictionary, public_key, signing_key},
    repository::{SIGNER, TraceRun, check_refusals, check_trace, play},
    soundness::check_soundness,
    traces::check_traces,
};

/// The [`Pad`] of a repository type `R`, with the author and the client of its family.
///
/// The family's secret is always the default one, for example `()`. A family whose secret has no
/// default implements [`Pad`] itself.
#[derive(Debug)]
pub struct HostedPad<R>(PhantomData<R>);

impl<R, F, P> Pad for HostedPad<R>
where
    R: Hosts<Family = F> + Repository<Query = Key, Proof = P> + Clone,
    F: Authored<Secret: Default> + Answers<Key, Proof = P>,
    P: pad_core::Proof<Query = Key> + Message,
{
    type Suite = F::Suite;
    type Attachment = F::Attachment;
    type Family = F;
    type Proof = P;
    type Author = F::Author;
    type Server = R;

    fn author(dictionary: DictionaryId, signer: u8) -> F::Author {
        let authority = Authority {
            author: public_key(signer),
            dictionary,
            scheme: F::SCHEME,
        };
        let signer = HeadSigner::new(signing_key(signer));
        F::author(authority, signer, F::Secret::default())
    }

    fn public(authority: &Authority) -> PublicKey<F> {
        let key = F::key(&F::Secret::default());
        PublicKey::new(authority.author, authority.dictionary, key)
    }

    fn server(authority: Authority) -> R {
        R::create(&Self::public(&authority))
    }
}

/// Checks a family with its default repository: [`check_repository`], and the soundness of look-ups
/// ([`check_soundness`]).
///
/// A family that answers more kinds of questions needs a call of [`check_soundness`] for each.
pub fn check_family<F>()
where
    F: Answers<Key, Proof: pad_core::Proof<Query = Key>>
        + Authored<
            Secret: Default,
            Repository: Serves<Key>
                            + Repository<Query = Key, Proof = <F as Answers<Key>>::Proof>
                            + Clone,
        >,
{
    check_repository::<F::Repository>();
    check_soundness::<F, Key>();
}

/// Checks a repository type, and the author of its family, on random traces of changes.
///
/// * The author's contents, and all verified look-ups in all versions, agree with the oracle.
/// * A corrupted update is refused and changes nothing.
/// * An author resumed from the repository signs the same heads as the original author.
pub fn check_repository<R>()
where
    R: Hosts<Family: Authored<Secret: Default> + Answers<Key, Proof: pad_core::Proof<Query = Key>>>
        + Repository<Query = Key, Proof = <<R as Hosts>::Family as Answers<Key>>::Proof>
        + Clone,
{
    let name = <R::Family as Family>::NAME;
    check_traces(&format!("{name}: answers"), 1, 40, |actions| {
        let mut author = HostedPad::<R>::author(dictionary(), SIGNER);
        check_matches_oracle(&mut author, actions);
        check_trace::<HostedPad<R>>(actions);
    });
    let refusals = format!("{name}: refused updates");
    check_traces(&refusals, 9, 30, check_refusals::<HostedPad<R>>);
    let resumed = format!("{name}: resumed authors");
    check_traces(&resumed, 9, 30, check_resumed::<R, _, _>);
}

/// Checks that an author resumed from a server makes the same updates as the original author.
fn check_resumed<R, F, P>(actions: &[Action])
where
    R: Hosts<Family = F> + Repository<Query = Key, Proof = P> + Clone,
    F: Authored<Secret: Default> + Answers<Key, Proof = P>,
    P: pad_core::Proof<Query = Key> + Message,
{
    let mut played: TraceRun<HostedPad<R>> = play(actions);
    let signer = HeadSigner::new(signing_key(SIGNER));
    let resumed = played.server.resume(signer, F::Secret::default());
    let mut resumed = resumed.expect("the repository has the contents");
    for action in actions {
        let made = action.apply(&mut played.author);
        let made = made.map(|update| (update.operations, update.head.head));
        let again = action.apply(&mut resumed);
        let again = again.map(|update| (update.operations, update.head.head));
        assert_eq!(again, made, "a resumed author makes the same");
    }
}
