"""BoTorch with a composite objective: one Gaussian process per output, log expected improvement of minus the sum of
squared residuals (Astudillo, Frazier 2019), after a Sobol design of min(n + 1, m + 2) points.

Inputs are the unit box; categories of more than two levels as one-hot columns, discrete inputs relaxed and rounded.
Defaults of BoTorch otherwise: SingleTaskGP with its standard priors, 128 samples, 4 restarts from 64 raw points.
"""

import warnings

import numpy as np
import torch
from botorch.acquisition.logei import qLogExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

from formulation import Formulation

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
warnings.filterwarnings("ignore")


# Share of the variance of an output.
NOISE = 1e-6


class Encoding:
    """Unit-box points (one coordinate per input) to features and back."""

    def __init__(self, game):
        self.blocks = []
        column = 0
        for i, variable in enumerate(game.variables):
            levels = int(variable["maximum"] - variable["minimum"]) + 1 if variable["kind"] == "category" else 0
            width = levels if levels > 2 else 1
            self.blocks.append((i, column, width))
            column += width
        self.width = column

    def encode(self, u):
        z = np.zeros(self.width)
        for i, column, width in self.blocks:
            if width == 1:
                z[column] = u[i]
            else:
                z[column + int(round(u[i] * (width - 1)))] = 1.0
        return z

    def decode(self, z):
        u = np.zeros(len(self.blocks))
        for i, column, width in self.blocks:
            u[i] = z[column] if width == 1 else np.argmax(z[column : column + width]) / (width - 1)
        return u


def residual_score(formulation, lower, upper):
    """Minus the sum of squared residuals of samples (... x q x m), in torch."""
    two_sided = torch.as_tensor(formulation.two_sided)
    scale = torch.as_tensor(formulation.scale)
    middle = torch.where(two_sided, (lower + upper) / 2, torch.zeros_like(scale)).nan_to_num(0.0)
    top = upper.clamp(max=1e300)
    bottom = lower.clamp(min=-1e300)

    def score(samples, X=None):
        above = (samples - top) / scale + formulation.margin
        below = (bottom - samples) / scale + formulation.margin
        one_sided = torch.maximum(above, below).clamp(min=0)
        residuals = torch.where(two_sided, (samples - middle) / scale, one_sided)
        return -(residuals**2).sum(-1)

    return score


def suggest(Z, Y, score, seed, noisy=False, q=1):
    """The next feature vector, or q rows of them to evaluate together, from N x p features and N x m outputs.

    Outputs without noise get a fixed tiny variance: with the inferred one the last digits are never reached.
    """
    variance = None if noisy else (NOISE * Y.var(0) + 1e-300).expand_as(Y)
    model = SingleTaskGP(Z, Y, train_Yvar=variance, outcome_transform=Standardize(m=Y.shape[-1]))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    objective = GenericMCObjective(score)
    acquisition = qLogExpectedImprovement(
        model=model,
        best_f=score(Y).max(),
        sampler=SobolQMCNormalSampler(sample_shape=torch.Size([128]), seed=seed),
        objective=objective,
    )
    bounds = torch.stack([torch.zeros(Z.shape[-1]), torch.ones(Z.shape[-1])])
    candidate, _ = optimize_acqf(acquisition, bounds=bounds, q=q, num_restarts=4, raw_samples=64, sequential=q > 1)
    return (candidate[0] if q == 1 else candidate).detach().numpy()


def play_botorch(game):
    torch.manual_seed(game.seed)
    encoding = Encoding(game)
    formulation = Formulation(game)
    formulation.residuals(game.start)
    sobol = torch.quasirandom.SobolEngine(encoding.width, scramble=True, seed=game.seed)
    for z in sobol.draw(min(game.n + 1, game.m + 2)).numpy():
        formulation.residuals(encoding.decode(z))
    score = residual_score(formulation, torch.as_tensor(game.lower), torch.as_tensor(game.upper))
    while True:
        game.check()
        rows = [i for i, output in enumerate(game.outputs) if output is not None]
        Z = torch.as_tensor(np.array([encoding.encode(game.inputs[i]) for i in rows]))
        Y = torch.as_tensor(np.array([game.outputs[i] for i in rows]))
        try:
            z = suggest(Z, Y, score, game.seed + game.count, game.noisy)
        except Exception:
            # A fit that fails numerically costs a random point, not the play.
            z = sobol.draw(1).numpy()[0]
        formulation.residuals(encoding.decode(z))
