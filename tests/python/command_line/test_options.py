"""Every parameter of every registered booster and learner is an option, with the same default."""

import argparse
from dataclasses import fields

import pytest

import weakforce
from weakforce._estimator.base import estimators
from weakforce.command_line import options
from weakforce.command_line.class_options import parameters_of
from weakforce.command_line.failures import UsageError

ELSEWHERE = {"estimator", "categorical_features", "callbacks", "verbose", "warm_start"}


def parsed(*arguments, default="discrete"):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    options.add_estimator(parser, default, default)
    return parser.parse_args(arguments)


def made(*arguments, **named):
    return options.estimator_from(parsed(*arguments, **named))


@pytest.mark.slow
@pytest.mark.parametrize("booster", estimators())
def test_every_booster_and_each_of_its_parameters_has_an_option(booster):
    model = made("--booster", options.kind_of(booster))
    assert type(model) is booster
    assert repr(model.get_params()) == repr(booster().get_params())
    known = {parameter.name: parameter for parameter in options.parameters()[::-1]}
    for name in parameters_of(booster):
        if name not in ELSEWHERE:
            assert options.kind_of(booster) in known[name].owners


def test_the_default_takes_its_own_parameters():
    model = made(
        *("--n-estimators", "40", "--time-limit", "1.5", "--calibrate", "clean"),
        *("--noise-rate", "0.1", "--max-features", "0.5", "--n-trees", "10", "--subsample", "0.8"),
        default=options.DEFAULT,
    )
    assert type(model) is weakforce.WeakForceClassifier
    assert (model.n_estimators, model.time_limit, model.calibrate) == (40, 1.5, "clean")
    assert (model.noise_rate, model.max_features, model.n_trees) == (0.1, 0.5, 10)
    assert model.subsample == 0.8


def test_columns_tried_by_trees_are_told_apart_from_those_of_the_default():
    model = made("--learner", "tree", "--learner-max-features", "sqrt")
    assert model.estimator.max_features == "sqrt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--learner", "rule"), "'weakforce' has trees of its own: say --booster with one of disc"),
        (("--nu", "0.3"), "'weakforce' has no such parameter, only lpboost, softboost, erlpboost"),
        (("--early-stopping",), "'weakforce' has no such parameter, only discrete"),
    ],
)
def test_what_the_default_does_not_have_is_refused_by_name(arguments, message):
    with pytest.raises(UsageError, match=message):
        made(*arguments, default=options.DEFAULT)


@pytest.mark.parametrize("learner", weakforce.weak_learners())
def test_every_learner_and_each_of_its_parameters_has_an_option(learner):
    model = made("--learner", learner._kind)
    assert repr(model.estimator) == repr(learner())
    of_learners = [each for each in options.parameters() if each.of_learner]
    known = {parameter.name: parameter for parameter in of_learners}
    for field in fields(learner):
        assert options.kind_of(learner) in known[field.name].owners


def test_values_have_the_types_of_their_parameters():
    model = made(
        *("--n-estimators", "7", "--learning-rate", "0.25", "--early-stopping"),
        *("--class-weight", '{"yes": 2}', "--random-state", "3", "--multi-class", "ovo"),
        *("--learner", "tree", "--max-depth", "none", "--learner-smoothing", "0.1"),
    )
    assert (model.n_estimators, model.learning_rate, model.early_stopping) == (7, 0.25, True)
    assert (model.class_weight, model.random_state) == ({"yes": 2}, 3)
    assert model.multi_class == "ovo"
    assert (model.estimator.max_depth, model.estimator.smoothing) == (None, 0.1)


def test_a_name_that_both_have_is_told_apart_by_a_prefix():
    model = made("--booster", "sfboost", "--smoothing", "0.2", "--learner", "stump",
                 "--learner-smoothing", "0.1")  # fmt: skip
    assert (model.smoothing, model.estimator.smoothing) == (0.2, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--nu", "0.3"), "'discrete' has no such parameter, only lpboost, softboost, erlpboost"),
        (("--max-literals", "3"), "say --learner with one of rule"),
        (("--learner", "stump", "--max-literals", "3"), "'stump' has no such parameter, only rule"),
        (("--smoothing", "0.1"), "only sfboost; for the weak learner say --learner-smoothing"),
        (("--booster", "sfbost"), "got 'sfbost', expected one of weakforce, discrete"),
        (("--learner", "twig"), "got 'twig', expected one of stump, rule, tree, rbf-net"),
    ],
)
def test_a_parameter_of_another_booster_or_learner_is_refused_by_name(arguments, message):
    with pytest.raises(UsageError, match=message):
        made(*arguments)


def test_help_says_what_a_parameter_does_what_its_default_is_and_whose_it_is():
    parser = argparse.ArgumentParser()
    options.add_estimator(parser, "discrete", "discrete")
    text = " ".join(parser.format_help().split())
    assert "the largest number of rounds; for weakforce: the most boosted rounds" in text
    assert "(default: 100; auto for weakforce) [all but martiboost]" in text
    assert "the most literals of a rule, at least 1 (default: 2) [rule]" in text
    assert "see the documentation" not in text
