//! `pad prove` and `pad prove-append-only` write a proof to a file. `pad verify` verifies one with
//! the public key. `pad evidence` checks whether a file proves that an author's key has signed two
//! histories.

use std::path::PathBuf;

use authdict::{
    PublicKey, Question, Refusal, Statement, Version, evidence,
    internals::{
        dynamic::longest_answer,
        inspect::{self, Line, LineContent},
    },
    verify,
};
use clap::Args;
use serde_json::json;

use super::{
    Failure, Output, PUBLIC_VARIABLE, Result,
    at::{VersionSelector, number},
    files::{OutArguments, load_public, read_file},
    session::add_caveat,
    source::AskArguments,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad prove --store prices.pad --public author.key.pub --out price.proof apple
  pad prove --store prices.pad --public author.key.pub --at 12 \\
    --out price.proof apple")]
pub(super) struct Prove {
    #[command(flatten)]
    read: AskArguments,
    /// Version number, name or date [default: the latest]; write a name of digits as name:TEXT.
    #[arg(long, value_name = "VERSION")]
    at: Option<VersionSelector>,
    #[command(flatten)]
    out: OutArguments,
    /// Prove only that this is a value of the key in a log.
    ///
    /// Other values are not proved. The proof is shorter, and the server computes no sum.
    #[arg(long)]
    value: Option<String>,
    /// The key to look up.
    key: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad prove-append-only --store log.pad --public author.key.pub \\
    --from 3 --out grown.proof
  pad prove-append-only --store log.pad --public author.key.pub \\
    --from 3 --to 9 --out grown.proof")]
pub(super) struct ProveAppendOnly {
    #[command(flatten)]
    read: AskArguments,
    /// Number, name or date of the older version; write a name of digits as name:TEXT.
    #[arg(long, value_name = "VERSION")]
    from: VersionSelector,
    /// The newer version [default: the latest].
    #[arg(long, value_name = "VERSION")]
    to: Option<VersionSelector>,
    #[command(flatten)]
    out: OutArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad verify --public author.key.pub --proof price.proof --at 12 apple
  pad prove --store prices.pad --at 12 --out - apple | \\
    pad verify --public author.key.pub --proof - --at 12 apple

A proof contains no names of versions: use numbers.")]
pub(super) struct Verify {
    /// The author's public key.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: PathBuf,
    /// The proof's file; - for standard input.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// Version that the proof must be about; the newer one of two.
    #[arg(long, value_name = "VERSION", visible_alias = "to", value_parser = number)]
    at: u64,
    /// Older version that a proof of pad prove-append-only must be about.
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["key", "value"])]
    from: Option<u64>,
    /// Value that a proof of pad prove --value must be about.
    #[arg(long)]
    value: Option<String>,
    /// Key that the proof must be about.
    #[arg(required_unless_present = "from")]
    key: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad evidence --public author.key.pub prices.view.evidence
  pad evidence --public author.key.pub --json - < prices.view.evidence")]
pub(super) struct Evidence {
    /// The author's public key.
    #[arg(long, value_name = "FILE", env = PUBLIC_VARIABLE)]
    public: PathBuf,
    /// The evidence file of a client's --view; - for standard input.
    evidence: PathBuf,
}

impl Prove {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let question = about_key(&self.key, self.value.as_deref(), output)?;
        self.out.check(output)?;
        let at = self.at.as_ref();
        let (_, (version, answer)) = self.read.open_until_kept(at, output, |session, output| {
            let version = session.version(at, output)?;
            // The answer has been verified, so an invalid proof is not written.
            Ok((version, session.prove(version, &question)?.0))
        })?;
        write(&answer, &self.out, (version, &question), output)
    }
}

impl ProveAppendOnly {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        let session = self.read.open(output)?;
        let question = Question::Growth(session.version(Some(&self.from), output)?);
        let version = session.version(self.to.as_ref(), output)?;
        let (answer, _) = session.prove(version, &question)?;
        write(&answer, &self.out, (version, &question), output)
    }
}

fn about_key(key: &str, value: Option<&str>, output: &Output) -> Result<Question> {
    let key = output.key(key)?;
    Ok(match value {
        Some(value) => Question::Value(key, output.value(value)?),
        None => Question::Key(key),
    })
}

fn write(
    answer: &[u8],
    out: &OutArguments,
    (version, question): (Version, &Question),
    output: &mut Output,
) -> Result {
    let Some(file) = out.write(answer, output)? else {
        return Ok(());
    };
    let bytes = answer.len();
    let proved = match question {
        Question::Key(key) => {
            let key = output.show(key.as_bytes());
            format!("the answer for {key} in version {version}")
        }
        question => asked(version, question, output),
    };
    let verdict = output.verdict();
    let text = format!("{bytes} bytes in {file} prove {proved}   [{verdict}]");
    let version = version.number();
    let object = match question {
        Question::Growth(from) => {
            json!({ "from": from.number(), "to": version, "bytes": bytes, "file": file })
        }
        _ => json!({ "version": version, "bytes": bytes, "file": file }),
    };
    output.say_verdict(&text, object)
}

