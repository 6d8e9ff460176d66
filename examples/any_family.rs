//! One program for every family of dictionaries on disk: author, server and client are generic over
//! the family.
//!
//! Only the lines at the end name families. An application needs one such line, for example
//! `type Prices = Tree<RedBlack>;`. No other line of an application depends on the family.
//!
//! Run with `cargo run -p examples --example any_family`.

use std::{error::Error, sync::LazyLock};

use authdict::{
    AskError, Asks, Author, Client, First, Heads, Key, KeyRange, Keys, Log, LogParameters, Lookup,
    Lookups, Membership, NamedScheme, Neighbour, NotFollowed, Question, RangeContents, SchemeName,
    SecretKey, Server, Source, Successor, Tree, Tuple, Value, Version, Zeroizing,
    pad_log::{AadCounted, AadFrontier, AasCounted, AasFrontier, Schedule, Shape, Values},
};
use pad_accumulators::{
    bilinear::BilinearSecretKey,
    rsa::{RepresentativeRule, RsaSecretKey},
};
use pad_core::Authored;
use pad_tuple::{SecretBytes, for_each_accumulated_tuple, for_each_tuple};
use tempfile::TempDir;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// An author, a server and a client of one dictionary, each with its own files. The dictionary has
/// three versions.
struct Prices<F> {
    author: Author<F>,
    server: Server<F>,
    client: Client<F>,
    secret: SecretKey,
    folder: TempDir,
}

/// An answer about a key, in any family.
trait KeyAnswer {
    /// Returns whether the answer contains this value of the key. For sets, returns whether the
    /// member is present.
    fn shows(&self, value: &Value) -> bool;

    /// Returns whether the answer states that the key is absent.
    fn is_absent(&self) -> bool;
}

impl KeyAnswer for Lookup {
    fn shows(&self, value: &Value) -> bool {
        self.value() == Some(value)
    }

    fn is_absent(&self) -> bool {
        self.value().is_none()
    }
}

impl KeyAnswer for Values {
    fn shows(&self, value: &Value) -> bool {
        self.values.contains(value)
    }

    fn is_absent(&self) -> bool {
        self.values.is_empty()
    }
}

impl KeyAnswer for Membership {
    fn shows(&self, _: &Value) -> bool {
        matches!(self, Self::Included(_))
    }

    fn is_absent(&self) -> bool {
        matches!(self, Self::Absent(_))
    }
}

/// The public parameters of a log, from which its stores are made; `None` for other families.
type Parameters<'p> = Option<&'p LogParameters>;

/// Creates a key file of a family in a new folder. `own` is the secret, or the public parameters,
/// of the family's scheme.
fn key_of<F: NamedScheme>(own: Option<Zeroizing<Vec<u8>>>) -> Outcome<(SecretKey, TempDir)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("prices.key");
    let secret = match own {
        Some(own) => SecretKey::create_with::<F>(path, "prices", Some(own))?,
        None => SecretKey::create::<F>(path, "prices")?,
    };
    Ok((secret, folder))
}

impl<F: NamedScheme> Prices<F> {
    /// Publishes three versions. In version `n`, the value of `apple` is `value(n)`.
    fn publish(
        (secret, folder): (SecretKey, TempDir),
        parameters: Parameters<'_>,
        value: fn(u64) -> String,
    ) -> Outcome<Self> {
        let [store, copy, view] =
            ["prices.pad", "copy.pad", "prices.view"].map(|name| folder.path().join(name));
        let (author, server) = match parameters {
            Some(parameters) => (
                Author::create_with(store, &secret, parameters)?,
                Server::create_with(copy, secret.public(), parameters)?,
            ),
            None => (
                Author::create(store, &secret)?,
                Server::create(copy, secret.public())?,
            ),
        };
        let client = Client::open(view, secret.public())?;
        let mut prices = Self {
            author,
            server,
            client,
            secret,
            folder,
        };
        for number in 1..=3 {
            prices.author.put("apple", value(number).as_str())?;
            let fruit = format!("fruit {number}");
            prices.author.put(fruit.as_str(), value(0).as_str())?;
            prices.publish_next()?;
        }
        Ok(prices)
    }

    /// Signs the next version, applies its update to the server, and advances the client.
    fn publish_next(&mut self) -> Outcome {
        let version = self.author.commit()?;
        let update = self.author.server().update_message(version)?;
        self.server.apply_message(&update.ok_or("no update")?)?;
        assert_eq!(self.client.advance(&self.server)?, version);
        Ok(())
    }
}

