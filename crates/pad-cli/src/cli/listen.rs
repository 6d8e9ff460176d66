//! Listening address, TLS and logging of servers.

use std::{net::ToSocketAddrs as _, path::PathBuf};

use clap::{Args, ValueEnum};
use pad_web::server::{HeaderValue, Limits, Options};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use super::{
    Failure, Result,
    host::{Host, ProxyArguments, identity},
};

/// Address, TLS and log of a server.
#[derive(Debug, Args)]
pub(super) struct ListenArguments {
    /// The address to listen at.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7440")]
    listen: String,
    /// TLS certificate chain (PEM).
    ///
    /// Without TLS only this machine is served, unless --insecure-listen is given.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Serve other machines without TLS, for example behind a proxy with TLS.
    ///
    /// Anyone on the network can then see which keys are looked up. Answers stay verifiable.
    #[arg(long, conflicts_with = "tls_cert")]
    insecure_listen: bool,
    /// Let web pages of this origin read responses; * for all pages.
    ///
    /// Such pages can also read /metrics. Do not use it for a server that only some people may
    /// reach: their browsers reach it for all pages of the origin.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    allow_origin: Option<HeaderValue>,
    /// The certificate's private key (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    proxies: ProxyArguments,
    /// The format of the log on standard error.
    #[arg(long, value_name = "FORM", default_value = "text")]
    log: Log,
    /// Log level: error, warn, info, debug, trace or off.
    ///
    /// debug includes every refused request. After a comma, a level can be limited to a part of the
    /// program, as in `info,pad_service=debug`.
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: Targets,
}

/// Size limits of a server's messages.
#[derive(Debug, Args)]
pub(super) struct SizeArguments {
    /// Maximum size of an update, received or sent, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    largest_update: usize,
}

impl SizeArguments {
    /// Returns the limits of a server that accepts and sends updates of at most `largest_update`
    /// bytes.
    pub(super) fn limits(&self) -> Limits {
        let usual = Limits::default();
        let largest = self.largest_update;
        Limits {
            request_bytes: largest,
            // A list of one update is slightly longer than the update itself.
            response_bytes: usual.response_bytes.max(largest.saturating_add(1 << 10)),
            body_bytes: usual.body_bytes.max(largest.saturating_mul(2)),
            answer_bytes: usual.answer_bytes.max(largest.saturating_mul(2)),
            bytes_per_peer: usual.bytes_per_peer.max(largest.saturating_add(1 << 20)),
            ..usual
        }
    }
}

/// Parses an origin, `scheme://host` or `scheme://host:port`, or `*`.
fn origin(text: &str) -> Result<HeaderValue, &'static str> {
    const HELP: &str = "an origin is *, or scheme://host:port without a path";
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let is_origin = host.is_some_and(|host| !host.is_empty() && host.bytes().all(is_plain));
    if text != "*" && !is_origin {
        return Err(HELP);
    }
    HeaderValue::from_str(text).map_err(|_| HELP)
}

/// The format of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Log {
    /// One line of text per event.
    Text,
    /// One JSON object per event.
    Json,
}

impl ListenArguments {
    pub(super) fn bind(&self, limits: Limits) -> Result<Host<'_>> {
        let files = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let options = Options {
            identity: identity(["--tls-cert", "--tls-key"], files)?,
            limits,
            trusted_proxies: self.proxies.trusted_proxies.clone(),
            allowed_origin: self.allow_origin.clone(),
            ..Options::default()
        };
        let is_local = options.identity.is_none() && !self.insecure_listen;
        if is_local {
            self.check_loopback()?;
        }
        let host = Host::bind(&self.listen, options)?;
        if is_local && !host.address().ip().is_loopback() {
            // The name resolved to loopback addresses above, but not when the server was bound.
            return Err(self.not_loopback());
        }
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            address = %host.address(),
            scheme = host.scheme,
            largest_request = limits.request_bytes,
            largest_response = limits.response_bytes,
            connections = limits.connections,
            "begins to listen"
        );
        Ok(host)
    }

    /// Rejects addresses other than loopback addresses. Called if TLS is not used: on a network, an
    /// eavesdropper could read the queried keys, but could not forge answers.
    fn check_loopback(&self) -> Result {
        let addresses = self.listen.to_socket_addrs();
        let mut addresses = addresses
            .map_err(|error| Failure::Input(format!("--listen {}: {error}", self.listen)))?;
        if addresses.all(|address| address.ip().is_loopback()) {
            return Ok(());
        }
        Err(self.not_loopback())
    }

    fn not_loopback(&self) -> Failure {
        Failure::Input(format!(
            "--listen {}: other machines are served with TLS only",
            self.listen
        ))
        .help("use --tls-cert and --tls-key, or --insecure-listen behind a proxy with TLS")
    }

    pub(super) fn begin_log(&self) -> Result {
        let log = fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_writer(std::io::stderr);
        let filter = self.log_level.clone();
        let begun = match self.log {
            Log::Text => log.finish().with(filter).try_init(),
            Log::Json => log.json().finish().with(filter).try_init(),
        };
        begun.map_err(|error| Failure::Store(format!("the log cannot be started: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};

    use super::*;

    /// Returns whether `pad_service`, and whether another target, logs at `level` with this
    /// `--log-level`.
    fn logs(levels: &str, level: LevelFilter) -> [bool; 2] {
        let command = ListenArguments::augment_args(Command::new("serve").no_binary_name(true));
        let matches = command.try_get_matches_from(["--log-level", levels]);
        let arguments = ListenArguments::from_arg_matches(&matches.unwrap()).unwrap();
        let level = level.into_level().unwrap();
        ["pad_service::router", "hyper"]
            .map(|target| arguments.log_level.would_enable(target, &level))
    }

    #[test]
    fn origins_have_no_path() {
        for text in [
            "*",
            "https://shop.example",
            "http://localhost:8080",
            "http://[::1]:80",
        ] {
            assert_eq!(origin(text).unwrap(), text);
        }
        for text in [
            "",
            "shop.example",
            "https://",
            "https://a/",
            "https://a,https://b",
            "null",
        ] {
            assert!(origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn levels_are_for_everything_or_for_a_part() {
        let (debug, info) = (LevelFilter::DEBUG, LevelFilter::INFO);
        for (levels, at_debug, at_info) in [
            ("debug", [true; 2], [true; 2]),
            ("info", [false; 2], [true; 2]),
            ("WARN", [false; 2], [false; 2]),
            ("off", [false; 2], [false; 2]),
            ("info,pad_service=debug", [true, false], [true; 2]),
            ("pad_service=info", [false; 2], [true, false]),
        ] {
            assert_eq!(
                (logs(levels, debug), logs(levels, info)),
                (at_debug, at_info),
                "{levels}"
            );
        }
        let command = ListenArguments::augment_args(Command::new("serve").no_binary_name(true));
        let refused = command.try_get_matches_from(["--log-level", "pad_service=loud"]);
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("pad_service=loud")
        );
    }
}
