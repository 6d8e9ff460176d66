//! `pad parameters`: public parameters of append-only logs, for tests.

use std::path::Path;

use clap::Args;
use pad::{LogParameters, selection::SchemeName};
use serde_json::json;

use super::{
    Failure, Output,
    files::{OutArguments, read_file},
};

#[derive(Debug, Args)]
pub(super) struct Parameters {
    /// The scheme of the logs that they are for. Frontier schemes need 512 times as many powers as counted ones.
    #[arg(long, value_name = "NAME", default_value = SchemeName::AadCounted.name())]
    scheme: SchemeName,
    /// The largest trees that they serve have two to this power entries. Each power takes 48 bytes.
    #[arg(long, value_name = "LEVEL", default_value_t = 11, value_parser = clap::value_parser!(u8).range(4..=20))]
    top: u8,
    #[command(flatten)]
    out: OutArguments,
}

impl Parameters {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        self.out.check(output)?;
        self.check()?;
        let parameters = LogParameters::generate_insecure(self.scheme, self.top);
        let parameters = parameters.map_err(|error| Failure::Store(error.to_string()))?;
        let bytes = parameters.as_bytes();
        self.out.write(bytes, output)?;
        Output::warn(INSECURE);
        if self.out.is_standard() {
            return Ok(());
        }
        let (top, file) = (parameters.greatest_top_level(self.scheme), self.out.shown());
        let text = format!(
            "{} bytes in {file} serve trees of up to 2^{top} entries; {INSECURE}",
            bytes.len()
        );
        let object = json!({ "file": file, "bytes": bytes.len(), "top": top, "insecure": true });
        output.say(&text, &object)
    }

    /// Refuses schemes of other families, and more powers than are made here.
    fn check(&self) -> Result<(), Failure> {
        let scheme = self.scheme;
        if !scheme.family().is_append_only() {
            return Err(Failure::Input(format!(
                "--scheme: dictionaries of scheme {scheme} have no parameters"
            )));
        }
        let greatest = LogParameters::greatest_made(scheme);
        if self.top > greatest {
            let top = self.top;
            return Err(Failure::Input(format!(
                "--top {top}: for scheme {scheme} the greatest level made here is {greatest}"
            )));
        }
        Ok(())
    }
}

/// The parameters in a file, checked: well-formed, and the powers of one secret.
pub(super) fn load(path: &Path) -> Result<LogParameters, Failure> {
    let longest = u64::try_from(LogParameters::LONGEST).unwrap_or(u64::MAX);
    let bytes = read_file(path, longest)?;
    LogParameters::decode(bytes)
        .map_err(|error| Failure::Input(format!("parameters {}: {error}", path.display())))
}

/// What is said of parameters that were made here.
const INSECURE: &str = "INSECURE: whoever made these parameters can forge; they are for tests";

/// What is said of parameters of which nobody knows where they are from.
pub(super) const ORIGIN: &str =
    "INSECURE unless the parameters come from a ceremony: whoever knows their secret can forge";
