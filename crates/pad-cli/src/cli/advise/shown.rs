//! Renders the advice of `pad advise`, a ranking of schemes by cost, as text and as a JSON object.

use core::fmt;

use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use comparison::{
    Load,
    advice::{Advice, Balance, Candidate, Crossing, DEFAULT, Exclusion, Requirements, crossing},
    cost::{BandwidthRatios, Term},
};
use serde_json::{Value as Json, json};

use super::{super::Output, Basis, commands::commands};

/// Maximum number of characters in a line, except in commands and in long names of files.
const WIDTH: usize = 80;

/// Renders `advice` as text and as a JSON object. Both repeat the requirements (`wanted`) and the
/// data (`basis`) that the advice was computed from.
pub(super) fn shown(advice: &Advice, wanted: &Requirements, basis: &Basis) -> (String, Json) {
    let load = &wanted.load;
    let rivals = rivals(advice, load, basis);
    let mut parts = vec![origin(wanted, basis), ranking(advice)];
    parts.push(match advice.winner() {
        Some(winner) => why(winner, &reason(advice), load, &rivals),
        None => "No scheme meets the requirements.".into(),
    });
    parts.push(excluded(&advice.excluded));
    parts.retain(|part| !part.is_empty());
    (parts.join("\n\n"), object(advice, wanted, basis, &rivals))
}

/// A scheme compared with the recommended scheme: its role in the text, and the loads at which both
/// cost the same.
struct Rival<'a> {
    role: &'static str,
    candidate: &'a Candidate,
    crossing: Crossing,
}

/// Returns the schemes to compare with the recommended scheme: the cheapest of the others, and the
/// cheapest candidate of another family, without duplicates.
fn rivals<'a>(advice: &'a Advice, load: &Load, basis: &Basis) -> Vec<Rival<'a>> {
    let Some(winner) = advice.winner() else {
        return Vec::new();
    };
    let runner_up = advice.runner_up();
    let other = advice.other_family().filter(|other| {
        runner_up.is_none_or(|runner_up| runner_up.scheme.name != other.scheme.name)
    });
    let first = if advice.cheaper().is_some() {
        "cheapest"
    } else {
        "runner-up"
    };
    let roles = [(first, runner_up), ("other family", other)];
    let rivals = roles.into_iter().filter_map(|(role, candidate)| {
        let candidate = candidate?;
        let crossing = crossing((winner, candidate), load, &basis.tariff, &basis.records);
        Some(Rival {
            role,
            candidate,
            crossing,
        })
    });
    rivals.collect()
}

fn origin(wanted: &Requirements, basis: &Basis) -> String {
    let (load, entry) = (&wanted.load, &basis.prices);
    let needs: Vec<_> = wanted.needs.iter().map(|need| need.name()).collect();
    let haste = if basis.records.quick {
        ", from a quick run"
    } else {
        ""
    };
    let statements = [
        format!(
            "{} keys of {} bytes with values of {}; {} snapshots of {} changes and {} lookups per \
             day;",
            load.keys,
            load.key_bytes,
            load.value_bytes,
            digits(load.snapshots_per_day),
            load.changes,
            digits(load.lookups_per_day),
        ),
        format!(
            "{} server(s) with {} version(s); needed: {}",
            load.servers,
            digits(load.kept_versions.round()),
            needs.join(", "),
        ),
        format!(
            "prices: {} ({}, {}): {}",
            entry.name,
            entry.provider,
            entry.as_of,
            equilibrium(basis),
        ),
        format!("measurements: {}, {}{haste}", basis.source, machines(basis)),
    ];
    statements
        .map(|statement| wrapped(&statement, 2))
        .join("\n")
}

/// Describes how many bytes sent cost as much as one second of computing. Above this ratio,
/// bandwidth costs more.
fn equilibrium(basis: &Basis) -> String {
    match basis.tariff.prices.equilibrium() {
        none if none.is_nan() => "neither sending nor computing costs anything".into(),
        bytes if bytes.is_infinite() => "sending costs nothing".into(),
        bytes => format!(
            "sending costs more than computing above {} KB for each second of computing",
            digits(bytes / 1e3)
        ),
    }
}

