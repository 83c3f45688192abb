//! Distributions under caps: the point of the capped simplex that a linear function and the relative
//! entropy choose together, exactly, by sorting.

use crate::error::{Error, Result};
use crate::portable::{exp, ln, ln_1p};

/// Caps may fall short of one together by this much before there is no distribution under them.
const SHORT: f64 = 1e-9;

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Capped {
    /// The distribution d.
    pub duals: Vec<f64>,
    /// What each entry would be without its cap, for the same Z.
    pub uncapped: Vec<f64>,
    /// η d·z + Δ(d, centre).
    pub value: f64,
}

/// The minimiser of η d·z + Δ(d, centre) subject to Σ d = 1 and 0 ≤ d ≤ cap, where Δ(d, u) is
/// Σ d ln(d/u): dᵢ = min(capᵢ, uᵢ exp(−η zᵢ)/Z), with Z such that they sum to one. An entry whose
/// centre or cap is zero is zero. Costs O(m log m).
pub fn capped(z: &[f64], eta: f64, cap: &[f64], centre: &[f64]) -> Result<Capped> {
    let total: f64 = cap.iter().zip(centre).filter(|(_, u)| **u > 0.0).map(|(cap, _)| cap).sum();
    if total.is_nan() || total < 1.0 - SHORT {
        return Err(Error::Solver {
            reason: format!("found that caps which sum to {total} admit no distribution"),
            advice: "choose nu at most 1".to_owned(),
        });
    }
    let mut entries: Vec<Entry> = (0..z.len())
        .filter(|&i| centre[i] > 0.0 && cap[i] > 0.0)
        .map(|i| {
            let exponent = ln(centre[i]) - eta * z[i];
            Entry { i, exponent, excess: exponent - ln(cap[i]) }
        })
        .collect();
    // Those that press hardest against their caps come first.
    entries.sort_by(|a, b| b.excess.total_cmp(&a.excess));
    // ln Σ exp(exponent) over an entry and all after it.
    let mut rest = vec![f64::NEG_INFINITY; entries.len() + 1];
    for (k, entry) in entries.iter().enumerate().rev() {
        let (large, small) = (rest[k + 1].max(entry.exponent), rest[k + 1].min(entry.exponent));
        rest[k] = large + ln_1p(exp(small - large));
    }
    let (mut n_capped, mut free_mass) = (0, 1.0_f64);
    while n_capped < entries.len() {
        let entry = &entries[n_capped];
        // exp(exponent)/Z < cap, with ln Z = rest − ln(free mass).
        if free_mass > 0.0 && entry.excess < rest[n_capped] - ln(free_mass) {
            break;
        }
        free_mass -= cap[entry.i];
        n_capped += 1;
    }
    let log_z = rest[n_capped] - ln(free_mass);
    let mut chosen = Capped { duals: vec![0.0; z.len()], uncapped: vec![0.0; z.len()], value: 0.0 };
    for (k, entry) in entries.iter().enumerate() {
        let i = entry.i;
        let (own, most) = (entry.exponent - log_z, ln(cap[i]));
        let logarithm = if k < n_capped { most } else { own };
        let dual = if k < n_capped { cap[i] } else { exp(own) };
        chosen.duals[i] = dual;
        chosen.uncapped[i] = if k < n_capped { exp(own.max(most)) } else { dual };
        if dual > 0.0 {
            // ln(d/u) + η z
            chosen.value += dual * (logarithm - entry.exponent);
        }
    }
    Ok(chosen)
}

/// An entry that may be positive.
struct Entry {
    i: usize,
    /// ln u − η z.
    exponent: f64,
    /// The same minus the logarithm of the cap.
    excess: f64,
}
