//! The registry of boosters: the only place that knows them all.
//!
//! In: settings by the name of a booster. Out: its first state, and what it can do.

use serde::{Deserialize, Serialize};

use super::bagging::Rule as BaggingRule;
use super::corrective::Rule as CorrectiveRule;
use super::pairs::Rule as PairRule;
use super::separate::Separate;
use super::{
    AdaBoostRSettings, ArcGvSettings, ArcX4Settings, BaggingSettings, Capabilities,
    CorrectiveSettings, DiscreteSettings, GentleSettings, LogitSettings, MartingaleSettings,
    MultiBoostSettings, PairsSettings, RealSettings, RegularizedSettings, SoftmaxSettings,
    SymmetricSettings, Team, TeamStart, VotesSettings,
};
use crate::error::Result;

/// The registry of boosters: one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoosterSettings {
    /// AdaBoost and the ATA(φ) family.
    Discrete(DiscreteSettings),
    /// arc-gv.
    ArcGv(ArcGvSettings),
    /// Real AdaBoost.
    Real(RealSettings),
    /// `AdaBoost_R`.
    AdaboostR(AdaBoostRSettings),
    /// GentleBoost.
    Gentleboost(GentleSettings),
    /// `AdaBoost_Reg`.
    Regularized(RegularizedSettings),
    /// LogitBoost.
    Logitboost(LogitSettings),
    /// LPBoost.
    Lpboost(CorrectiveSettings),
    /// SoftBoost.
    Softboost(CorrectiveSettings),
    /// ERLPBoost.
    Erlpboost(CorrectiveSettings),
    /// SAMME.
    Samme(VotesSettings),
    /// AdaBoost.M1.
    M1(VotesSettings),
    /// AdaBoost.MH.
    Mh(PairsSettings),
    /// AdaBoost.M2.
    M2(PairsSettings),
    /// Soft-max boosting.
    Softmax(SoftmaxSettings),
    /// SFBoost.
    Sfboost(SymmetricSettings),
    /// MartiBoost.
    Martiboost(MartingaleSettings),
    /// Bagging.
    Bagging(BaggingSettings),
    /// Wagging.
    Wagging(BaggingSettings),
    /// MultiBoosting.
    MultiBoost(MultiBoostSettings),
    /// arc-x4.
    ArcX4(ArcX4Settings),
}

/// What depends on the parameters of a booster.
struct RunFacts<'a> {
    /// Whether identical rows may be treated as one.
    may_merge_rows: bool,
    /// Whether rows are drawn by what they hold.
    draws_rows: bool,
    /// The number of layers, if rounds are layers.
    n_layers: Option<usize>,
    /// Where the costs of answers come from, if they have any.
    costs: Option<&'a SoftmaxSettings>,
}

impl BoosterSettings {
    /// Checks the settings and returns the complete first state.
    pub fn start(&self, start: &TeamStart) -> Result<Box<dyn Team>> {
        match self {
            Self::Discrete(settings) => Separate::start(start, |start| settings.start(start)),
            Self::ArcGv(settings) => Separate::start(start, |start| settings.start(start)),
            Self::Real(settings) => Separate::start(start, |start| settings.start(start)),
            Self::AdaboostR(settings) => Separate::start(start, |start| settings.start(start)),
            Self::Gentleboost(settings) => Separate::start(start, |start| settings.start(start)),
            Self::Regularized(settings) => Separate::start(start, |start| settings.start(start)),
            Self::Logitboost(settings) => settings.start(start),
            Self::Lpboost(settings) => {
                Separate::start(start, |start| settings.start(CorrectiveRule::Linear, start))
            }
            Self::Softboost(settings) => {
                Separate::start(start, |start| settings.start(CorrectiveRule::Nearest, start))
            }
            Self::Erlpboost(settings) => {
                Separate::start(start, |start| settings.start(CorrectiveRule::Entropy, start))
            }
            Self::Samme(settings) => Separate::votes(start, |start| settings.start_samme(start)),
            Self::M1(settings) => Separate::votes(start, |start| settings.start_m1(start)),
            Self::Mh(settings) => Ok(settings.start(PairRule::Hamming, start)),
            Self::M2(settings) => Ok(settings.start(PairRule::Ranking, start)),
            Self::Softmax(settings) => settings.start(start),
            Self::Sfboost(settings) => settings.start(start),
            Self::Martiboost(settings) => settings.start(start),
            Self::Bagging(settings) => {
                Separate::votes(start, |start| settings.start(BaggingRule::Counts, start))
            }
            Self::Wagging(settings) => {
                Separate::votes(start, |start| settings.start(BaggingRule::Weights, start))
            }
            Self::MultiBoost(settings) => Separate::votes(start, |start| settings.start(start)),
            Self::ArcX4(settings) => Separate::votes(start, |start| settings.start(start)),
        }
    }