/// Describes a question about `version`, for messages.
fn asked(version: Version, question: &Question, output: &Output) -> String {
    match question {
        Question::Key(key) => {
            let key = output.show(key.as_bytes());
            format!("what version {version} says about {key}")
        }
        Question::Value(key, value) => {
            let [key, value] = [key.as_bytes(), value.as_bytes()].map(|bytes| output.show(bytes));
            format!("that {key} has the value {value} in version {version}")
        }
        Question::Growth(older) => format!("that version {version} contains version {older}"),
        question => format!("the answer to {} in version {version}", question.kind()),
    }
}

impl Verify {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let question = self.question(output)?;
        let version = Version::new(self.at);
        let asked = asked(version, &question, output);
        let public = load_public(&self.public)?;
        add_caveat(&public, output);
        let longest = longest_answer(&public, &question);
        let answer = read_file(&self.proof, longest)?;
        let statement = verify(&public, version, &question, &answer);
        let statement: Statement = statement.map_err(|refusal| {
            let other = other_key(&public, version, (&question, &answer), output);
            refused(&asked, other.as_deref(), refusal)
        })?;
        output.statement(statement)
    }

    fn question(&self, output: &Output) -> Result<Question> {
        match (self.from, &self.key) {
            (Some(from), _) if from > self.at => Err(Failure::Input(format!(
                "--from {from} --to {}: the older version comes first",
                self.at
            ))),
            (Some(from), _) => Ok(Question::Growth(Version::new(from))),
            (None, Some(key)) => about_key(key, self.value.as_deref(), output),
            (None, None) => Err(Failure::input("neither a key nor --from is given")),
        }
    }
}

impl Evidence {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let public = load_public(&self.public)?;
        let bytes = read_file(&self.evidence, LONGEST_EVIDENCE)?;
        let version = evidence::check(&public, &bytes)?;
        let author = public.authority.author;
        let text = format!(
            "proved: the key of author {author} signed two different statements about version \
             {version}; its signatures from that version on prove nothing"
        );
        let object = json!({
            "author": author.to_string(),
            "dictionary": public.authority.dictionary.to_string(),
            "version": version.number(),
            "verified": true,
        });
        output.say(&text, &object)
    }
}

/// Adds the expected question, `asked`, to the message of a refusal, because the proof may be about
/// another question. `other` is the explanation that it is about another key.
fn refused(asked: &str, other: Option<&str>, refusal: Refusal) -> Failure {
    let other = other.map_or_else(String::new, |other| format!("; {other}"));
    match Failure::from(refusal) {
        Failure::Refused(text) => Failure::Refused(format!("{text}{other} (asked: {asked})"))
            .help("check key and version: the proof may answer another question"),
        failure => failure,
    }
}

/// Explains the refusal of a proof of a look-up, if it is about another key than the question. The
/// proof's head must be signed, and about `version`; otherwise returns `None`.
///
/// A proof by a tree shows its keys, and leads to the signed root. A proof by tuples does not
/// contain its key, but key intervals, whose signatures are not checked here.
fn other_key(
    public: &PublicKey,
    version: Version,
    (question, answer): (&Question, &[u8]),
    output: &Output,
) -> Option<String> {
    let Question::Key(asked) = question else {
        return None;
    };
    let asked = asked.as_bytes();
    let (mut leaf, mut keys, mut place) = (None, Vec::<Vec<u8>>::new(), None);
    let mut note = |line: Line| {
        let LineContent::Bytes(bytes) = line.shown else {
            return;
        };
        match line.what {
            "leaf" => leaf = Some(bytes),
            "value" => keys.extend(leaf.take()),
            "from" if asked <= bytes.as_slice() => {
                place = Some(format!("above {}", output.show_short(&bytes)));
            }
            "up to" if asked >= bytes.as_slice() => {
                place = Some(format!("below {}", output.show_short(&bytes)));
            }
            _ => {}
        }
    };
    let inspected = inspect::inspect(Some(public), None, answer, &mut note).ok()?;
    if !inspected.is_signed || inspected.version != Some(version) {
        return None;
    }
    match inspected.kind.number {
        LOOKUP_BY_TREE if inspected.is_followed && keys.iter().all(|key| key != asked) => {
            let key = output.show_short(keys.first()?);
            Some(format!("the proof is about another key: {key}"))
        }
        LOOKUP_BY_TUPLES => {
            let place = place.map_or_else(String::new, |place| format!(" (unverified: {place})"));
            Some(format!("the proof is damaged, or about another key{place}"))
        }
        _ => None,
    }
}

/// The kind numbers of proof files about one key.
const LOOKUP_BY_TREE: u8 = 32;
const LOOKUP_BY_TUPLES: u8 = 81;

const LONGEST_EVIDENCE: usize = 64 << 10;
