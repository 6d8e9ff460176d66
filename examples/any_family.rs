//! One program for every family of dictionaries: author, server and client are generic over the
//! family.
//!
//! Only the lines at the end name families. An application has one such line, and nothing else in
//! it changes with the family: `type Prices = Tree<RedBlack>;`.
//!
//! Run with `cargo run -p examples --example any_family`.

use std::{error::Error, sync::LazyLock};

use ed25519_dalek::SigningKey;
use pad_accumulators::{
    bilinear::BilinearSecretKey,
    rsa::{RepresentativeRule, RsaSecretKey},
};
use pad_core::{
    Answer, Answers, Author, Authored, Client, First, Hosts, Key, KeyRange, Keys, Last,
    Predecessor, Refusal, Server, Serves, Sha256Ed25519, Successor, Value, VerifyError, Version,
    Workers,
};
use pad_tree::{Tree, for_each_tree};
use pad_tuple::{SecretBytes, Tuple, TupleRepository, for_each_accumulated_tuple, for_each_tuple};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// An author, a server and a client of one dictionary of fruit prices, in its third version.
struct Prices<R: Hosts> {
    author: Author<R::Family>,
    server: Server<R::Family, R>,
    client: Client<R::Family>,
}

impl<R: Serves<Key, Family: Answers<Key>>> Prices<R> {
    /// Publishes three versions. In each, the apple has the version's number as its price.
    fn publish(secret: <R::Family as Authored>::Secret) -> Outcome<Self> {
        let signer = SigningKey::from_bytes(&[7; 32]);
        let author = Author::with_secret("fruit prices", signer, secret)?;
        let server = Server::new(author.public());
        let client = Client::new(author.public().clone());
        let mut prices = Self {
            author,
            server,
            client,
        };
        for number in 1..=3 {
            prices.author.put("apple", number.to_string().as_str())?;
            prices
                .author
                .put(format!("fruit {number}").as_str(), "0.80")?;
            prices.publish_next()?;
        }
        Ok(prices)
    }

    /// Signs the next version, applies the update to the server, and advances the client.
    fn publish_next(&mut self) -> Outcome {
        let update = self.author.snapshot()?;
        let version = self.server.apply(&update)?;
        let seen = self.client.version();
        let consistency = match seen {
            Version::EMPTY => None,
            seen => Some(self.server.consistency(seen, version)?),
        };
        let head = self.server.head(version)?;
        self.client.advance(&head, consistency.as_deref())?;
        Ok(())
    }

    /// Looks up a key in the newest version and in an older one, and an absent key.
    fn look_up(&self) -> Outcome {
        let (newest, older) = (self.client.version(), Version::new(1));
        let (apple, plum) = (Key::try_from("apple")?, Key::try_from("plum")?);

        let answer = self.server.answer(newest, &apple)?;
        let lookup = self.client.check(&answer, &apple)?.into_inner();
        assert_eq!((lookup.version, &lookup.key), (newest, &apple));
        assert_eq!(lookup.answer, Answer::Present(Value::try_from("3")?));

        let absent = self.server.answer(newest, &plum)?;
        let absent = self.client.check(&absent, &plum)?;
        assert_eq!(absent.get().answer, Answer::Absent);

        let past = self.server.answer(older, &apple)?;
        let past = self.client.check_at(older, &past, &apple)?;
        assert_eq!(past.get().answer, Answer::Present(Value::try_from("1")?));
        Ok(())
    }

    /// Rejects lies of a server: answers to other questions, changed bytes, and old heads.
    fn attack(&mut self) -> Outcome {
        let (newest, older) = (self.client.version(), Version::new(1));
        let (apple, plum) = (Key::try_from("apple")?, Key::try_from("plum")?);

        // An answer about another version, and an answer to another question.
        let past = self.server.answer(older, &apple)?;
        let refused = self.client.check(&past, &apple);
        let (expected, actual) = (newest, older);
        let error = VerifyError::WrongVersion { expected, actual };
        assert!(matches!(refused, Err(Refusal::Head(refused)) if refused == error));
        let answer = self.server.answer(newest, &apple)?;
        assert!(self.client.check(&answer, &plum).is_err());

        // One bit of each byte.
        for place in 0..answer.len() {
            let mut forged = answer.clone();
            forged[place] ^= 1 << (place % 8);
            assert!(self.client.check(&forged, &apple).is_err());
        }

        // An older head offered as the newest, and an answer to a client without a head.
        let rollback = self.client.advance(&self.server.head(older)?, None);
        let (seen, offered) = (newest, older);
        let error = VerifyError::Rollback { seen, offered };
        assert!(matches!(rollback, Err(Refusal::Head(refused)) if refused == error));
        assert_eq!(self.client.version(), newest);
        let stranger = Client::<R::Family>::new(self.author.public().clone());
        let nothing = self.server.answer(Version::EMPTY, &apple)?;
        let refused = stranger.check(&nothing, &apple);
        assert!(matches!(refused, Err(Refusal::NoHeadSeen)));
        let empty = stranger.check_at(Version::EMPTY, &nothing, &apple)?;
        assert_eq!(empty.get().answer, Answer::Absent);
        Ok(())
    }
}

