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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def is_left_out(item: pytest.Item) -> bool:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        kind = getattr(parameters.get("booster"), "_kind", None)
        name = getattr(item, "originalname", item.name)
        return any(name in tests and kind in kinds for tests, kinds, _ in LEFT_OUT)

    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_left_out(item)]
