#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| pad_fuzz::decode_messages::run(data));
