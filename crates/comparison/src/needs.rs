//! Properties that a user may need in a scheme, in addition to a low cost.

use core::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::schemes::Properties;

/// Property that a user may require of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Need {
    /// Dictionaries with equal contents have equal roots, whatever the order of the changes.
    SetUnique,
    /// The size of a proof does not depend on the number of keys.
    ConstantProofs,
    /// One proof contains all entries between two keys, and shows that none is missing.
    Ranges,
    /// No entry is ever removed or replaced, and a proof shows this.
    AppendOnly,
    /// Public parameters need no trusted party other than the author.
    NoTrustedSetup,
    /// A server can prove that a key is absent.
    Absence,
    /// Entries can be removed.
    Removal,
    /// Versions before the latest can be queried.
    OldVersions,
    /// The number of entries has no maximum that is fixed when the author's key is generated.
    Unbounded,
    /// Entries have keys that the author chooses, instead of numbers in the order of arrival.
    OwnKeys,
    /// A server cannot present an older value as the value in the latest version.
    Latest,
}

impl Need {
    /// Every need.
    #[rustfmt::skip]
    pub const ALL: [Self; 11] = [
        Self::SetUnique, Self::ConstantProofs, Self::Ranges, Self::AppendOnly,
        Self::NoTrustedSetup, Self::Absence, Self::Removal, Self::OldVersions, Self::Unbounded,
        Self::OwnKeys, Self::Latest,
    ];

    /// Returns the name of the need, whether a scheme with some properties meets it, and why a
    /// scheme does not.
    #[rustfmt::skip]
    fn row(self) -> (&'static str, fn(&Properties) -> bool, &'static str) {
        match self {
            Self::SetUnique =>
                ("set-unique", |of| of.set_unique, "roots depend on the order of changes"),
            Self::ConstantProofs => ("constant-proofs", |of| of.constant_size_proofs,
                "proofs grow with the number of keys"),
            Self::Ranges => ("ranges", |of| of.proves_ranges, "does not prove ranges"),
            Self::AppendOnly =>
                ("append-only", |of| of.append_only, "does not prove that nothing was removed"),
            Self::NoTrustedSetup => ("no-trusted-setup", |of| !of.trusted_setup,
                "needs parameters from a trusted set-up"),
            Self::Absence => ("absence", |of| of.proves_absence, "does not prove absence"),
            Self::Removal => ("removal", |of| of.removes, "removes nothing"),
            Self::OldVersions => ("old-versions", |of| of.proves_any_old_version,
                "answers about the latest version only"),
            Self::Unbounded => ("unbounded", |of| !of.bounded,
                "the largest number of entries is fixed with the key"),
            Self::OwnKeys => ("own-keys", |of| of.has_keys, "entries have numbers, not keys"),
            Self::Latest => ("latest", |of| of.proves_latest, "an old value passes for the latest"),
        }
    }

    /// Returns the name of the need on command lines.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Reports whether a scheme with these properties meets the need.
    pub fn is_met(self, properties: &Properties) -> bool {
        let (_, is_met, _) = self.row();
        is_met(properties)
    }

    /// Returns the text that explains why a scheme does not meet this need.
    pub fn lack(self) -> &'static str {
        self.row().2
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Error returned if a text is not the name of a need.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown need '{name}', choose from {}", Need::ALL.map(Need::name).join(", "))]
pub struct UnknownNeed {
    /// Text that is not the name of a need.
    pub name: String,
}

impl FromStr for Need {
    type Err = UnknownNeed;

    fn from_str(name: &str) -> Result<Self, UnknownNeed> {
        let mut all = Self::ALL.into_iter();
        all.find(|need| need.name() == name)
            .ok_or_else(|| UnknownNeed { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::schemes;

    fn meeting(need: Need) -> Vec<&'static str> {
        let met = schemes()
            .iter()
            .filter(|scheme| need.is_met(&scheme.properties));
        met.map(|scheme| scheme.name).collect()
    }

    #[test]
    fn needs_have_names() {
        for need in Need::ALL {
            assert_eq!(need.name().parse(), Ok(need));
            assert_eq!(serde_json::json!(need), need.name());
        }
        let unknown = "speed".parse::<Need>().unwrap_err().to_string();
        assert!(
            unknown.starts_with("unknown need 'speed', choose from set-unique, constant-proofs")
        );
    }

    #[test]
    fn each_need_is_met_by_the_schemes_that_do_it() {
        type MayMeet = (Need, fn(&str) -> bool);
        let may_meet: [MayMeet; 8] = [
            (Need::SetUnique, |name| {
                name.starts_with("treap-") || name.starts_with("skip-list-")
            }),
            (Need::AppendOnly, |name| name.starts_with("aad-")),
            (Need::ConstantProofs, |name| {
                name.starts_with("tuple-") || name.starts_with("sign-")
            }),
            (Need::NoTrustedSetup, |name| !name.starts_with("aad-")),
            (Need::Ranges, |name| !name.contains("accumulators")),
            (Need::Absence, |name| !name.starts_with("sign-")),
            (Need::OwnKeys, |name| name != "directory"),
            (Need::Latest, |name| name != "sign-changed-entries"),
        ];
        for (need, may_meet) in may_meet {
            assert!(meeting(need).into_iter().all(may_meet), "{need}");
        }
        assert_eq!(meeting(Need::SetUnique).len(), 10);
        assert_eq!(meeting(Need::AppendOnly).len(), 4);
        assert_eq!(meeting(Need::ConstantProofs).len(), 26);
        assert!(meeting(Need::Ranges).contains(&"tuple-spec-lightweight"));
        assert_eq!(meeting(Need::Latest).len(), schemes().len() - 1);
    }
}
