"""
BoTorch with the acquisition functions that its authors recommend for limits and for fronts, after a Sobol design of 2 (n + 1) runs with the
start. One SingleTaskGP per output with its own priors on the unit box, 10 restarts from 512 raw points as in its tutorials, whole inputs
relaxed and rounded. An answer of SENTINEL or more is no value of its output: standardized with it, all others would look alike.
"""

import numpy as np

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
        """One per output, of the runs in which it has a value, and the inputs of the runs in which all have."""
        import torch
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import ModelListGP, SingleTaskGP
        from botorch.models.transforms.outcome import Standardize
        from gpytorch.mlls import SumMarginalLogLikelihood

        inputs, outputs = torch.tensor(np.array(self.inputs)), torch.tensor(np.array(self.outputs))
        known = torch.isfinite(outputs)
        columns = [(inputs[known[:, j]], outputs[known[:, j], j : j + 1]) for j in range(outputs.shape[1])]
        model = ModelListGP(*(SingleTaskGP(u, y, outcome_transform=Standardize(m=1)) for u, y in columns))
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        whole = known.all(1)
        return model, inputs[whole], outputs[whole]


def maximize(acquisition, n):
    import torch
    from botorch.optim import optimize_acqf

    bounds = torch.stack([torch.zeros(n), torch.ones(n)])
    return optimize_acqf(acquisition, bounds=bounds, q=1, **RESTARTS)[0][0].detach().numpy()


def play_suggested(game, acquisition_of):
    """A fit that fails numerically, or an output with too few values, costs a point of the design and not the play."""
    asked = Asked(game)
    asked.run_design()
    while True:
        try:
            u = maximize(acquisition_of(*asked.models()), game.problem.n)
        except Exception:
            asked.run_random()
        else:
            asked.run(u)


def limits_of(problem):
    """Outcome constraints, negative where they are kept."""
    return [lambda samples, j=j: samples[..., j] for j in range(problem.objectives, problem.outputs)] or None


def play_qlognei(game):
    """Log noisy expected improvement, weighted by the probability that the limits are kept."""

    def acquisition_of(model, inputs, _):
        from botorch.acquisition.logei import qLogNoisyExpectedImprovement
        from botorch.acquisition.objective import GenericMCObjective

        objective = GenericMCObjective(lambda samples, X=None: -samples[..., 0])
        return qLogNoisyExpectedImprovement(model, inputs, objective=objective, constraints=limits_of(game.problem))

    play_suggested(game, acquisition_of)


def play_qlognehvi(game):
    """Log noisy expected hypervolume improvement, with the reference point that BoTorch infers from the runs."""

    def acquisition_of(model, inputs, outputs):
        import torch
        from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
        from botorch.acquisition.multi_objective.objective import WeightedMCMultiOutputObjective
        from botorch.utils.multi_objective.hypervolume import infer_reference_point
        from botorch.utils.multi_objective.pareto import is_non_dominated

        d = game.problem.objectives
        values = -outputs[:, :d]
        objective = WeightedMCMultiOutputObjective(-torch.ones(d), outcomes=list(range(d)), num_outcomes=game.problem.outputs)
        return qLogNoisyExpectedHypervolumeImprovement(
            model,
            infer_reference_point(values[is_non_dominated(values)]),
            inputs,
            objective=objective,
            constraints=limits_of(game.problem),
            prune_baseline=True,
        )

    play_suggested(game, acquisition_of)