fn machines(basis: &Basis) -> String {
    match basis.records.machines.as_slice() {
        [] => "of an unknown machine".into(),
        machines => {
            let shown: Vec<_> = machines
                .iter()
                .map(|name| Output::show_text(name))
                .collect();
            shown.join(" and ")
        }
    }
}

/// Renders the ranked schemes as a table of at most [`WIDTH`] columns, with footnotes.
fn ranking(advice: &Advice) -> String {
    if advice.ranked.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY).set_header([
        "scheme",
        "$ a month",
        "proof",
        "verify",
        "notes",
    ]);
    let mut notes = Notes::default();
    for candidate in &advice.ranked {
        table.add_row([
            candidate.scheme.name.to_owned(),
            dollars(candidate.cost.total()),
            size(candidate.proof_bytes()),
            candidate.figures.verify_us.map_or_else(|| "?".into(), time),
            notes.of(candidate),
        ]);
    }
    // The longest name leaves no room for a space on both sides of each column.
    for column in table.column_iter_mut().skip(1) {
        column.set_padding((0, 1));
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}{notes}")
}

/// Formats a cost in dollars for a column. Extrapolations may have dozens of digits.
fn dollars(cost: f64) -> String {
    if cost < 1e9 {
        digits(cost)
    } else {
        format!("{cost:.2e}")
    }
}

/// Footnotes on the cost estimates, each stored once. The table of schemes refers to them by
/// number, starting at 1.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    /// Returns the footnote numbers of `candidate`, three in a line, and adds new footnotes.
    fn of(&mut self, candidate: &Candidate) -> String {
        let numbers = candidate.marks.iter().map(|mark| {
            let note = mark.to_string();
            let known = self.0.iter().position(|known| *known == note);
            let index = known.unwrap_or_else(|| {
                self.0.push(note);
                self.0.len() - 1
            });
            (index + 1).to_string()
        });
        let numbers: Vec<_> = numbers.collect();
        let lines: Vec<_> = numbers.chunks(3).map(|line| line.join(" ")).collect();
        lines.join("\n")
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut notes = self.0.iter().zip(1..);
        notes.try_for_each(|(note, number)| {
            let note = wrapped(&format!("{number:>2} {note}"), 3);
            write!(formatter, "\n{note}")
        })
    }
}

/// Returns the dominant cost term and its share in percent; `None` if there is no cost.
fn mostly(candidate: &Candidate) -> Option<(Term, String)> {
    let (term, share) = candidate.cost.dominant()?;
    Some((term, format!("{:.0} %", share * 100.0)))
}

/// Explains why the recommended scheme is recommended: because it is the default, or the cheapest.
/// Empty if no scheme is recommended.
fn reason(advice: &Advice) -> String {
    let Some(winner) = advice.winner() else {
        return String::new();
    };
    if winner.scheme.name == DEFAULT {
        return advice.cheaper().map_or_else(
            || "It is the default, and no scheme that meets the requirements costs less.".into(),
            |(cheapest, saved)| {
                format!(
                    "It is the default. The cheapest, {}, would save {} a month: less than a \
                     dollar, or less than 10 %.",
                    cheapest.scheme.name,
                    money(saved)
                )
            },
        );
    }
    if let Some(default) = advice.default_scheme() {
        let more = default.cost.total() - winner.cost.total();
        return format!(
            "It is the cheapest. The default, {DEFAULT}, costs {} a month more.",
            money(more)
        );
    }
    let mut excluded = advice.excluded.iter();
    let default = excluded.find(|excluded| excluded.scheme.name == DEFAULT);
    let reasons = default.map(reasons).unwrap_or_default();
    format!("It is the cheapest. The default, {DEFAULT}, is excluded: {reasons}.")
}

