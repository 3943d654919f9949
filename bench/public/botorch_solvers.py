"""
BoTorch with the acquisition functions that its authors recommend for limits and for fronts, after a Sobol design of 2 (n + 1) runs with the
start. One SingleTaskGP per output with its own priors on the unit box, 10 restarts from 512 raw points as in its tutorials, whole inputs
relaxed and rounded. An answer of SENTINEL or more is no value of its output: standardized with it, all others would look alike. What is
missing counts as the worst value that its output has had; left out, it would not keep the search away.
"""

import numpy as np
from game import FEASIBLE

SENTINEL = 1e19
RESTARTS = {"num_restarts": 10, "raw_samples": 512}


class Asked:
    """The runs of a play in the unit box, and the models of their outputs."""

    def __init__(self, game):
        import torch

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.double)
        torch.manual_seed(game.seed)
        self.game = game
        self.inputs, self.outputs = [], []
        self._sobol = torch.quasirandom.SobolEngine(game.problem.n, scramble=True, seed=game.seed)

    def run(self, u):
        problem = self.game.problem
        width = problem.upper - problem.lower
        x = problem.input_of(problem.lower + np.asarray(u) * width)
        outputs = self.game.run(x)
        self.inputs.append((x - problem.lower) / width)
        self.outputs.append(np.full(problem.outputs, np.nan) if outputs is None else np.where(np.abs(outputs) < SENTINEL, outputs, np.nan))

    def run_design(self):
        problem = self.game.problem
        self.run((problem.start - problem.lower) / (problem.upper - problem.lower))
        for _ in range(2 * problem.n + 1):
            self.run_random()

    def run_random(self):
        self.run(self._sobol.draw(1).numpy()[0])

    def models(self):
        """One per output, and the inputs and outputs of all runs."""
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from botorch.models.transforms.outcome import Standardize
        from gpytorch.mlls import SumMarginalLogLikelihood

        known = np.array(self.outputs)
        inputs = torch.tensor(np.array(self.inputs))
        outputs = torch.tensor(np.where(np.isnan(known), np.nanmax(known, axis=0), known))
        model = ModelListGP(*(SingleTaskGP(inputs, y[:, None], outcome_transform=Standardize(m=1)) for y in outputs.T.contiguous()))
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model, inputs, outputs


def maximize(acquisition, n):
    import torch
    from botorch.optim import optimize_acqf

    bounds = torch.stack([torch.zeros(n), torch.ones(n)])
    return optimize_acqf(acquisition, bounds=bounds, q=1, **RESTARTS)[0][0].detach().numpy()


def play_suggested(game, acquisition_of):
    """A fit that fails numerically, or an output without a value, costs a point of the design and not the play."""
    asked = Asked(game)
    asked.run_design()
    while True:
        try:
            u = maximize(acquisition_of(*asked.models()), game.problem.n)
        except Exception:
            asked.run_random()
        else:
            asked.run(u)


def play_logcei(game):
    """
    Log constrained expected improvement in closed form (Ament et al. 2023), exact for one run at a time without noise. The sampled form
    takes ten times as long. Until a run keeps all limits, the log of the probability that it does.
    """
    limits = {j: (None, 0.0) for j in range(game.problem.objectives, game.problem.outputs)}

    def acquisition_of(model, _, outputs):
        from botorch.acquisition.analytic import (
            LogConstrainedExpectedImprovement,
            LogExpectedImprovement,
            LogProbabilityOfFeasibility,
        )

        if not limits:
            return LogExpectedImprovement(model, outputs.min(), maximize=False)
        feasible = outputs[(outputs[:, list(limits)] <= FEASIBLE).all(1), 0]
        if len(feasible) == 0:
            return LogProbabilityOfFeasibility(model, limits)
        return LogConstrainedExpectedImprovement(model, feasible.min(), 0, limits, maximize=False)

    play_suggested(game, acquisition_of)


def play_qlognehvi(game):
    """Log noisy expected hypervolume improvement, with the reference point that BoTorch infers from the runs. Fronts have no limits."""

    def acquisition_of(model, inputs, outputs):
        import torch
        from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
        from botorch.acquisition.multi_objective.objective import WeightedMCMultiOutputObjective
        from botorch.utils.multi_objective.hypervolume import infer_reference_point
        from botorch.utils.multi_objective.pareto import is_non_dominated

        values = -outputs
        objective = WeightedMCMultiOutputObjective(-torch.ones(game.problem.objectives))
        return qLogNoisyExpectedHypervolumeImprovement(
            model,
            infer_reference_point(values[is_non_dominated(values)]),
            inputs,
            objective=objective,
            prune_baseline=True,
        )

    play_suggested(game, acquisition_of)
