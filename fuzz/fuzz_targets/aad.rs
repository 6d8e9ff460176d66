#![no_main]
libfuzzer_sys::fuzz_target!(init: pad_fuzz::aad::prepare(), |data: &[u8]| pad_fuzz::aad::run(data));