impl<F: NamedScheme + Asks<Key, Statement: KeyAnswer>> Prices<F> {
    /// Looks up a key in the newest version and in an older one, and an absent key.
    fn look_up(&mut self, value: fn(u64) -> String) -> Outcome {
        let value = |number| Value::try_from(value(number).as_str());
        let newest = self.client.ask(&self.server, Key::from(b"apple"))?;
        assert!(newest.shows(&value(3)?));
        assert!(
            self.client
                .ask(&self.server, Key::from(b"plum"))?
                .is_absent()
        );
        let first = Version::new(1);
        let past = self
            .client
            .ask_at(&self.server, first, Key::from(b"apple"))?;
        assert!(past.shows(&value(1)?));
        let empty = self
            .client
            .ask_at(&self.server, Version::EMPTY, Key::from(b"apple"))?;
        assert!(empty.is_absent());
        Ok(())
    }

    /// Checks that the client rejects false answers of a server: answers to other questions,
    /// changed bits, and old versions offered as the latest. Also checks that the client refuses to
    /// query a version newer than its view.
    fn attack(&mut self) -> Outcome {
        let (newest, first) = (self.client.version(), Version::new(1));
        let [apple, plum] = [b"apple".as_slice(), b"plum"].map(Key::try_from);
        let (apple, plum) = (apple?, plum?);
        let answer = self.server.answer(newest, &Question::Key(apple.clone()))?;

        // An answer about another version, and an answer to another question.
        let past = self.server.answer(first, &Question::Key(apple.clone()))?;
        self.refuses(past, apple.clone());
        self.refuses(answer.clone(), plum);
        // Answers with one flipped bit.
        for place in (0..answer.len()).step_by(answer.len() / 100 + 1) {
            let mut forged = answer.clone();
            forged[place] ^= 1 << (place % 8);
            self.refuses(forged, apple.clone());
        }

        // An older version offered as the newest, also after a restart.
        let liar = Liar {
            server: &self.server,
            latest: first,
            answer,
        };
        let view = self.folder.path().join("prices.view");
        let mut restarted = Client::<F>::open(view, self.secret.public())?;
        for client in [&mut self.client, &mut restarted] {
            let refused = client.advance(&liar);
            assert!(matches!(
                refused,
                Err(AskError::Heads(NotFollowed::Behind { .. }))
            ));
            assert_eq!(client.version(), newest);
        }
        // A version newer than the client's view.
        let ahead = self.client.ask_at(&self.server, Version::new(4), apple);
        assert!(ahead.is_err());
        Ok(())
    }

    /// Checks that the client refuses `answer` to a question about the newest version.
    fn refuses(&self, answer: Vec<u8>, key: Key) {
        let latest = self.client.version();
        let liar = Liar {
            server: &self.server,
            latest,
            answer,
        };
        let refused = self.client.ask_at(&liar, latest, key);
        assert!(matches!(refused, Err(AskError::Refused(_))));
    }
}

/// A dishonest server: returns `answer` to all questions, and offers version `latest` as the
/// latest.
struct Liar<'s, F> {
    server: &'s Server<F>,
    latest: Version,
    answer: Vec<u8>,
}

