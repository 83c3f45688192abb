//! Settings of any text are refused in the library's words, or can be asked for what they say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use weakforce::settings::Settings;

fuzz_target!(|text: &str| {
    if let Ok(settings) = Settings::from_json(text) {
        let (_, n_rounds) = settings.n_rounds();
        let _ = (settings.loss(), settings.sampling(), settings.patience(n_rounds));
    }
});
