//! Sums over slices, in a fixed order that compilers turn into wide instructions.
//!
//! In: slices of equal length. Out: products, distances, scaled sums.

/// Σ aᵢ bᵢ, in four interleaved sums.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    four_sums(a, b, |x, y| x * y)
}

/// Σ (aᵢ − bᵢ)², in the same way.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    four_sums(a, b, |x, y| (x - y) * (x - y))
}

fn four_sums(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 4];
    let (fours_a, rest_a) = a.as_chunks::<4>();
    let (fours_b, rest_b) = b.as_chunks::<4>();
    for (x, y) in fours_a.iter().zip(fours_b) {
        for lane in 0..4 {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(x, y)| term(*x, *y)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// sums += factor · terms.
#[cfg(feature = "train")]
pub(crate) fn add_scaled(sums: &mut [f64], factor: f64, terms: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_reach_every_element() {
        let a: Vec<f64> = (0..11).map(f64::from).collect();
        for n in 0..a.len() {
            let squares: f64 = a[..n].iter().map(|x| x * x).sum();
            assert_eq!(dot(&a[..n], &a[..n]), squares);
            assert_eq!(squared_distance(&a[..n], &vec![0.0; n]), squares);
        }
    }
}
