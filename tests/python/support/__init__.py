"""What tests share: the registered boosters and learners, small problems, comparisons of models."""
