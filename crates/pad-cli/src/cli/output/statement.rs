//! Output of statements about a dictionary that a proof has established.

use authdict::{Answer, Key, Neighbour, Predecessor, Question, Statement, Successor, Version};
use serde_json::{Value as Json, json};

use super::Output;
use crate::cli::{Failure, Result};

impl Output {
    /// Prints a verified answer about one key, one entry or value, or two versions.
    pub(crate) fn statement(&mut self, statement: Statement) -> Result {
        match statement {
            Statement::Lookup(lookup) => self.lookup(lookup.version, &lookup.key, &lookup.answer),
            Statement::Neighbour(found) => self.neighbour(&found),
            #[cfg(feature = "log")]
            Statement::Values(values) => self.values(&values),
            #[cfg(feature = "log")]
            Statement::Included(included) => self.included(&included),
            #[cfg(feature = "log")]
            Statement::Absent(absent) => self.absent(&absent),
            #[cfg(feature = "log")]
            Statement::Grown(grown) => self.grown(&grown),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }

    fn lookup(&mut self, version: Version, key: &Key, answer: &Answer) -> Result {
        let object = self.lookup_fields(version, key, answer);
        self.say_at(version, &self.lookup_text(key, answer), object)
    }

    /// Prints the verified entry at a place in the order of keys, or that there is none.
    fn neighbour(&mut self, found: &Neighbour<Question>) -> Result {
        if let Some((key, value)) = &found.entry {
            return self.lookup(found.version, key, &Answer::Present(value.clone()));
        }
        let place = match &found.question {
            Question::Predecessor(Predecessor(key)) => {
                format!("no key is below {}", self.show(key.as_bytes()))
            }
            Question::Successor(Successor(key)) => {
                format!("no key is above {}", self.show(key.as_bytes()))
            }
            _ => "there is no key".to_owned(),
        };
        let object = json!({ "version": found.version.number(), "present": false });
        self.say_at(found.version, &format!("absent   {place}"), object)
    }

    /// Prints a verified lookup as an item of a list.
    pub(crate) fn listed_lookup(&mut self, version: Version, key: &Key, answer: &Answer) -> Result {
        let fields = self.lookup_fields(version, key, answer);
        self.item(&self.lookup_text(key, answer), fields)
    }

    pub(crate) fn lookup_object(&self, version: Version, key: &Key, answer: &Answer) -> Json {
        let mut object = self.lookup_fields(version, key, answer);
        self.add_verdict(&mut object);
        object
    }

    fn lookup_text(&self, key: &Key, answer: &Answer) -> String {
        let key = self.show(key.as_bytes());
        match answer.value() {
            Some(value) => format!("present  {key} = {}", self.show_value(value)),
            None => format!("absent   {key}"),
        }
    }

    /// Renders a verified lookup without trust fields.
    pub(crate) fn lookup_fields(&self, version: Version, key: &Key, answer: &Answer) -> Json {
        let mut object = self.about(version, key);
        object["present"] = answer.value().is_some().into();
        if let Some(value) = answer.value() {
            self.add(&mut object, "value", value.as_bytes());
        }
        object
    }

    fn about(&self, version: Version, key: &Key) -> Json {
        let mut object = json!({ "version": version.number() });
        self.add(&mut object, "key", key.as_bytes());
        object
    }
}

/// Statements of append-only logs.
#[cfg(feature = "log")]
impl Output {
    fn values(&mut self, values: &authdict::pad_log::Values) -> Result {
        let shown = self.show(values.key.as_bytes());
        let mut objects = Vec::new();
        for value in &values.values {
            let mut object = json!({});
            self.add(&mut object, "value", value.as_bytes());
            objects.push(object);
            let value = self.show_value(value);
            self.text(&format!("present  {shown} = {value}"))?;
        }
        let text = match values.values.len() {
            0 => format!("absent   {shown}"),
            count => format!("{count} values, no other"),
        };
        let mut object = self.about(values.version, &values.key);
        object["present"] = (!objects.is_empty()).into();
        object["values"] = objects.into();
        self.say_at(values.version, &text, object)
    }

    fn included(&mut self, included: &authdict::pad_log::Included) -> Result {
        let (version, entry) = (included.version, &included.entry);
        let shown = self.show(entry.key.as_bytes());
        let mut object = self.about(version, &entry.key);
        object["present"] = true.into();
        object["position"] = included.position.into();
        let text = match included.occurrence {
            // Only entries of sets have occurrence 0.
            0 => format!("present  {shown}   in the set"),
            occurrence => {
                self.add(&mut object, "value", entry.value.as_bytes());
                object["occurrence"] = occurrence.into();
                let value = self.show_value(&entry.value);
                format!("included {shown} = {value}   other values are not shown")
            }
        };
        self.say_at(version, &text, object)
    }

    fn absent(&mut self, absent: &authdict::pad_log::Absent) -> Result {
        let member = self.show(absent.member.as_bytes());
        let text = format!("absent   {member}   not in the set");
        let mut object = self.about(absent.version, &absent.member);
        object["present"] = false.into();
        self.say_at(absent.version, &text, object)
    }

    fn grown(&mut self, grown: &authdict::pad_log::Grown) -> Result {
        let (from, to) = (grown.from, grown.to);
        let text = format!(
            "grown    version {to} contains version {from}: of its {} the first {}   [{}]",
            super::counted(grown.to_size, "entry"),
            grown.from_size,
            self.verdict(),
        );
        let object = json!({
            "from": from.number(),
            "to": to.number(),
            "from_entries": grown.from_size,
            "to_entries": grown.to_size,
            "grown": true,
        });
        self.say_verdict(&text, object)
    }
}
