//! `pad prune` drops old versions, `pad compact` stores nodes together, and `pad check` verifies a
//! store.

use authdict::{NotOffered, Server, Version};
use clap::Args;
use serde_json::json;

use super::{
    Failure, Output, Result, StoreArgument,
    at::{VersionNames as _, VersionSelector},
    progress,
    session::{TrustArguments, open_store},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad prune --store prices.pad --before 100
  pad prune --store prices.pad --before 2026-11-23")]
pub(super) struct Prune {
    #[command(flatten)]
    store: StoreArgument,
    /// Number or name of the oldest version to keep; write a name of digits as name:TEXT.
    ///
    /// Names are the store's word here, even if they are signed. In the store of a mirror, give the
    /// number.
    #[arg(long, value_name = "VERSION")]
    before: VersionSelector,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad compact --store prices.pad
  pad compact --store prices.pad --since 0")]
pub(super) struct Compact {
    #[command(flatten)]
    store: StoreArgument,
    /// Do not rewrite nodes that VERSION already contains.
    ///
    /// Default: the oldest kept version, because the nodes of a one-snapshot load or of a pruning
    /// are stored together. 0 rewrites all inner nodes.
    #[arg(long, value_name = "VERSION")]
    since: Option<VersionSelector>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad check --store prices.pad --public author.key.pub
  pad check --store prices.pad --view prices.view")]
pub(super) struct Check {
    #[command(flatten)]
    store: StoreArgument,
    #[command(flatten)]
    trust: TrustArguments,
}

impl Prune {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let mut repository = Server::of_any(&self.store.store)?;
        let scheme = repository.public_key()?.scheme;
        if scheme.family().is_append_only() {
            // The trees of a log cover all entries, so no version can be dropped.
            let (what, scheme) = ("prunings", scheme.id());
            return Err(Failure::Input(NotOffered { what, scheme }.to_string()));
        }
        let before = repository.file_bytes()?;
        if let VersionSelector::NameOrDate(text, _) = &self.before
            && repository.versions_of(text)?.is_empty()
        {
            let text = format!("no version has the name {text}, and a date does not select here");
            return Err(Failure::Input(text)
                .help("dates are unverified; pad versions shows them with the numbers"));
        }
        let oldest = self.before.resolve(&repository, output)?;
        repository.prune(oldest)?;
        let after = repository.file_bytes()?;
        let (oldest, latest) = (repository.oldest(), repository.latest());
        let text = format!(
            "kept versions {oldest} to {latest} and all signed heads; the store has {after} bytes \
             (was {before})"
        );
        let object = json!({
            "oldest": oldest.number(),
            "latest": latest.number(),
            "before_bytes": before,
            "after_bytes": after,
        });
        output.say(&text, &object)
    }
}

impl Compact {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let mut repository = Server::of_any(&self.store.store)?;
        let before = repository.file_bytes()?;
        let spinner = progress::spinner(output, "writing nodes");
        let mut note = |bytes: u64| spinner.set_message(format!("writing nodes: {bytes} bytes"));
        let since = match &self.since {
            Some(since) => since.resolve(&repository, output)?,
            None => repository.oldest().max(Version::new(1)),
        };
        let written = if repository.latest() == Version::EMPTY && self.since.is_none() {
            Ok(0)
        } else {
            repository.compact(since, &mut note)
        };
        spinner.finish_and_clear();
        let (written, after) = (written?, repository.file_bytes()?);
        let latest = repository.latest();
        let text = format!(
            "the nodes of version {latest} are stored together: {written} bytes were written, the \
             store has {after} bytes (was {before}); answers are unchanged"
        );
        let object = json!({
            "from": since.number(),
            "latest": latest.number(),
            "written_bytes": written,
            "before_bytes": before,
            "after_bytes": after,
        });
        output.say(&text, &object)
    }
}

impl Check {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let (mut repository, _) = open_store(&self.store.store, &self.trust, output)?;
        let checked = repository.check()?;
        let latest = repository.latest();
        let from = if checked.from_empty {
            "the empty dictionary"
        } else {
            "the checkpoint"
        };
        let proved = checked.proved;
        let replayed = match checked.replayed {
            Some(replayed) => format!(
                "{replayed} updates replayed from {from}, the contents of {proved} versions proved"
            ),
            None => format!(
                "the contents of {proved} versions hash to the signed roots (all of the oldest and \
                 the latest, the changes of others)"
            ),
        };
        let text = format!(
            "the store is whole: {} signed heads, {replayed}{}{}   [{}]",
            checked.heads,
            if checked.checkpoint {
                ", the checkpoint intact"
            } else {
                ""
            },
            if checked.complete {
                ""
            } else {
                "; the completeness of their entries is not shown, because older updates are pruned"
            },
            output.verdict(),
        );
        let object = json!({
            "latest": latest.number(),
            "oldest": repository.oldest().number(),
            "heads": checked.heads,
            "replayed_updates": checked.replayed,
            "from_empty": checked.from_empty,
            "proved_versions": proved,
            "checkpoint_intact": checked.checkpoint,
            "complete": checked.complete,
        });
        output.say_verdict(&text, object)
    }
}
