"""What some boosters do not share with the others.

Tests run over all registered boosters. What is listed here is left out, by test and by kind of
booster, with the reason; everything else holds for all of them. Boosters with soft margins have
tests of their own besides: boosters/test_regularized*, boosters/test_soft_margin,
boosters/test_totally_corrective* and reweighting/. An entry that leaves out nothing fails the run.
"""

from support.deselection import Entry
from support.registry import (
    COMMITTEES,
    CORRECTIVE,
    COUNTING,
    DRAWN_ANEW,
    EQUAL_VOTES,
    FORGIVING,
    GENTLE,
    GRIDS,
    OWN_STEPS,
)

LEFT_OUT: list[Entry] = [
    (
        "test_row_weights_are_a_distribution_that_leaves_zero_weights_out",
        CORRECTIVE,
        "rows beyond the margin have no weight either",
    ),
    (
        "test_integer_weights_equal_row_repetition",
        FORGIVING,
        "influence is per row, so C would have to follow the number of rows",
    ),
    (
        "test_shuffled_columns_give_the_same_model_up_to_their_order",
        ("erlpboost",),
        "row weights are those of a program, to its own accuracy: of two rules either can be best",
    ),
    (
        "test_shuffled_columns_give_the_same_model_up_to_their_order",
        COUNTING,
        "ties are drawn by the number of the column",
    ),
    (
        "test_validation_scores_are_the_same_to_the_bit",
        ("qp_adaboost",),
        "weights are those of a program, to its own accuracy: a score of zero falls to either side",
    ),
]

LEFT_OUT += [
    (
        test,
        COUNTING,
        "scores are looked up by bucket, not summed; boosters/test_sfboost says what they are",
    )
    for test in (
        "test_margins_are_signed_scores_normalised_or_squashed",
        "test_folded_scores_equal_the_sum_of_the_rounds_on_training_rows",
        "test_folded_scores_equal_the_sum_of_the_rounds_on_new_and_unseen_values",
        "test_every_stage_equals_the_sum_of_its_rounds",
        "test_rules_add_up_to_the_scores_merged_or_not",
        "test_a_printed_rule_selects_the_rows_on_which_it_fired",
        "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
    )
]
LEFT_OUT += [
    (test, COUNTING, "nets and classifiers of the caller's are refused: they see no buckets")
    for test in (
        "test_auto_answers_are_votes_where_votes_are_needed",
        "test_scores_are_weighted_sums_of_the_classifiers_answers",
        "test_a_model_of_classifiers_comes_back_as_it_was",
    )
]
LEFT_OUT += [
    (
        "test_run_without_any_edge_ends_with_no_rounds_and_still_predicts",
        COUNTING,
        "two tests without an edge make buckets that tell everything",
    ),
    (
        "test_cross_validation_on_a_polars_frame_equals_folds_made_by_hand",
        COUNTING,
        "a dozen buckets do not order rows as finely as that test asks for",
    ),
    (
        "test_importances_are_shares_of_absolute_weight_by_column",
        COUNTING,
        "they are falls of the loss; boosters/test_sfboost_importances says what counts",
    ),
    (
        "test_learning_rate_scales_alpha_before_the_update",
        COUNTING,
        "a learning rate other than 1 is refused",
    ),
]

LEFT_OUT += [
    (
        test,
        GRIDS,
        "hypotheses show the way and are not summed; boosters/test_martiboost says what counts",
    )
    for test in (
        "test_importances_are_shares_of_absolute_weight_by_column",
        "test_margins_are_signed_scores_normalised_or_squashed",
        "test_folded_scores_equal_the_sum_of_the_rounds_on_training_rows",
        "test_folded_scores_equal_the_sum_of_the_rounds_on_new_and_unseen_values",
        "test_every_stage_equals_the_sum_of_its_rounds",
        "test_swapped_classes_turn_the_scores_around",
    )
]
LEFT_OUT += [
    (test, GRIDS, "every layer is wanted, whatever the edges of its nodes are")
    for test in (
        "test_run_without_any_edge_ends_with_no_rounds_and_still_predicts",
        "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
        "test_error_of_a_perfect_vote_is_not_minus_zero",
    )
]
LEFT_OUT += [
    (
        "test_callbacks_see_the_numbers_of_every_round",
        GRIDS,
        "a round has a hypothesis for each node, and callbacks see the means",
    ),
    (
        "test_shuffled_columns_give_the_same_model_up_to_their_order",
        GRIDS,
        "few rows reach some nodes, where several columns are as good and the first one is taken",
    ),
    (
        "test_learning_rate_scales_alpha_before_the_update",
        GRIDS,
        "a learning rate other than 1 is refused",
    ),
]

LEFT_OUT += [
    (test, OWN_STEPS, "steps are no votes, and no run ends because all rows are right")
    for test in (
        "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
        "test_error_of_a_perfect_vote_is_not_minus_zero",
    )
]
LEFT_OUT += [
    (test, OWN_STEPS, "nets and classifiers of the caller's are refused: they make no Newton steps")
    for test in (
        "test_auto_answers_are_votes_where_votes_are_needed",
        "test_scores_are_weighted_sums_of_the_classifiers_answers",
        "test_a_model_of_classifiers_comes_back_as_it_was",
    )
]
LEFT_OUT += [
    (
        "test_run_without_any_edge_ends_with_no_rounds_and_still_predicts",
        OWN_STEPS,
        "the first round is kept, which brings the shares of the classes",
    ),
    (
        "test_learning_rate_scales_alpha_before_the_update",
        OWN_STEPS,
        "the shares of the classes, in the first answers, are not shrunk",
    ),
]

LEFT_OUT += [
    (test, COMMITTEES, "committees are as large as asked for, whatever their votes are worth")
    for test in (
        "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
        "test_run_without_any_edge_ends_with_no_rounds_and_still_predicts",
    )
]
LEFT_OUT += [
    (
        "test_probabilities_are_the_logistic_function_of_twice_the_score",
        COMMITTEES,
        "probabilities are shares of votes; boosters/test_committees says which",
    ),
    (
        "test_learning_rate_scales_alpha_before_the_update",
        EQUAL_VOTES,
        "a learning rate other than 1 is refused",
    ),
    (
        "test_the_weight_fired_is_that_of_the_round",
        DRAWN_ANEW,
        "rules fire under weights that are drawn for them and not kept",
    ),
]
LEFT_OUT += [
    (test, ("bagging",), "rules count rows as often as these were drawn")
    for test in (
        "test_every_printed_rule_parsed_back_selects_the_rows_it_fired_on",
        "test_a_printed_rule_selects_the_rows_on_which_it_fired",
    )
]
LEFT_OUT += [
    (
        "test_perfect_vote_is_kept_with_a_finite_weight_and_ends_the_run",
        GENTLE,
        "steps are no longer than 1, and no run ends because all rows are right",
    ),
    (
        "test_scores_are_weighted_sums_of_the_classifiers_answers",
        GENTLE,
        "votes of bad classifiers are steps too long; boosters/test_gentleboost has good ones",
    ),
]
