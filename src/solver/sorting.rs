//! One-dimensional problems that sorting solves exactly.

/// max over ρ of ρ − Σ pᵢ (ρ − mᵢ)₊ and the least ρ that attains it, for prices p that sum to at
/// least one; with infinite prices that is the least margin.
pub(super) fn soft_minimum(margins: &[f64], prices: &[f64]) -> (f64, f64) {
    let mut order: Vec<usize> = (0..margins.len()).filter(|&i| prices[i] > 0.0).collect();
    order.sort_by(|&a, &b| margins[a].total_cmp(&margins[b]));
    let (mut paid, mut sum, mut rho) = (0.0, 0.0, f64::NAN);
    // The slope is 1 − Σ p over the margins below ρ: climb until it is no longer positive.
    for &i in &order {
        rho = margins[i];
        if paid + prices[i] >= 1.0 - 1e-12 {
            break;
        }
        paid += prices[i];
        sum += prices[i] * margins[i];
    }
    // Σ p (ρ − m) over the rows below.
    (rho - (paid * rho - sum), rho)
}

/// max over ρ of ρ − 1/ν Σ uᵢ (ρ − mᵢ)₊ and the ρ that attains it, where uᵢ is `importance` divided
/// by the number of rows: the soft margin of a combination whose margins on the rows are given.
#[must_use]
pub fn soft_margin_value(margins: &[f64], importance: &[f64], nu: f64) -> (f64, f64) {
    let scale = 1.0 / (nu * importance.len() as f64);
    let prices: Vec<f64> = importance.iter().map(|value| value * scale).collect();
    soft_minimum(margins, &prices)
}
