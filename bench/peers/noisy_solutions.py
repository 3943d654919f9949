"""What BoTorch needs to declare an input that holds, with replicates: noisy_solutions.py NODE [--problems a,b] [--seeds 1,2].

The model, the score and the design of composite.py with inferred noise. An evaluated input is declared by the rule of our own
optimizer: after three runs, when 90 percent of the posterior of its means give a fresh run a chance of at least 0.9. Until then the
most promising evaluated input is run again while its chance is at least 0.6, with a new input after every third repeat; else the
acquisition proposes a new one. A play ends at the budget, or after --cap seconds of processor time.
"""

import argparse
import json

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

import composite
from formulation import Formulation
from game import Game, Server

CONFIDENCE = 0.9
LEAST_RUNS = 3
PROMISING = 0.6
FRESH = 1000
FRESH_SEED = 1_000_000


class NoisyGame(Game):
    """One run that meets the targets ends nothing."""

    def stop(self, end):
        if end != "satisfied":
            super().stop(end)


def chances(model, Z, lower, upper):
    """Per row of Z the mean and the 10 percent quantile of the chance that a fresh run meets all targets."""
    with torch.no_grad():
        posterior = model.posterior(Z)
        noise = (model.posterior(Z, observation_noise=True).variance - posterior.variance).clamp(min=1e-12)
        normals = torch.randn(512, *posterior.mean.shape, generator=torch.Generator().manual_seed(1))
        theta = posterior.mean + posterior.variance.sqrt() * normals
        sd = noise.sqrt()
        cdf = torch.distributions.Normal(0.0, 1.0).cdf
        p = (cdf((upper - theta) / sd) - cdf((lower - theta) / sd)).prod(-1)
    return p.mean(0).numpy(), p.quantile(0.1, dim=0).numpy()


def play(server, name, seed, cap):
    game = NoisyGame(server, name, seed, cap)
    torch.manual_seed(seed)
    encoding = composite.Encoding(game)
    formulation = Formulation(game)
    sobol = torch.quasirandom.SobolEngine(encoding.width, scramble=True, seed=seed)
    declared = None
    try:
        formulation.residuals(game.start)
        for z in sobol.draw(min(game.n + 1, game.m + 2)).numpy():
            formulation.residuals(encoding.decode(z))
        lower, upper = torch.as_tensor(game.lower), torch.as_tensor(game.upper)
        score = composite.residual_score(formulation, lower, upper)
        repeats = 0
        while True:
            game.check()
            Z = torch.as_tensor(np.array([encoding.encode(u) for u in game.inputs]))
            Y = torch.as_tensor(np.array(game.outputs))
            model = SingleTaskGP(Z, Y, outcome_transform=Standardize(m=Y.shape[-1]))
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            distinct = torch.unique(Z, dim=0)
            runs = np.array([int((Z == z).all(-1).sum()) for z in distinct])
            chance, low = chances(model, distinct, lower, upper)
            ready = np.where((runs >= LEAST_RUNS) & (low >= CONFIDENCE))[0]
            if len(ready) > 0:
                declared = game.to_input(encoding.decode(distinct[ready[np.argmax(low[ready])]].numpy()))
                break
            best = int(np.argmax(chance))
            if chance[best] >= PROMISING and repeats < 3:
                repeats += 1
                game.evaluate(encoding.decode(distinct[best].numpy()))
                continue
            repeats = 0
            with torch.no_grad():
                incumbent = score(model.posterior(distinct).mean).max()
            acquisition = qLogExpectedImprovement(
                model=model,
                best_f=incumbent,
                sampler=SobolQMCNormalSampler(sample_shape=torch.Size([128]), seed=seed + game.count),
                objective=GenericMCObjective(score),
            )
            bounds = torch.stack([torch.zeros(Z.shape[-1]), torch.ones(Z.shape[-1])])
            z, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=4, raw_samples=64)
            game.evaluate(encoding.decode(z[0].detach().numpy()))
    except Exception as error:
        end = game.end or f"{type(error).__name__}: {error}"[:120]
        return {"problem": name, "seed": seed, "runs": game.count, "end": end}
    hits = [
        server.ask(op="evaluate", problem=name, x=[float(v) for v in declared], seed=FRESH_SEED, index=k)["satisfied"]
        for k in range(FRESH)
    ]
    return {"problem": name, "seed": seed, "runs": game.count, "end": "declared", "share": sum(hits) / FRESH}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("node")
    parser.add_argument("--problems", default="store,epidemic,arm-on-a-rig,batch-reactor,eight-valves,welded-beam-tested")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--cap", type=float, default=120)
    options = parser.parse_args()
    server = Server(options.node)
    for name in options.problems.split(","):
        for seed in options.seeds.split(","):
            print(json.dumps(play(server, name, int(seed), options.cap)), flush=True)


main()
