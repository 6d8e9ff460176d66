//! `pad file audit`: makes the server prove that it still has the file. By default, this detects
//! the loss of a fraction of the bytes with a given probability; with `--full`, it covers every
//! block.

use clap::Args;
use flexlist::Detection;
use flexlist_service::client::{AuditReport, Extent};
use indicatif::ProgressBar;
use serde_json::json;

use super::{
    FileArguments, byte_bar,
    read::{Reader, ReaderArguments},
};
use crate::cli::{Failure, Output, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file audit --state thesis.state
  pad file audit --state thesis.state --full
  pad file audit --public thesis.public")]
pub(in crate::cli) struct Audit {
    #[command(flatten)]
    file: ReaderArguments,
    /// Detect the loss of this FRACTION of the bytes.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01)]
    #[arg(conflicts_with_all = ["count", "full"])]
    fraction: f64,
    /// The PROBABILITY with which the loss of FRACTION is detected.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.99)]
    #[arg(conflicts_with_all = ["count", "full"])]
    probability: f64,
    /// Challenge this many BYTES, instead of --fraction and --probability.
    #[arg(long, value_name = "BYTES", conflicts_with = "full")]
    count: Option<u32>,
    /// Challenge every block, and name damaged ones.
    ///
    /// With hash-only tags, reads every block.
    #[arg(long)]
    full: bool,
}

impl Audit {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let (extent, established) = self.extent()?;
        let reader = self.file.reader()?;
        let report = match &reader {
            Reader::Owner(file) => self.audit_own(file, extent, output)?,
            Reader::Observer(observer) => {
                let state = &observer.state;
                let bar = self.bar(output, state.list.total);
                let file = &observer.file;
                let audited = file.audit(state, extent, &mut |done| bar.set_position(done));
                bar.finish_and_clear();
                audited.map_err(|error| observer.failure(error))?
            }
        };
        let version = report.state.version;
        let is_empty = report.blocks == 0;
        let (established, text) = if is_empty {
            let words = "nothing: the file has no bytes to prove".to_owned();
            let text = format!(
                "the file is empty: nothing was proved; the server claims version {version}"
            );
            (words, text)
        } else {
            let proved = format!("[version {version}, {} blocks proved]", report.blocks);
            let text = format!("the server has the file: {established} {proved}");
            (established, text)
        };
        let object = json!({
            "version": version,
            "sealed_root": report.state.sealed_root().to_string(),
            "established": established,
            "challenged_bytes": report.bytes,
            "blocks": report.blocks,
            "requests": report.questions,
            "verified": !is_empty,
        });
        output.say(&text, &object)
    }

    fn audit_own(
        &self,
        file: &FileArguments,
        extent: Extent,
        output: &Output,
    ) -> Result<AuditReport> {
        let mut client = file.open()?;
        file.settle(&mut client)?;
        let total = client.version().map_or(0, |state| state.list.total);
        let bar = self.bar(output, total);
        let audited = client.audit(extent, &mut |done| bar.set_position(done));
        bar.finish_and_clear();
        audited.map_err(|error| file.failure_of(&client, error))
    }

    fn bar(&self, output: &Output, total: u64) -> ProgressBar {
        byte_bar(output, if self.full { total } else { 0 }, "audit")
    }

    /// Returns the extent of the audit, and the statement that a valid proof establishes.
    fn extent(&self) -> Result<(Extent, String)> {
        let invalid = |error: flexlist::DetectionError| Failure::Input(error.to_string());
        if self.full {
            return Ok((Extent::Everything, "every block".to_owned()));
        }
        if let Some(count) = self.count {
            let chance = Detection::of(count, self.fraction).map_err(invalid)?;
            let words = format!(
                "{} chance to notice a loss of {} % of the bytes",
                percent(chance),
                self.fraction * 100.0
            );
            return Ok((Extent::Sample(count), words));
        }
        let detection = Detection::new(self.fraction, self.probability).map_err(invalid)?;
        Ok((Extent::Detect(detection), detection.to_string()))
    }
}

/// Formats a probability as a percentage. A probability below 1 is never formatted as 100 %.
fn percent(chance: f64) -> String {
    if (0.9995..1.0).contains(&chance) {
        return "more than 99.9 %".into();
    }
    format!("{:.1} %", chance * 100.0)
}
