//! Result lines of a benchmark: one JSON object for each measured configuration.
//!
//! Times are seconds, milliseconds (`_ms`), microseconds (`_us`) or nanoseconds (`_ns`), and sizes
//! are bytes. `docs/measuring.md` explains the keys. Tables and plots read figures by key.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::timing::median;

/// Result of one measured configuration: named figures, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Map<String, Value>")]
pub struct Line(Vec<(String, Value)>);

/// Conditions on a line: keys, each with its text or number. `none` requires a null or missing key,
/// and `any` another one; `one|other` accepts either.
pub type Conditions<'a> = Vec<(&'a str, &'a str)>;

/// Reads `key=value` pairs that are separated by semicolons.
pub fn conditions(text: &str) -> Conditions<'_> {
    let pairs = text.split("; ");
    pairs.filter_map(|it| it.split_once('=')).collect()
}

/// Builds a [`Line`](crate::line::Line) from `key: value` pairs; `key` alone is the variable of
/// that name. Figures are rounded to three decimals.
#[macro_export]
macro_rules! line {
    (@ $key:ident) => { $key };
    (@ $key:ident: $value:expr) => { $value };
    ($($key:ident $(: $value:expr)?),* $(,)?) => {
        $crate::line::Line::default()$(.with(stringify!($key), $crate::line!(@ $key $(: $value)?)))*
    };
}

impl Line {
    /// Adds a figure, rounded to three decimals, so that lines stay readable.
    #[must_use]
    pub fn with(self, key: &str, value: impl Serialize) -> Self {
        let value = rounded(json(value));
        self.and(key, value)
    }

    /// Adds a figure without rounding.
    #[must_use]
    pub fn and(mut self, key: &str, value: impl Serialize) -> Self {
        self.0.push((key.to_owned(), json(value)));
        self
    }

    /// Adds null under each of `keys`, separated by spaces, that the line lacks.
    #[must_use]
    pub fn with_all(self, keys: &str) -> Self {
        keys.split(' ').fold(self, |line, key| match line.get(key) {
            Some(_) => line,
            None => line.and(key, None::<f64>),
        })
    }

    /// Adds all fields of `figures`, without rounding.
    #[must_use]
    pub fn merged(mut self, figures: &impl Serialize) -> Self {
        if let Value::Object(fields) = json(figures) {
            self.0.extend(fields);
        }
        self
    }

    /// Removes the figures under `keys`.
    #[must_use]
    pub fn without(mut self, keys: &[&str]) -> Self {
        self.0.retain(|(name, _)| !keys.contains(&name.as_str()));
        self
    }

    /// Returns the value of a key. The key `outer.inner` names a figure within the object `outer`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let named = |wanted: &str| self.0.iter().find(|(name, _)| name == wanted);
        if let Some((_, value)) = named(key) {
            return Some(value);
        }
        let (first, rest) = key.split_once('.')?;
        let (_, value) = named(first)?;
        value.pointer(&format!("/{}", rest.replace('.', "/")))
    }

    /// Returns the number under `key`; `None` if it is missing or null.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    /// Returns the number under `key`, which should be present; NaN if it is not.
    pub fn figure(&self, key: &str) -> f64 {
        self.number(key).unwrap_or(f64::NAN)
    }

    /// Returns the non-negative integer under `key`; 0 if it is missing.
    pub fn count(&self, key: &str) -> u64 {
        self.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Returns the text under `key`; empty if it is missing.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Iterates over all keys and values, in the order in which they were added.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, figure)| (name.as_str(), figure))
    }

    /// Reports whether the line meets all of the [`Conditions`].
    pub fn says(&self, conditions: &[(&str, &str)]) -> bool {
        let is = |value: Option<&Value>, wanted: &str| match value {
            Some(Value::Null) | None => wanted == "none",
            Some(Value::String(text)) => text == wanted || wanted == "any",
            Some(value) => value.to_string().as_str() == wanted || wanted == "any",
        };
        let says = |key: &str, wanted: &str| wanted.split('|').any(|one| is(self.get(key), one));
        conditions.iter().all(|(key, wanted)| says(key, wanted))
    }

    /// Combines the lines of repeated runs: the median of each number, and everything else of the
    /// first line. Adds `spread`, the largest range of one of the `times` divided by its median;
    /// null for a single line.
    pub fn median(lines: &[Self], times: &[&str]) -> Self {
        let numbers = |key: &str| lines.iter().filter_map(|line| line.number(key)).collect();
        let spread = |key: &&str| {
            let numbers: Vec<f64> = numbers(key);
            let largest = numbers.iter().copied().reduce(f64::max)?;
            let smallest = numbers.iter().copied().reduce(f64::min)?;
            Some((largest - smallest) / median(numbers))
        };
        let Some(first) = lines.first() else {
            return Self::default();
        };
        let combined = |(key, value): &(String, Value)| match value {
            Value::Number(number) if number.is_f64() => (key.clone(), json(median(numbers(key)))),
            value => (key.clone(), value.clone()),
        };
        let spread = times.iter().filter_map(spread).reduce(f64::max);
        let line = Self(first.0.iter().map(combined).collect());
        line.with("spread", spread.filter(|_| lines.len() > 1))
    }

    /// Reports whether both lines have the same values under all of `keys`.
    pub fn agrees(&self, other: &Self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.get(key) == other.get(key))
    }
}

/// Selects the lines whose value of `experiment` is `experiment`.
pub fn of<'a>(lines: &'a [Line], experiment: &str) -> Vec<&'a Line> {
    let of = |line: &&Line| line.text("experiment") == experiment;
    lines.iter().filter(of).collect()
}

/// Finds the first line that has all figures of `wanted`.
pub fn like<'a>(lines: &[&'a Line], wanted: &Line) -> Option<&'a Line> {
    let has_all = |line: &&&Line| {
        wanted
            .figures()
            .all(|(key, value)| line.get(key) == Some(value))
    };
    lines.iter().find(has_all).copied()
}

/// Finds the figure of the same work without fast lanes: of the experiment with the suffix
/// `_portable`, from a line with the same values under all of `same`.
pub fn without_lanes(lines: &[Line], line: &Line, same: &[&str], figure: &str) -> Option<f64> {
    let experiment = format!("{}_portable", line.text("experiment"));
    let slow = of(lines, &experiment).into_iter();
    slow.filter(|other| other.agrees(line, same))
        .find_map(|other| other.number(figure))
}

/// Groups lines that have the same values under all of `keys`. Groups are in the order of their
/// first lines.
pub fn groups<'a>(lines: &[&'a Line], keys: &[&str]) -> Vec<Vec<&'a Line>> {
    let mut groups: Vec<Vec<&Line>> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|group| group[0].agrees(line, keys)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    groups
}

impl From<Map<String, Value>> for Line {
    fn from(fields: Map<String, Value>) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("bench: figures are numbers, texts, lists and objects")
}

fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            ((number * 1e3).round() / 1e3).into()
        }
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Value::Object(fields.map(|(key, value)| (key, rounded(value))).collect())
        }
        other => other,
    }
}
