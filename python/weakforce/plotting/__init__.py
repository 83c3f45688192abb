"""Pictures of fitted models, in scikit-learn's Display convention (extra `plot`: matplotlib).

In: fitted boosters. Out: displays that hold the numbers and draw them: `margin` margin curves,
`learning` what happened round by round, `shape` what each column adds, `bucket` SFBoost's buckets.
`canvas` holds the colours and axes that they share. Matplotlib is imported when something is drawn.
"""

from .bucket import BucketDisplay
from .learning import LearningDisplay
from .margin import MarginDisplay
from .shape import ShapeDisplay

__all__ = ["BucketDisplay", "LearningDisplay", "MarginDisplay", "ShapeDisplay"]