/// Explains the recommendation of `winner`, by `reason` and by its largest cost, and at which loads
/// it would cost as much as each of `rivals`. The text begins with the commands that create a
/// dictionary of this scheme.
fn why(winner: &Candidate, reason: &str, load: &Load, rivals: &[Rival<'_>]) -> String {
    let name = winner.scheme.name;
    let mut lines: Vec<String> = match commands(winner.scheme, load) {
        Ok(commands) => {
            let mut lines = vec![format!("Choose {name}:")];
            lines.extend(commands.iter().map(|command| format!("  {command}")));
            lines
        }
        Err(why) => vec![wrapped(&format!("Choose {name} ({why})."), 2)],
    };
    lines.push(wrapped(reason, 2));
    lines.push(mostly(winner).map_or_else(
        || "It costs nothing.".into(),
        |(term, share)| format!("{share} of what it costs is {term}."),
    ));
    for rival in rivals {
        let Rival {
            role, candidate, ..
        } = rival;
        let name = candidate.scheme.name;
        let article = match *role {
            "cheapest" => "The cheapest",
            "runner-up" => "The runner-up",
            _ => "The cheapest of another family",
        };
        let (total, of_winner) = (candidate.cost.total(), winner.cost.total());
        let times = match total / of_winner {
            ratio if ratio.is_finite() => format!("{ratio:.2} times as much"),
            _ if total > 0.0 => format!("{} dollars", digits(total)),
            _ => "nothing, too".into(),
        };
        let balance = balance(winner, candidate);
        let costs = format!("{article}, {name}, costs {times}:{balance}.");
        let equal = format!("  Both cost the same {}.", places(&rival.crossing));
        lines.extend([wrapped(&costs, 2), wrapped(&equal, 4)]);
    }
    lines.join("\n")
}

fn balance(winner: &Candidate, other: &Candidate) -> String {
    let Balance { saves, pays } = Balance::of(winner, other);
    let more =
        saves.map(|(term, dollars)| format!(" it takes {} more for {term}", digits(dollars)));
    let less = pays.map(|(term, dollars)| format!(" {} less for {term}", digits(dollars)));
    match (more, less) {
        (None, None) => " no part differs".into(),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(more), Some(less)) => format!("{more},{less}"),
    }
}

fn places(crossing: &Crossing) -> String {
    let lookups = crossing.lookups_per_day;
    let lookups = lookups.map(|lookups| format!("with {} lookups per day", digits(lookups)));
    let keys = crossing.keys;
    let keys = keys.map(|keys| format!("with {} keys", digits(keys)));
    let places: Vec<_> = [lookups, keys].into_iter().flatten().collect();
    match places.as_slice() {
        _ if crossing.everywhere => {
            "everywhere: for any number of lookups, and for 1000 times fewer or more keys".into()
        }
        [] => "nowhere: the order holds for any number of lookups, and for 1000 times fewer or \
               more keys"
            .into(),
        places => format!("{}, all else unchanged", places.join(" or ")),
    }
}

/// Joins the reasons for an exclusion.
fn reasons(excluded: &Exclusion) -> String {
    let reasons: Vec<_> = excluded.reasons.iter().map(ToString::to_string).collect();
    reasons.join("; ")
}

