//! Parsing of policies.

use core::str::FromStr;
use std::collections::{BTreeMap, BTreeSet};

use super::{
    Policy, SkippedKey, TrustedLog, TrustedWitness,
    quorum::{Group, Member, Rule},
};
use crate::{
    lines::decimal,
    note::{Algorithm, KeyError, VerifierKey},
};

/// Error returned when a text is not a policy. Line numbers begin at 1; [`Policy::threshold`]
/// reports line 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyTextError {
    /// The text is longer than [`Policy::LONGEST`].
    #[error("a policy is too long")]
    TooLong,
    /// The line has no known form, or has ASCII control characters other than tabs.
    #[error("line {0} of a policy cannot be read")]
    Line(usize),
    /// The key in the line cannot be parsed, or has the wrong signature type.
    #[error("the key in line {line} of a policy cannot be used")]
    Key {
        /// The number of the line, from 1.
        line: usize,
        /// The reason why the key is refused.
        source: KeyError,
    },
    /// The key in this line is also the key of another log or witness.
    #[error("the key in line {0} of a policy is a duplicate")]
    KeyTwice(usize),
    /// The name in this line is that of another witness or group, or it is `none`.
    #[error("the name in line {0} of a policy is taken")]
    NameTaken(usize),
    /// No line before this one defines a witness or a group of this name.
    #[error("line {line} of a policy names {name:?}, which no earlier line defines")]
    UnknownName {
        /// The number of the line, from 1.
        line: usize,
        /// The undefined name.
        name: String,
    },
    /// The name is already a member of this or another group.
    #[error(
        "line {line} of a policy has the member {name:?}, which is already a member of a group"
    )]
    MemberTwice {
        /// The number of the line, from 1.
        line: usize,
        /// The name of the member.
        name: String,
    },
    /// The group's threshold is not a number, is 0, or exceeds the number of its members.
    #[error("the threshold in line {0} of a policy is not between 1 and the number of members")]
    Threshold(usize),
    /// The policy has no `quorum` line, or more than one.
    #[error("a policy has no quorum, or more than one")]
    Quorum,
    /// The policy has more than [`Policy::MOST`] logs, witnesses, groups or skipped keys.
    #[error("a policy has too many logs, witnesses or groups")]
    TooMany,
}

impl Policy {
    /// Maximum length of the text in bytes.
    pub const LONGEST: usize = 1 << 20;
    /// Maximum number of logs, of witnesses, of groups, and of skipped keys.
    pub const MOST: usize = 256;

    /// Creates a policy that requires `threshold` of `witnesses` for `logs`, as one group.
    /// Witnesses are named after their keys.
    ///
    /// # Errors
    /// [`PolicyTextError`], for example [`PolicyTextError::Threshold`] if there are fewer witnesses
    /// than `threshold`.
    pub fn threshold(
        logs: &[VerifierKey],
        threshold: usize,
        witnesses: &[VerifierKey],
    ) -> Result<Self, PolicyTextError> {
        let mut builder = Builder::default();
        for log in logs {
            builder.log(0, log.clone(), None)?;
        }
        let mut names = Vec::new();
        for key in witnesses {
            let name = key.name().as_str();
            builder.witness(0, name, key.clone(), None)?;
            names.push(name);
        }
        builder.group(0, GROUP, threshold, &names)?;
        builder.quorum(0, GROUP)?;
        builder.finish()
    }
}

impl FromStr for Policy {
    type Err = PolicyTextError;

    fn from_str(text: &str) -> Result<Self, PolicyTextError> {
        if text.len() > Self::LONGEST {
            return Err(PolicyTextError::TooLong);
        }
        let mut builder = Builder::default();
        for (number, line) in (1..).zip(text.split('\n')) {
            let is_plain = |character: char| character >= ' ' || character == '\t';
            if !line.chars().all(is_plain) || line.contains('\u{7f}') {
                return Err(PolicyTextError::Line(number));
            }
            builder.line(number, line)?;
        }
        builder.finish()
    }
}

#[derive(Default)]
struct Builder {
    logs: Vec<TrustedLog>,
    witnesses: Vec<TrustedWitness>,
    groups: Vec<Group>,
    names: BTreeMap<String, Member>,
    members: BTreeSet<Member>,
    log_keys: BTreeSet<[u8; 32]>,
    witness_keys: BTreeSet<[u8; 32]>,
    quorum: Option<Member>,
    skipped: Vec<SkippedKey>,
}