    /// What every booster can do, by its name in settings.
    #[must_use]
    pub fn all() -> [(&'static str, Capabilities); 21] {
        [
            ("discrete", DiscreteSettings::CAPABILITIES),
            ("arc_gv", ArcGvSettings::CAPABILITIES),
            ("real", RealSettings::CAPABILITIES),
            ("adaboost_r", AdaBoostRSettings::CAPABILITIES),
            ("gentleboost", GentleSettings::CAPABILITIES),
            ("regularized", RegularizedSettings::CAPABILITIES),
            ("logitboost", LogitSettings::CAPABILITIES),
            ("lpboost", CorrectiveSettings::CAPABILITIES),
            ("softboost", CorrectiveSettings::CAPABILITIES),
            ("erlpboost", CorrectiveSettings::CAPABILITIES),
            ("samme", VotesSettings::CAPABILITIES),
            ("m1", VotesSettings::CAPABILITIES),
            ("mh", PairsSettings::CAPABILITIES),
            ("m2", PairsSettings::CAPABILITIES),
            ("softmax", SoftmaxSettings::CAPABILITIES),
            ("sfboost", SymmetricSettings::CAPABILITIES),
            ("martiboost", MartingaleSettings::CAPABILITIES),
            ("bagging", BaggingSettings::CAPABILITIES),
            ("wagging", BaggingSettings::CAPABILITIES),
            ("multi_boost", MultiBoostSettings::CAPABILITIES),
            ("arc_x4", ArcX4Settings::CAPABILITIES),
        ]
    }

    /// What the booster can do, whatever its parameters are.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        match self {
            Self::Discrete(_) => DiscreteSettings::CAPABILITIES,
            Self::ArcGv(_) => ArcGvSettings::CAPABILITIES,
            Self::Real(_) => RealSettings::CAPABILITIES,
            Self::AdaboostR(_) => AdaBoostRSettings::CAPABILITIES,
            Self::Gentleboost(_) => GentleSettings::CAPABILITIES,
            Self::Regularized(_) => RegularizedSettings::CAPABILITIES,
            Self::Logitboost(_) => LogitSettings::CAPABILITIES,
            Self::Lpboost(_) | Self::Softboost(_) | Self::Erlpboost(_) => {
                CorrectiveSettings::CAPABILITIES
            }
            Self::Samme(_) | Self::M1(_) => VotesSettings::CAPABILITIES,
            Self::Mh(_) | Self::M2(_) => PairsSettings::CAPABILITIES,
            Self::Softmax(_) => SoftmaxSettings::CAPABILITIES,
            Self::Sfboost(_) => SymmetricSettings::CAPABILITIES,
            Self::Martiboost(_) => MartingaleSettings::CAPABILITIES,
            Self::Bagging(_) | Self::Wagging(_) => BaggingSettings::CAPABILITIES,
            Self::MultiBoost(_) => MultiBoostSettings::CAPABILITIES,
            Self::ArcX4(_) => ArcX4Settings::CAPABILITIES,
        }
    }

    /// What depends on the parameters of the booster.
    fn run_facts(&self) -> RunFacts<'_> {
        let plain =
            RunFacts { may_merge_rows: true, draws_rows: false, n_layers: None, costs: None };
        match self {
            Self::Softmax(settings) => RunFacts {
                may_merge_rows: settings.n_draws.is_none(),
                draws_rows: settings.n_draws.is_some(),
                costs: Some(settings),
                ..plain
            },
            Self::Martiboost(settings) => RunFacts {
                may_merge_rows: !settings.randomized,
                n_layers: Some(settings.n_layers),
                ..plain
            },
            Self::Bagging(_) | Self::Wagging(_) | Self::MultiBoost(_) => {
                RunFacts { may_merge_rows: false, draws_rows: true, ..plain }
            }
            Self::Discrete(_)
            | Self::ArcGv(_)
            | Self::Real(_)
            | Self::AdaboostR(_)
            | Self::Gentleboost(_)
            | Self::Regularized(_)
            | Self::Logitboost(_)
            | Self::Lpboost(_)
            | Self::Softboost(_)
            | Self::Erlpboost(_)
            | Self::Samme(_)
            | Self::M1(_)
            | Self::Mh(_)
            | Self::M2(_)
            | Self::Sfboost(_)
            | Self::ArcX4(_) => plain,
        }
    }

    /// Whether identical rows may be treated as one: not if rows are drawn one by one.
    #[must_use]
    pub fn may_merge_rows(&self) -> bool {
        self.run_facts().may_merge_rows
    }

    /// Whether it matters what rows hold, because they are drawn in that order.
    #[must_use]
    pub fn draws_rows(&self) -> bool {
        self.run_facts().draws_rows
    }

    /// Whether users can say how much they mistrust each row.
    #[must_use]
    pub fn takes_mistrust(&self) -> bool {
        matches!(self, Self::Regularized(_))
    }

    /// The number of layers of a booster whose rounds are layers.
    #[must_use]
    pub fn n_layers(&self) -> Option<usize> {
        self.run_facts().n_layers
    }

    /// What it costs to answer each class, by class, for a booster that minimises costs.
    #[must_use]
    pub fn cost_matrix(&self, n_classes: usize) -> Option<Vec<Vec<f64>>> {
        self.run_facts().costs.map(|settings| settings.cost_matrix(n_classes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::RoundsParameter;
    use super::*;

    #[test]
    fn the_list_of_all_boosters_names_those_of_the_registry() {
        let unknown = serde_json::from_str::<BoosterSettings>(r#"{"?": {}}"#).unwrap_err();
        let names: Vec<String> = BoosterSettings::all().map(|(name, _)| format!("`{name}`")).into();
        let listed = format!("expected one of {}", names.join(", "));
        assert!(unknown.to_string().contains(&listed), "{unknown}");
    }

    #[test]
    fn a_booster_states_the_capabilities_that_the_list_has_for_it() {
        for json in [
            r#"{"discrete": {"phi": 0.5}}"#,
            r#"{"softmax": {"cost": null, "n_draws": null, "step": "paper"}}"#,
            r#"{"sfboost": {"prune": false, "smoothing": null}}"#,
            r#"{"martiboost": {"n_layers": 3, "randomized": false}}"#,
        ] {
            let settings: BoosterSettings = serde_json::from_str(json).unwrap();
            let (_, listed) = BoosterSettings::all()
                .into_iter()
                .find(|(name, _)| json.contains(&format!("\"{name}\"")))
                .unwrap();
            assert_eq!(settings.capabilities(), listed, "{json}");
            let has_layers = listed.rounds == RoundsParameter::NLayers;
            assert_eq!(settings.n_layers().is_some(), has_layers);
            assert_eq!(settings.cost_matrix(3).is_some(), listed.costs);
        }
    }
}