impl<R: Serves<Keys> + Serves<KeyRange>> Prices<R>
where
    R::Family: Answers<Keys> + Answers<KeyRange>,
{
    /// Looks up several keys and a range, in families that support these queries.
    fn look_up_several(&self) -> Outcome {
        let newest = self.client.version();
        let keys = Keys::new(vec![Key::try_from("plum")?, Key::try_from("apple")?]);
        let keys = keys.ok_or("no keys")?;
        let answer = self.server.answer(newest, &keys)?;
        let lookups = self.client.check(&answer, &keys)?.into_inner();
        assert_eq!(lookups.answers.len(), 2);

        let answer = self.server.answer(newest, &KeyRange::ALL)?;
        let contents = self.client.check(&answer, &KeyRange::ALL)?.into_inner();
        assert_eq!(contents.entries.len(), self.author.len());
        Ok(())
    }
}

impl<R> Prices<R>
where
    R: Serves<First> + Serves<Last> + Serves<Predecessor> + Serves<Successor>,
    R::Family: Answers<First> + Answers<Last> + Answers<Predecessor> + Answers<Successor>,
{
    /// Looks up the neighbours of a key and the ends, in families that support these queries.
    fn look_up_neighbours(&self) -> Outcome {
        let newest = self.client.version();
        let apple = Key::try_from("apple")?;
        let first = self.server.answer(newest, &First)?;
        let first = self.client.check(&first, &First)?.into_inner();
        assert_eq!(first.entry.map(|(key, _)| key).as_ref(), Some(&apple));
        let last = self.server.answer(newest, &Last)?;
        let last = self.client.check(&last, &Last)?.into_inner();
        let below = Predecessor(apple);
        let answer = self.server.answer(newest, &below)?;
        assert_eq!(self.client.check(&answer, &below)?.get().entry, None);
        let above = Successor(Key::try_from("fruit 2")?);
        let answer = self.server.answer(newest, &above)?;
        assert_eq!(self.client.check(&answer, &above)?.get().entry, last.entry);
        Ok(())
    }
}

/// A name, and a program for one family and repository.
type Program = (&'static str, fn() -> Outcome);

/// The programs of every family with a repository.
fn programs() -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    macro_rules! tree {
        ($name:ident, $scheme:ty, $($repository:tt)+) => {
            programs.push((stringify!($name), || {
                let mut prices = Prices::<$($repository)+<Sha256Ed25519>>::publish(())?;
                let _: &Client<Tree<$scheme>> = &prices.client;
                prices.look_up()?;
                prices.look_up_several()?;
                prices.look_up_neighbours()?;
                prices.attack()
            }));
        };
    }
    for_each_tree!(tree);
    macro_rules! tuple {
        ($name:ident, $design:ty) => {
            programs.push((stringify!($name), || {
                let secret = Tuple::<$design>::generate_secret()?;
                let mut prices =
                    Prices::<TupleRepository<Sha256Ed25519, $design>>::publish(secret)?;
                prices.look_up()?;
                prices.look_up_several()?;
                prices.attack()
            }));
        };
    }
    for_each_tuple!(tuple);
    macro_rules! accumulated {
        ($name:ident, $design:ty) => {
            programs.push((stringify!($name), || {
                let secret = ExampleSecret::example()?;
                let mut prices =
                    Prices::<TupleRepository<Sha256Ed25519, $design>>::publish(secret)?;
                prices.look_up()?;
                prices.attack()
            }));
        };
    }
    for_each_accumulated_tuple!(accumulated);
    programs
}

/// Secret key of an accumulator for an example; real ones come from `generate_secret`.
trait ExampleSecret: SecretBytes {
    fn example() -> Outcome<Self>;
}

/// Published safe primes. A search for new ones takes minutes; checking these takes seconds.
static RSA: LazyLock<Option<RsaSecretKey>> = LazyLock::new(|| {
    let lines = include_str!("../crates/accumulators/tests/keys/rsa-2048.txt").lines();
    let mut primes = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| rug::Integer::from_str_radix(line.trim(), 16).ok());
    let (first, second) = (primes.next()??, primes.next()??);
    RsaSecretKey::from_primes(first, second, RepresentativeRule::Wide, b"example").ok()
});

impl ExampleSecret for RsaSecretKey {
    fn example() -> Outcome<Self> {
        Ok(RSA.clone().ok_or("not safe primes")?)
    }
}

/// Parameters for few tuples: larger ones take longer to make.
impl ExampleSecret for BilinearSecretKey {
    fn example() -> Outcome<Self> {
        Ok(Self::generate(16, 1, b"example", &Workers::sequential())?)
    }
}

fn main() -> Outcome {
    for (name, program) in programs() {
        program().map_err(|error| format!("{name}: {error}"))?;
        println!("{name}: published, served, checked; every lie was refused");
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
    assert_eq!(programs().len(), 12 + 9 + 6);
}