impl<F> Heads for Liar<'_, F> {
    type Error = <Server<F> as Heads>::Error;

    fn offered(&self) -> Result<Version, Self::Error> {
        Ok(self.latest)
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, Self::Error> {
        Heads::head_message(self.server, version)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, Self::Error> {
        Heads::consistency_message(self.server, older, newer)
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, Self::Error> {
        Heads::append_only_message(self.server, older, newer)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, Self::Error> {
        Heads::past_messages(self.server, older, newer)
    }
}

impl<F> Source for Liar<'_, F> {
    fn answer_message(&self, _: Version, _: &Question, _: usize) -> Result<Vec<u8>, Self::Error> {
        Ok(self.answer.clone())
    }
}

impl<F> Prices<F>
where
    F: NamedScheme + Asks<Keys, Statement = Lookups> + Asks<KeyRange, Statement = RangeContents>,
{
    /// Looks up several keys and a range, in families that support these queries.
    fn look_up_several(&mut self) -> Outcome {
        let keys = Keys::new(vec![Key::try_from("plum")?, Key::try_from("apple")?]);
        let lookups = self.client.ask(&self.server, keys.ok_or("no keys")?)?;
        assert_eq!(lookups.answers.len(), 2);
        let contents = self.client.ask(&self.server, KeyRange::ALL)?;
        assert_eq!(contents.entries.len(), self.server.entries());
        Ok(())
    }
}

impl<F> Prices<F>
where
    F: NamedScheme
        + Asks<First, Statement = Neighbour<Question>>
        + Asks<Successor, Statement = Neighbour<Question>>,
{
    /// Asks for the first entry, and for the entries after it, one at a time.
    fn walk(&mut self) -> Outcome {
        let mut found = self.client.ask(&self.server, First)?;
        let mut entries = 0;
        while let Some((key, _)) = found.entry {
            entries += 1;
            found = self.client.ask(&self.server, Successor(key))?;
        }
        assert_eq!(entries, self.server.entries());
        Ok(())
    }
}

/// A secret key of an accumulator that is quick to make, for this example. An application uses
/// `SecretKey::random`.
trait ExampleSecret: SecretBytes {
    fn example() -> Outcome<Zeroizing<Vec<u8>>>;
}

/// An RSA key of published safe primes. A search for new primes takes minutes; checking these takes
/// seconds.
static RSA: LazyLock<Option<RsaSecretKey>> = LazyLock::new(|| {
    let lines = include_str!("../crates/accumulators/tests/keys/rsa-2048.txt").lines();
    let mut primes = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| rug::Integer::from_str_radix(line.trim(), 16).ok());
    let (first, second) = (primes.next()??, primes.next()??);
    RsaSecretKey::from_primes(first, second, RepresentativeRule::Wide, b"example").ok()
});

impl ExampleSecret for RsaSecretKey {
    fn example() -> Outcome<Zeroizing<Vec<u8>>> {
        Ok(RSA.as_ref().ok_or("not safe primes")?.to_bytes())
    }
}

/// Parameters for 16 entries. Larger parameters take longer to make.
impl ExampleSecret for BilinearSecretKey {
    fn example() -> Outcome<Zeroizing<Vec<u8>>> {
        Ok(Self::generate_bytes(16)?)
    }
}

/// The encoded secret of a tuple family for this example.
fn own_of<F: Authored<Secret: ExampleSecret>>() -> Outcome<Zeroizing<Vec<u8>>> {
    F::Secret::example()
}

/// The name of a family, and the program for it.
type Program = (&'static str, fn() -> Outcome);

/// Returns the price in the version with this number.
fn price(version: u64) -> String {
    format!("1.{version}0")
}

/// Returns the programs of all families that a store supports.
fn programs() -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    macro_rules! tree {
        ($($name:literal: $scheme:ty),+) => { $(
            programs.push(($name, || {
                let secret = key_of::<Tree<$scheme>>(None)?;
                let mut prices = Prices::<Tree<$scheme>>::publish(secret, None, price)?;
                prices.look_up(price)?;
                prices.look_up_several()?;
                prices.walk()?;
                prices.attack()
            }));
        )+ };
    }
    tree!(
        "red-black": authdict::RedBlack,
        "treap": authdict::Treap,
        "skip-list": authdict::SkipList
    );
    macro_rules! tuple {
        ($name:ident, $design:ty) => {
            programs.push((stringify!($name), || {
                let secret = key_of::<Tuple<$design>>(None)?;
                let mut prices = Prices::<Tuple<$design>>::publish(secret, None, price)?;
                prices.look_up(price)?;
                prices.look_up_several()?;
                prices.attack()
            }));
        };
    }
    for_each_tuple!(tuple);
    macro_rules! accumulated {
        ($name:ident, $design:ty) => {
            programs.push((stringify!($name), || {
                let own = own_of::<Tuple<$design>>()?;
                let secret = key_of::<Tuple<$design>>(Some(own))?;
                let mut prices = Prices::<Tuple<$design>>::publish(secret, None, price)?;
                prices.look_up(price)?;
                prices.attack()
            }));
        };
    }
    for_each_accumulated_tuple!(accumulated);
    macro_rules! log {
        ($($scheme:ident: $value:expr;)+) => { $(
            programs.push((stringify!($scheme), || {
                let value: fn(u64) -> String = $value;
                let name = SchemeName::from_id(<$scheme as authdict::pad_log::Scheme>::ID);
                let name = name.ok_or("not built")?;
                let parameters = LogParameters::generate_insecure(name, 4)?;
                let own = parameters.setup(name, Shape::new(4, Schedule::Eager).ok_or("no shape")?);
                let secret = key_of::<Log<$scheme>>(own)?;
                let parameters = Some(&parameters);
                let mut prices = Prices::<Log<$scheme>>::publish(secret, parameters, value)?;
                prices.look_up(value)?;
                prices.attack()
            }));
        )+ };
    }
    log! {
        AadCounted: price;
        AadFrontier: price;
        AasCounted: |_| String::new();
        AasFrontier: |_| String::new();
    }
    programs
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
    assert_eq!(programs().len(), 3 + 9 + 6 + 4);
}
