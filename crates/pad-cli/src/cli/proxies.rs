//! Arguments about the proxies in front of a server.

use std::net::IpAddr;

use clap::Args;

/// Proxies in front of a server.
#[derive(Debug, Args)]
pub(super) struct ProxyArguments {
    /// Address of a router or reverse proxy; may be repeated.
    ///
    /// Limits then count the proxy's clients separately. The proxy must add the client's address to
    /// X-Forwarded-For, as `pad route` does.
    #[arg(long = "trusted-proxy", value_name = "IP")]
    pub(super) trusted_proxies: Vec<IpAddr>,
}
