//! Quorum rules over witnesses.

/// A quorum rule over the witnesses of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// Groups in the order of their lines: members precede their group.
    pub(super) groups: Vec<Group>,
    /// The witness or group that the policy requires in its `quorum` line.
    pub(super) quorum: Member,
}

/// A group that is met if at least `threshold` of its members are met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) threshold: usize,
    pub(super) members: Vec<Member>,
}

/// A group member or the required quorum: a witness or group by its index. `Unknown` is a witness
/// with a key of unknown type, by its line number: its condition is never met. `NoQuorum` is the
/// line `quorum none`: its condition is always met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Member {
    Witness(usize),
    Group(usize),
    Unknown(usize),
    NoQuorum,
}

impl Rule {
    /// Returns whether the rule is met if only the `witnesses` marked true count.
    pub(super) fn is_met(&self, witnesses: &[bool]) -> bool {
        let mut groups: Vec<bool> = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let met = group
                .members
                .iter()
                .filter(|member| is_met(**member, witnesses, &groups));
            let met = met.count() >= group.threshold;
            groups.push(met);
        }
        is_met(self.quorum, witnesses, &groups)
    }
}

fn is_met(member: Member, witnesses: &[bool], groups: &[bool]) -> bool {
    let met = match member {
        Member::NoQuorum => return true,
        Member::Unknown(_) => return false,
        Member::Witness(place) => witnesses.get(place),
        Member::Group(place) => groups.get(place),
    };
    met.copied().unwrap_or_default()
}
