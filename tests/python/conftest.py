"""Facts of greedy boosters that boosters of another kind do not share.

Tests run over all registered boosters. What is listed here is left out, by test and by kind of
booster, with the reason; everything else holds for all of them. Boosters with soft margins have
tests of their own besides: test_regularized*, test_reweight*, test_soft_margin_boosters and
test_totally_corrective*.
"""

import pytest

from registry import LOOKING_BACK

CORRECTIVE = ("lpboost", "softboost", "erlpboost")

#: (tests, kinds, reason)
LEFT_OUT = [
    (
        ["test_row_weights_are_a_distribution_that_leaves_zero_weights_out"],
        CORRECTIVE,
        "rows beyond the margin have no weight either",
    ),
    (
        [
            "test_equal_start_weights_give_the_same_model_to_the_bit",
            "test_sample_weights_give_the_same_model_up_to_rounding",
            "test_class_weights_and_early_stopping_do_not_tell",
            "test_validation_scores_are_the_same_to_the_bit",
            "test_warm_starts_do_not_tell",
        ],
        ("regularized", *LOOKING_BACK),
        "merged rows are added up in another order, and programs are solved to their own accuracy",
    ),
    (
        [
            "test_integer_weights_equal_row_repetition",
            "test_shuffled_rows_give_the_same_model",
            "test_scaled_weights_give_the_same_model",
            "test_shuffled_columns_give_the_same_model_up_to_their_order",
            "test_swapped_classes_turn_the_scores_around",
        ],
        LOOKING_BACK,
        "of several optimal combinations the solver finds any, to its own accuracy",
    ),
    (
        ["test_integer_weights_equal_row_repetition"],
        ("regularized",),
        "influence is per row, so C would have to follow the number of rows",
    ),
    (
        ["test_parameters_come_back", "test_random_frames_are_learned_or_refused"],
        CORRECTIVE,
        "a learning rate other than 1 is refused",
    ),
    (
        ["test_ctrl_c_ends_a_long_fit_and_leaves_the_fitted_estimator_as_it_was"],
        CORRECTIVE,
        "the optimum is proved long before the run is interrupted",
    ),
    (
        [
            "test_a_printed_rule_selects_the_rows_on_which_it_fired",
            "test_scores_are_weighted_sums_of_the_classifiers_answers",
            "test_pipeline_of_polars_frames",
            "test_grid_search_reaches_the_learners_parameters",
            "test_cross_validation_on_a_polars_frame_equals_folds_made_by_hand",
        ],
        CORRECTIVE,
        "the optimum needs few hypotheses or has a lower score than those tests ask for",
    ),
]

#: Boosters whose hypotheses form a grid.
GRIDS = ("martiboost",)

LEFT_OUT += [
    (
        [
            "test_importances_are_shares_of_absolute_weight_by_column",
            "test_margins_are_signed_scores_normalised_or_squashed",
            "test_scores_are_weighted_sums_of_the_classifiers_answers",
            "test_folded_scores_equal_the_sum_of_the_rounds_on_training_rows",
            "test_folded_scores_equal_the_sum_of_the_rounds_on_new_and_unseen_values",
            "test_every_stage_equals_the_sum_of_its_rounds",
            "test_swapped_classes_turn_the_scores_around",
        ],
        GRIDS,
        "hypotheses show the way and are not summed; test_martiboost* says what scores are instead",
    ),
    (
        ["test_callbacks_see_the_numbers_of_every_round"],
        GRIDS,
        "a round has a hypothesis for each node, and callbacks see the means",
    ),
    (
        [
            "test_run_without_any_edge_ends_with_no_rounds_and_still_predicts",
            "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
            "test_error_of_a_perfect_vote_is_not_minus_zero",
        ],
        GRIDS,
        "every layer is wanted, whatever the edges of its nodes are",
    ),
    (
        ["test_shuffled_columns_give_the_same_model_up_to_their_order"],
        GRIDS,
        "few rows reach some nodes, where several columns are as good and the first one is taken",
    ),
    (
        ["test_class_weight_multiplies_the_sample_weights"],
        GRIDS,
        "every node weighs both classes the same, so class weights change nothing but row weights",
    ),
    (
        ["test_parameters_come_back", "test_learning_rate_scales_alpha_before_the_update"],
        GRIDS,
        "a learning rate other than 1 is refused",
    ),
]


def _parts(parameter: object) -> tuple[object, ...]:
    return parameter if isinstance(parameter, tuple) else (parameter,)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def is_left_out(item: pytest.Item) -> bool:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        # Fixtures may take a booster together with its learner.
        found = [part for each in parameters.values() for part in _parts(each)]
        kinds_of_item = {getattr(part, "_kind", None) for part in found} - {None}
        name = getattr(item, "originalname", item.name)
        return any(name in tests and kinds_of_item & {*kinds} for tests, kinds, _ in LEFT_OUT)

    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_left_out(item)]