impl Builder {
    fn line(&mut self, number: usize, line: &str) -> Result<(), PolicyTextError> {
        let words: Vec<&str> = line
            .split([' ', '\t'])
            .filter(|word| !word.is_empty())
            .collect();
        // Returns the type number for a key of unknown type.
        let key = |text: &str| match text.parse::<VerifierKey>() {
            Ok(key) => Ok(Ok(key)),
            Err(KeyError::Type(key_type)) => Ok(Err(key_type)),
            Err(source) => Err(PolicyTextError::Key {
                line: number,
                source,
            }),
        };
        let url = |rest: &[&str]| match rest {
            [] => Ok(None),
            [url] => Ok(Some((*url).to_owned())),
            _ => Err(PolicyTextError::Line(number)),
        };
        match words.as_slice() {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["log", log, rest @ ..] => match (key(log)?, url(rest)?) {
                (Ok(key), url) => self.log(number, key, url),
                (Err(key_type), _) => {
                    let name = log.split('+').next().unwrap_or_default();
                    self.skip(number, key_type, Some(name.to_owned()))
                }
            },
            ["witness", name, witness, rest @ ..] => match (key(witness)?, url(rest)?) {
                (Ok(key), url) => self.witness(number, name, key, url),
                (Err(key_type), _) => {
                    self.define(number, name, Member::Unknown(number))?;
                    self.skip(number, key_type, None)
                }
            },
            ["group", name, threshold, members @ ..] => {
                let threshold = match *threshold {
                    "all" => members.len(),
                    "any" => 1,
                    number => decimal(number)
                        .and_then(|number| number.try_into().ok())
                        .unwrap_or(0),
                };
                self.group(number, name, threshold, members)
            }
            ["quorum", name] => self.quorum(number, name),
            _ => Err(PolicyTextError::Line(number)),
        }
    }

    fn skip(
        &mut self,
        line: usize,
        key_type: u8,
        log: Option<String>,
    ) -> Result<(), PolicyTextError> {
        let skipped = SkippedKey {
            line,
            key_type,
            log,
        };
        self.skipped.push(skipped);
        check_number(&self.skipped)
    }

    fn log(
        &mut self,
        line: usize,
        key: VerifierKey,
        url: Option<String>,
    ) -> Result<(), PolicyTextError> {
        check_key(line, &key, Algorithm::Ed25519)?;
        let is_witness = self.witness_keys.contains(key.as_bytes());
        if is_witness || !self.log_keys.insert(*key.as_bytes()) {
            return Err(PolicyTextError::KeyTwice(line));
        }
        self.logs.push(TrustedLog { key, url });
        check_number(&self.logs)
    }

    fn witness(
        &mut self,
        line: usize,
        name: &str,
        key: VerifierKey,
        url: Option<String>,
    ) -> Result<(), PolicyTextError> {
        check_key(line, &key, Algorithm::CosignatureV1)?;
        let is_log = self.log_keys.contains(key.as_bytes());
        if is_log || !self.witness_keys.insert(*key.as_bytes()) {
            return Err(PolicyTextError::KeyTwice(line));
        }
        self.define(line, name, Member::Witness(self.witnesses.len()))?;
        let name = name.to_owned();
        self.witnesses.push(TrustedWitness { name, key, url });
        check_number(&self.witnesses)
    }

    fn group(
        &mut self,
        line: usize,
        name: &str,
        threshold: usize,
        names: &[&str],
    ) -> Result<(), PolicyTextError> {
        let mut members = Vec::new();
        for member in names {
            let found = self.find(line, member)?;
            if !self.members.insert(found) {
                let name = (*member).to_owned();
                return Err(PolicyTextError::MemberTwice { line, name });
            }
            members.push(found);
        }
        if threshold == 0 || threshold > members.len() {
            return Err(PolicyTextError::Threshold(line));
        }
        self.define(line, name, Member::Group(self.groups.len()))?;
        self.groups.push(Group {
            name: name.to_owned(),
            threshold,
            members,
        });
        check_number(&self.groups)
    }

    fn quorum(&mut self, line: usize, name: &str) -> Result<(), PolicyTextError> {
        if self.quorum.is_some() {
            return Err(PolicyTextError::Quorum);
        }
        self.quorum = Some(match name {
            NONE => Member::NoQuorum,
            name => self.find(line, name)?,
        });
        Ok(())
    }

    fn define(&mut self, line: usize, name: &str, member: Member) -> Result<(), PolicyTextError> {
        if name == NONE || self.names.insert(name.to_owned(), member).is_some() {
            return Err(PolicyTextError::NameTaken(line));
        }
        Ok(())
    }

    fn find(&self, line: usize, name: &str) -> Result<Member, PolicyTextError> {
        let unknown = || PolicyTextError::UnknownName {
            line,
            name: name.to_owned(),
        };
        self.names.get(name).copied().ok_or_else(unknown)
    }

    fn finish(self) -> Result<Policy, PolicyTextError> {
        let quorum = self.quorum.ok_or(PolicyTextError::Quorum)?;
        let groups = self.groups;
        let rule = Rule { groups, quorum };
        let can_be_met = rule.is_met(&vec![true; self.witnesses.len()]);
        if let Some(SkippedKey { line, key_type, .. }) = self.skipped.first()
            && (self.logs.is_empty() || !can_be_met)
        {
            let source = KeyError::Type(*key_type);
            return Err(PolicyTextError::Key {
                line: *line,
                source,
            });
        }
        Ok(Policy {
            logs: self.logs,
            witnesses: self.witnesses,
            rule,
            skipped: self.skipped,
        })
    }
}

fn check_key(line: usize, key: &VerifierKey, wanted: Algorithm) -> Result<(), PolicyTextError> {
    if key.algorithm() == wanted {
        return Ok(());
    }
    let source = KeyError::Type(key.algorithm().number());
    Err(PolicyTextError::Key { line, source })
}

fn check_number<T>(found: &[T]) -> Result<(), PolicyTextError> {
    if found.len() > Policy::MOST {
        return Err(PolicyTextError::TooMany);
    }
    Ok(())
}

const NONE: &str = "none";
/// Name of the only group in a policy of [`Policy::threshold`]. No key can have this name.
const GROUP: &str = "+";
