//! Tuple-based persistent authenticated dictionaries.
