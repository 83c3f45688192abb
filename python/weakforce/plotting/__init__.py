"""Pictures of fitted models, in scikit-learn's Display convention (extra `plot`: matplotlib).

In: fitted boosters. Out: displays that hold the numbers and draw them: `margin` margin curves,
`learning` what happened round by round, `shape` what each column adds, `contribution` Shapley
values, `probability` calibration, ROC and precision–recall curves, `bucket` SFBoost's buckets.
`canvas` holds the colours and axes that they share. Matplotlib is imported when something is drawn.
"""

from .bucket import BucketDisplay
from .contribution import ContributionDisplay
from .learning import LearningDisplay
from .margin import MarginDisplay
from .probability import ProbabilityDisplay
from .shape import ShapeDisplay

__all__ = [
    "BucketDisplay",
    "ContributionDisplay",
    "LearningDisplay",
    "MarginDisplay",
    "ProbabilityDisplay",
    "ShapeDisplay",
]
