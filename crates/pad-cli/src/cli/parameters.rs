//! `pad parameters`: generates public parameters of append-only logs for tests, or reads the
//! parameters of a ceremony.

use std::path::{Path, PathBuf};

use authdict::{LogParameters, SchemeName};
use clap::Args;
use serde_json::json;

use super::{
    Failure, Output, Result,
    files::{OutArguments, read_file},
    progress,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad parameters --scheme aad-counted --top 8 --out test.parameters
  pad parameters --ceremony ceremony.json --out log.parameters")]
pub(super) struct Parameters {
    /// The scheme of the logs.
    ///
    /// Frontier schemes need 512 times as many powers as counted ones.
    #[arg(long, value_name = "NAME", default_value = SchemeName::AadCounted.name())]
    scheme: SchemeName,
    /// Make test parameters for trees of 2^LEVEL entries.
    ///
    /// Each power takes 48 bytes. The maker of the parameters can forge proofs.
    #[arg(long, value_name = "LEVEL", default_value_t = 11)]
    #[arg(value_parser = clap::value_parser!(u8).range(4..=32))]
    top: u8,
    /// Read the parameters from the FILE of a ceremony over BLS12-381.
    ///
    /// FILE is JSON with lists of powers in G1 and G2, or the text format of the Ethereum project.
    /// All powers are checked. The ceremony must ensure that its secret is unknown; pad only tells
    /// whether it knows the ceremony.
    #[arg(long, value_name = "FILE", conflicts_with = "top")]
    ceremony: Option<PathBuf>,
    #[command(flatten)]
    out: OutArguments,
}

impl Parameters {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        self.out.check(output)?;
        self.check()?;
        let (parameters, warning) = self.made(output)?;
        let bytes = parameters.to_message();
        let file = self.out.write(&bytes, output)?;
        if let Some(warning) = warning {
            Output::warn(warning);
        }
        let Some(file) = file else {
            return Ok(());
        };
        let top = parameters.greatest_top_level(self.scheme);
        let from = match (parameters.origin(), warning) {
            (Some(origin), _) => format!("from {origin}"),
            (None, warning) => warning.unwrap_or_default().to_owned(),
        };
        let bytes = bytes.len();
        let text = format!("{bytes} bytes in {file} serve trees of up to 2^{top} entries; {from}");
        let object = json!({
            "file": file, "bytes": bytes, "top": top,
            "origin": parameters.origin(), "insecure": parameters.origin().is_none(),
        });
        output.say(&text, &object)
    }

    /// Generates or reads the parameters. Also returns a warning about them, if one is needed.
    fn made(&self, output: &Output) -> Result<(LogParameters, Option<&'static str>)> {
        let Some(path) = &self.ceremony else {
            let _spinner = progress::spinner(output, "computing powers");
            let parameters = LogParameters::generate_insecure(self.scheme, self.top);
            let parameters = parameters.map_err(|error| Failure::Store(error.to_string()))?;
            return Ok((parameters, Some(INSECURE)));
        };
        let file = read_file(path, LogParameters::LONGEST)?;
        let _spinner = progress::spinner(output, "checking all powers of the ceremony");
        let parameters = LogParameters::from_ceremony(&file)
            .map_err(|error| Failure::Input(format!("ceremony {}: {error}", path.display())))?;
        let warning = parameters.origin().is_none().then_some(ORIGIN);
        Ok((parameters, warning))
    }

    fn check(&self) -> Result {
        let scheme = self.scheme;
        if !scheme.family().is_append_only() {
            let text = format!("--scheme: dictionaries of scheme {scheme} have no parameters");
            return Err(Failure::Input(text));
        }
        let greatest = LogParameters::greatest_made(scheme);
        if self.top > greatest {
            let top = self.top;
            let text = format!("--top {top}: the maximum for scheme {scheme} is {greatest}");
            return Err(Failure::Input(text));
        }
        Ok(())
    }
}

/// Loads parameters from `path`, or the bundled parameters. A file is checked: it must be
/// well-formed and contain the powers of one secret.
pub(super) fn load(path: Option<&Path>, output: &Output) -> Result<LogParameters> {
    let Some(path) = path else {
        return LogParameters::ethereum().map_err(|error| Failure::Store(error.to_string()));
    };
    let bytes = read_file(path, LogParameters::LONGEST)?;
    let _spinner = progress::spinner(output, format!("checking the powers in {}", path.display()));
    LogParameters::decode(&bytes)
        .map_err(|error| Failure::Input(format!("parameters {}: {error}", path.display())))
}

/// Warning about parameters that this program has generated.
const INSECURE: &str = "INSECURE: the maker of these parameters can forge proofs; use them for \
                        tests only";

/// Warning about parameters of unknown origin.
pub(super) const ORIGIN: &str =
    "INSECURE unless the parameters come from a ceremony: with their secret, proofs can be forged";
