"""BoTorch's qLogNEHVI as a process: hypervolume.py. First line out: {"version"}; then one request and one answer per line.

Request {"inputs", "outputs", "signs", "upper", "reference", "seed"}: rows of the unit box, rows of outputs (null for a failed run),
per output +1 to maximize, -1 to minimize, 0 for neither; per output its upper limit or null (outputs with a lower limit come
negated); the reference point, larger being better. Answer {"input"}: the next row of the unit box.

One Gaussian process per output as in composite.py; the limits enter as outcome constraints, which weight the improvement by the
probability that they hold. 128 samples, 4 restarts from 64 raw points.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json
import sys
import warnings
from importlib.metadata import version

import torch
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.acquisition.multi_objective.objective import WeightedMCMultiOutputObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
warnings.filterwarnings("ignore")

# Share of the variance of an output: these have no noise, and with an inferred one the ends of a front stay blurred.
NOISE = 1e-6


def limit_of(column, upper):
    return lambda samples: samples[..., column] - upper


def suggest(request):
    torch.manual_seed(request["seed"])
    rows = [i for i, y in enumerate(request["outputs"]) if y is not None]
    Z = torch.tensor([request["inputs"][i] for i in rows])
    Y = torch.tensor([request["outputs"][i] for i in rows])
    variance = (NOISE * Y.var(0) + 1e-300).expand_as(Y)
    model = SingleTaskGP(Z, Y, train_Yvar=variance, outcome_transform=Standardize(m=Y.shape[-1]))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    directed = [j for j, sign in enumerate(request["signs"]) if sign != 0]
    limits = [limit_of(j, upper) for j, upper in enumerate(request["upper"]) if upper is not None]
    acquisition = qLogNoisyExpectedHypervolumeImprovement(
        model=model,
        ref_point=request["reference"],
        X_baseline=Z,
        sampler=SobolQMCNormalSampler(sample_shape=torch.Size([128]), seed=request["seed"]),
        objective=WeightedMCMultiOutputObjective(
            weights=torch.tensor([float(request["signs"][j]) for j in directed]), outcomes=directed
        ),
        constraints=limits or None,
        prune_baseline=True,
    )
    bounds = torch.stack([torch.zeros(Z.shape[-1]), torch.ones(Z.shape[-1])])
    candidate, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=4, raw_samples=64, sequential=False)
    return candidate[0].detach().tolist()


def main():
    print(json.dumps({"version": version("botorch")}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"input": suggest(request)}
        except Exception as error:
            # A fit that fails numerically costs a random point, not the play.
            answer = {"input": torch.rand(len(request["inputs"][0])).tolist(), "error": str(error)[:120]}
        print(json.dumps(answer), flush=True)


main()
