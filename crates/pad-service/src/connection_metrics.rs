//! Metrics of the connections of a web server.

use pad_web::server::ConnectionCounters;

/// Renders counters of connections in the Prometheus text format.
pub(crate) fn connection_metrics(counters: &ConnectionCounters) -> String {
    let (open, accepted, refused) = (counters.open(), counters.accepted(), counters.refused());
    format!(
        "# HELP pad_connections_open Open connections.\n\
         # TYPE pad_connections_open gauge\n\
         pad_connections_open {open}\n\
         # HELP pad_connections_accepted_total Connections accepted, open and closed.\n\
         # TYPE pad_connections_accepted_total counter\n\
         pad_connections_accepted_total {accepted}\n\
         # HELP pad_connections_refused_total Connections closed at once, because the server or the \
         peer had too many.\n\
         # TYPE pad_connections_refused_total counter\n\
         pad_connections_refused_total {refused}\n"
    )
}
