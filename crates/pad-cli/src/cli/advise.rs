//! `pad advise`: recommends a scheme for a load (numbers of keys, updates and lookups) and explains
//! why.

use std::path::{Path, PathBuf};

use clap::Args;
use comparison::{
    Clients, PriceBook, PriceEntry,
    advice::{Advice, Tariff},
    records::Records,
};

use super::{Failure, Output, Result, files::read_text, quantity::times};

mod commands;
mod shown;
mod wanted;

use wanted::{LoadArguments, NeedArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad advise --keys 1M --updates 1/s --lookups 10k/s
  pad advise --trace prices.csv --need ranges,removal --prices hetzner-2026")]
pub(super) struct Advise {
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    needs: NeedArguments,
    #[command(flatten)]
    tariff: TariffArguments,
    /// Measurements to use instead of the built-in ones.
    ///
    /// FILE contains the output of `compare --json` or `calibrate --json` of the lab
    /// (crates/bench).
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Prices")]
struct TariffArguments {
    /// The price list: a built-in NAME, or a FILE.
    ///
    /// Built in are aws-2026, google-2026, azure-2026, hetzner-2026 and paper-2010. For a file with
    /// several entries append :NAME.
    #[arg(long, value_name = "NAME|FILE", default_value = "aws-2026")]
    prices: String,
    /// Include the computing of clients in the costs.
    #[arg(long)]
    charge_clients: bool,
    /// Assume that computing and memory are TIMES cheaper.
    #[arg(long, value_name = "TIMES", value_parser = times, default_value = "1")]
    compute_cheaper: f64,
    /// Assume that bandwidth is TIMES cheaper.
    #[arg(long, value_name = "TIMES", value_parser = times, default_value = "1")]
    bandwidth_cheaper: f64,
    /// Assume that signatures are TIMES cheaper.
    ///
    /// Schemes with signatures other than Ed25519 are then left out.
    #[arg(long, value_name = "TIMES", value_parser = times, default_value = "1")]
    cryptography_cheaper: f64,
}

/// The data that the advice is computed from: measurements and their source, prices, and the tariff
/// that applies the prices.
struct Basis {
    records: Records,
    /// Description of the source of the measurements.
    source: String,
    prices: PriceEntry,
    tariff: Tariff,
}

impl Advise {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let prices = self.tariff.entry()?;
        let wanted = wanted::wanted(&self.load, &self.needs)?;
        let (records, source) = self.records()?;
        let basis = Basis {
            records,
            source,
            tariff: self.tariff.tariff(&prices),
            prices,
        };
        let advice = Advice::new(&wanted, &basis.tariff, &basis.records);
        let (text, object) = shown::shown(&advice, &wanted, &basis);
        output.say(&text, &object)
    }

    fn records(&self) -> Result<(Records, String)> {
        let Some(path) = &self.data else {
            return Ok((Records::shipped(), "shipped with this program".into()));
        };
        let file = path.display().to_string();
        let records = Records::parse(&file, &read_text(path, LONGEST_FILE)?).map_err(input)?;
        Ok((records, file))
    }
}

impl TariffArguments {
    /// Finds the selected price entry, in the bundled price book or in a file.
    fn entry(&self) -> Result<PriceEntry> {
        let shipped = PriceBook::shipped();
        if shipped.names().contains(&self.prices) {
            return Ok(shipped.entry(&self.prices).map_err(input)?.clone());
        }
        let (file, name) = match self.prices.rsplit_once(':') {
            Some((file, name)) if !Path::new(&self.prices).exists() => (file, Some(name)),
            _ => (self.prices.as_str(), None),
        };
        let path = Path::new(file);
        if name.is_none() && !path.exists() {
            let failure = Failure::Input(format!(
                "'{file}' is neither a file nor a built-in price list"
            ));
            let names = shipped.names().join(", ");
            return Err(failure.help(format!("give a file, or one of {names}")));
        }
        let book = PriceBook::parse(file, &read_text(path, LONGEST_FILE)?).map_err(input)?;
        let entry = name.map_or_else(|| book.only(), |name| book.entry(name));
        Ok(entry.map_err(input)?.clone())
    }

    fn tariff(&self, entry: &PriceEntry) -> Tariff {
        Tariff {
            prices: entry
                .prices
                .cheaper(self.compute_cheaper, self.bandwidth_cheaper),
            clients: if self.charge_clients {
                Clients::Charged
            } else {
                Clients::PayThemselves
            },
            cryptography: self.cryptography_cheaper,
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it maps errors")]
fn input(error: impl ToString) -> Failure {
    Failure::Input(error.to_string())
}

const LONGEST_FILE: usize = 64 << 20;
