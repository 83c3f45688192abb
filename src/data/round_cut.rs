//! The roundest number between two neighbouring values, so that what is printed is what runs.
//!
//! In: two values and what they mean. Out: a cut in the middle half of the gap between them with as
//! few decimal digits as possible, or on a whole day, hour, minute … for times. Between whole
//! numbers the cut is whole: `age ≤ 37` parts 37 from 38.

use super::column::Kind;

/// Whole units of time, in microseconds, from the coarsest to the finest.
const TIME_UNITS: [f64; 5] = [86_400e6, 3_600e6, 60e6, 1e6, 1e3];

/// Digits that tell any two doubles apart.
const MOST_DIGITS: usize = 17;

/// A finite cut with low ≤ cut < high wherever there is one, else the lowest number.
pub(super) fn round_cut(low: f64, high: f64, kind: Kind) -> f64 {
    let (finite_low, finite_high) = (low.max(f64::MIN), high.min(f64::MAX));
    let middle = finite_low / 2.0 + finite_high / 2.0;
    let quarter = (finite_high / 2.0 - finite_low / 2.0) / 2.0;
    let separates = |cut: f64| low <= cut && cut < high;
    let fits = |cut: &f64| (cut - middle).abs() <= quarter && separates(*cut);
    let round = match kind {
        Kind::Instant | Kind::Duration | Kind::TimeOfDay => {
            TIME_UNITS.map(|unit| (middle / unit).round() * unit).into_iter().find(fits)
        }
        _ => (1..=MOST_DIGITS)
            .filter(|&digits| may_fit(middle, quarter, digits))
            .filter_map(|digits| format!("{middle:.*e}", digits - 1).parse().ok())
            .find(fits),
    };
    let is_whole = |x: f64| x.fract() == 0.0;
    let cut = round.unwrap_or(middle);
    let cut = if is_whole(low) && is_whole(high) && !is_whole(cut) { middle.floor() } else { cut };
    match [cut, middle].into_iter().find(|&cut| separates(cut)) {
        Some(cut) => cut + 0.0, // no negative zero
        None => low,
    }
}

/// Whether rounding to so many digits can stay within a quarter of the gap: an estimate that saves
/// most of the formatting.
#[allow(clippy::disallowed_methods)] // what it lets through is judged exactly
fn may_fit(middle: f64, quarter: f64, digits: usize) -> bool {
    let exponent = middle.abs().log10().floor();
    let unit = 10f64.powf(exponent + 1.0 - digits as f64);
    let rounded = (middle / unit).round() * unit;
    let is_far = (rounded - middle).abs() > quarter * 1.001 + middle.abs() * 1e-15;
    // Where the estimate itself is not a number (at zero), the exact way decides.
    !is_far
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(low: f64, high: f64) -> f64 {
        round_cut(low, high, Kind::Number)
    }

    #[test]
    fn whole_numbers_are_parted_by_whole_numbers() {
        assert_eq!(cut(37.0, 38.0), 37.0);
        assert_eq!(cut(37.0, 39.0), 38.0);
        assert_eq!(cut(0.0, 1.0), 0.0);
        assert_eq!(cut(-1.0, 0.0), -1.0);
        assert_eq!(cut(12_000.0, 20_000.0), 16_000.0);
    }

    #[test]
    fn fractions_get_as_few_digits_as_the_gap_allows() {
        assert_eq!(cut(0.123_456_7, 0.123_999_9), 0.1237);
        assert_eq!(cut(36.2, 38.9), 38.0);
        assert_eq!(cut(-0.2, 1.0), 0.4);
        assert_eq!(cut(1.0, 1.0 + f64::EPSILON), 1.0);
    }

    #[test]
    fn extremes_are_parted_by_finite_numbers() {
        for (low, high) in [
            (f64::NEG_INFINITY, 0.0),
            (0.0, f64::INFINITY),
            (f64::NEG_INFINITY, f64::INFINITY),
            (f64::MIN, f64::MAX),
            (0.0, f64::from_bits(1)),
            (f64::MAX, f64::INFINITY),
        ] {
            let cut = cut(low, high);
            assert!(cut.is_finite() && low <= cut && cut < high, "{low} {cut} {high}");
        }
        assert_eq!(cut(f64::NEG_INFINITY, f64::MIN), f64::NEG_INFINITY); // nothing fits between
    }

    #[test]
    fn times_are_parted_at_whole_days_if_possible() {
        let day = TIME_UNITS[0];
        assert_eq!(round_cut(0.2 * day, 3.9 * day, Kind::Instant), 2.0 * day);
        assert_eq!(round_cut(0.0, day, Kind::Duration), 12.0 * TIME_UNITS[1]);
        assert_eq!(round_cut(5.0, 6.0, Kind::TimeOfDay), 5.0);
    }
}
