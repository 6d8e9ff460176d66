#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| pad_fuzz::lanes::run(data));
