"""Turns a play into a least-squares problem or into one number.

Residual j is in units of its own scale:
- two-sided interval (exact, percent, value): (y - middle) / half width, smooth; for exact the half width is the
  threshold of the L1 norm over m, so that all residuals keep one common unit.
- one-sided (limits, minimize, maximize): max(0, y - t) / s, s = distance of the start's output from t (1 if that is 0).
  The limit is moved inward by MARGIN s, because a least-squares solver approaches the edge only from outside.
A failed run has residuals somewhat worse than the worst seen.
"""

import numpy as np

# Measured with DFO-LS over all problems, one seed: 1e-4 35.5 runs, 1e-3 34.7, 1e-2 33.1, 3e-2 33.3.
MARGIN = 1e-2


class Formulation:
    def __init__(self, game, margin=MARGIN):
        self.game = game
        self.margin = margin
        self.scale = None
        self._worst = None

    def fix_scale(self, output):
        """Called once with the start's output."""
        lower, upper = self.game.lower, self.game.upper
        reference = np.zeros(self.game.m) if output is None else output
        two_sided = np.isfinite(lower) & np.isfinite(upper)
        limit = np.where(np.isfinite(upper), upper, lower)
        distance = np.abs(reference - limit)
        with np.errstate(invalid="ignore"):
            half = (upper - lower) / 2
        self.scale = np.where(two_sided, half, np.where(distance > 0, distance, 1.0))
        self.scale = np.where(self.scale > 0, self.scale, 1.0)
        self.two_sided = two_sided

    def residuals_of(self, outputs):
        """Rows of outputs to rows of residuals."""
        lower, upper = self.game.lower, self.game.upper
        middle = np.where(self.two_sided, (np.where(self.two_sided, lower, 0) + np.where(self.two_sided, upper, 0)) / 2, 0)
        above = np.where(np.isfinite(upper), (outputs - upper) / self.scale + self.margin, -np.inf)
        below = np.where(np.isfinite(lower), (lower - outputs) / self.scale + self.margin, -np.inf)
        one_sided = np.maximum(0.0, np.maximum(above, below))
        return np.where(self.two_sided, (outputs - middle) / self.scale, one_sided)

    def residuals(self, u):
        """Evaluates one point of the unit box."""
        return self.judge(self.game.evaluate(u))

    def judge(self, output):
        if self.scale is None:
            self.fix_scale(output)
        if output is None:
            worst = np.ones(self.game.m) if self._worst is None else self._worst
            return 1.5 * worst
        residuals = np.clip(self.residuals_of(output), -1e8, 1e8)
        if self._worst is None or np.sum(residuals**2) > np.sum(self._worst**2):
            self._worst = residuals
        return residuals

    def sum_of_squares(self, u):
        """Sum of squared residuals at a point of the unit box."""
        return float(np.sum(self.residuals(u) ** 2))


class Value:
    """The value of the only output, where smaller is better: nothing of it is hidden behind a limit."""

    def __init__(self, game):
        self.game = game
        self._worst = 0.0

    def sum_of_squares(self, u):
        """Evaluates one point of the unit box; a failed run is as bad as the worst."""
        output = self.game.evaluate(u)
        if output is not None:
            self._worst = max(self._worst, output[0])
        return self._worst if output is None else float(output[0])
