//! Follows other servers.