/// Groups the schemes that are excluded for equal reasons, with one paragraph per group.
fn excluded(all: &[Exclusion]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for excluded in all {
        let (reasons, name) = (reasons(excluded), excluded.scheme.name);
        match groups.iter_mut().find(|(known, _)| *known == reasons) {
            Some((_, names)) => names.push(name),
            None => groups.push((reasons, vec![name])),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let paragraphs = groups.iter().map(|(reasons, names)| {
        let paragraph = format!("  {}: {reasons}", names.join(", "));
        format!("\n{}", wrapped(&paragraph, 4))
    });
    format!("Excluded:{}", paragraphs.collect::<String>())
}

fn object(advice: &Advice, wanted: &Requirements, basis: &Basis, rivals: &[Rival<'_>]) -> Json {
    let load = &wanted.load;
    let ranked = advice.ranked.iter();
    let ranked = ranked.map(|candidate| candidate_object(candidate, load));
    let excluded = advice.excluded.iter().map(|excluded| {
        let reasons: Vec<_> = excluded.reasons.iter().map(ToString::to_string).collect();
        let candidate = excluded.candidate.as_ref();
        json!({
            "scheme": excluded.scheme.name,
            "reasons": reasons,
            "causes": excluded.reasons,
            "dollars_per_month": candidate.map(|candidate| candidate.cost.total()),
        })
    });
    let rivals = rivals.iter().map(|rival| {
        json!({
            "role": rival.role,
            "scheme": rival.candidate.scheme.name,
            "equal_at_lookups_per_day": rival.crossing.lookups_per_day,
            "equal_at_keys": rival.crossing.keys,
            "equal_everywhere": rival.crossing.everywhere,
        })
    });
    json!({
        "load": load,
        "needs": wanted.needs,
        "limits": wanted.limits,
        "prices": basis.prices,
        "charged": basis.tariff,
        "equilibrium_bytes_per_second": basis.tariff.prices.equilibrium(),
        "measurements": {
            "source": basis.source,
            "machines": basis.records.machines,
            "quick": basis.records.quick,
        },
        "winner": advice.winner().map(|winner| winner.scheme.name),
        "why": advice.winner().map(|_| reason(advice)),
        "cheapest": advice.cheaper().map(|(cheapest, _)| cheapest.scheme.name),
        "cheapest_saves": advice.cheaper().map(|(_, dollars)| dollars),
        "rivals": rivals.collect::<Vec<_>>(),
        "ranked": ranked.collect::<Vec<_>>(),
        "excluded": excluded.collect::<Vec<_>>(),
    })
}

fn candidate_object(candidate: &Candidate, load: &Load) -> Json {
    let terms = candidate.cost.terms().iter();
    let terms: serde_json::Map<_, _> = terms
        .filter_map(|(term, dollars)| match serde_json::to_value(term) {
            Ok(Json::String(name)) => Some((name, json!(dollars))),
            _ => None,
        })
        .collect();
    let ratios = BandwidthRatios::of(&candidate.figures);
    let marks: Vec<_> = candidate.marks.iter().map(ToString::to_string).collect();
    json!({
        "scheme": candidate.scheme.name,
        "family": candidate.scheme.family,
        "keygen": candidate.scheme.keygen,
        "place": candidate.scheme.place,
        "commands": commands(candidate.scheme, load).unwrap_or_default(),
        "dollars_per_month": candidate.cost.total(),
        "terms": terms,
        "dominant": candidate.cost.dominant().map(|(term, _)| term),
        "dollars_per_lookup": candidate.cost.line().each,
        "lookup_us": candidate.lookup_us(),
        "verify_us": candidate.figures.verify_us,
        "snapshot_seconds": candidate.snapshot_seconds(),
        "proof_bytes": candidate.proof_bytes(),
        "memory_bytes": candidate.memory_bytes(load),
        "update_bytes_per_second": ratios.update,
        "lookup_bytes_per_second": ratios.lookup,
        "marks": marks,
    })
}

/// Formats an amount of money that is above zero.
fn money(dollars: f64) -> String {
    if dollars < 0.01 {
        "less than a cent".into()
    } else {
        format!("{} dollars", digits(dollars))
    }
}

/// Formats `number` with up to four decimals. Values between -0.01 and 0.01, except 0, are in
/// scientific notation.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.01 => 4,
        _ => return format!("{number:.2e}"),
    };
    format!("{number:.decimals$}")
}

/// Breaks `text` at spaces into lines of at most [`WIDTH`] characters. All lines but the first
/// begin with `indent` spaces.
fn wrapped(text: &str, indent: usize) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for (place, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if place > 0 && width + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            width = indent;
        } else if place > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines
}

fn time(us: f64) -> String {
    match us {
        us if us >= 1e6 => format!("{} s", digits(us / 1e6)),
        us if us >= 1e3 => format!("{} ms", digits(us / 1e3)),
        us => format!("{} us", digits(us)),
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= 1e9 => format!("{} GB", digits(bytes / 1e9)),
        bytes if bytes >= 1e6 => format!("{} MB", digits(bytes / 1e6)),
        bytes if bytes >= 1e4 => format!("{} KB", digits(bytes / 1e3)),
        bytes => format!("{bytes:.0} B"),
    }
}
