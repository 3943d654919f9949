"""Measures what a peer needs to declare an input that holds: noisy_solutions.py NODE [--peer botorch|ax] [--problems a,b] [--seeds 51].

Both are given what is known to help: outputs that are positive and vary by a factor of 20 are modelled by their logarithm, and the
search aims inside one-sided targets by the margin that a fresh run needs.

botorch  one Gaussian process per output with inferred noise, log noisy expected improvement of minus the sum of squared residuals
ax       its default strategy, one number (the root of that sum) with its mean and standard error per arm; the arms of the design have
         two runs each, so that the error is known

An evaluated input is declared by the rule of our own optimizer: after three runs, when 90 percent of what is believed about it
gives a fresh run a chance of at least 0.9. Believed is what its own runs say with a noise variance that pools all replicates (Student's
t), or what the processes say, whichever declares first. Until then the most promising input is run again while its chance is at least
0.6, with a new input after every third repeat. A play ends after 20 (n + 1) runs, or --cap seconds of processor time.
"""

import argparse
import json

import numpy as np
import torch
from botorch.acquisition.logei import qLogNoisyExpectedImprovement
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms.outcome import Standardize
from botorch.optim import optimize_acqf
from botorch.sampling.normal import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from scipy.special import ndtr
from scipy.stats import norm

import composite
from game import Game, Over, Server

CONFIDENCE = 0.9
LEAST_RUNS = 3
PROMISING = 0.6
REPEATS_IN_A_ROW = 3
DRAWS = 512
# Degrees of freedom that noise seen elsewhere is worth at most: ours has the same.
MOST_FREEDOM = 16
LOG_RANGE = 20
FRESH = 1000
FRESH_SEED = 1_000_000


class NoisyGame(Game):
    """One run that meets the targets ends nothing."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.budget = min(self.budget, 20 * (self.n + 1))

    def stop(self, end):
        if end != "satisfied":
            super().stop(end)


class Targets:
    """The outputs and their intervals in units in which they are modelled, and the distance to them."""

    def __init__(self, game):
        Y = np.array(game.outputs)
        positive = (Y > 0).all(0) & ~((game.lower <= 0) & np.isfinite(game.lower)) & ~(game.upper <= 0)
        self.is_log = positive & (Y.max(0) > LOG_RANGE * np.where(positive, Y.min(0), 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.lower = np.where(self.is_log & np.isfinite(game.lower), np.log(game.lower), game.lower)
            self.upper = np.where(self.is_log, np.log(game.upper), game.upper)
            self.two_sided = np.isfinite(self.lower) & np.isfinite(self.upper)
            self.middle = np.where(self.two_sided, (self.lower + self.upper) / 2, 0.0)
            distance = np.abs(self.of(Y)[0] - np.where(np.isfinite(self.upper), self.upper, self.lower))
            self.scale = np.where(self.two_sided, (self.upper - self.lower) / 2, np.where(distance > 0, distance, 1.0))
        m = game.m
        self.z = norm.ppf(((1 + CONFIDENCE) / 2) ** (1 / m))

    def of(self, Y):
        return np.where(self.is_log, np.log(np.where(self.is_log, np.maximum(Y, 1e-300), 1.0)), Y)

    def score(self, sd):
        """Minus the sum of squared residuals of outputs (... x m) with a noise of sd (m)."""
        two_sided = torch.as_tensor(self.two_sided)
        middle, scale = torch.as_tensor(self.middle), torch.as_tensor(self.scale)
        upper = torch.as_tensor(self.upper - self.z * sd).clamp(max=1e300)
        lower = torch.as_tensor(self.lower + self.z * sd).clamp(min=-1e300)

        def score(samples, X=None):
            outside = torch.maximum((samples - upper) / scale, (lower - samples) / scale).clamp(min=0)
            return -(torch.where(two_sided, (samples - middle) / scale, outside) ** 2).sum(-1)

        return score

    def chance(self, theta, sd):
        """That a fresh run meets all targets, per row of means (... x m) and standard deviations."""
        return (ndtr((self.upper - theta) / sd) - ndtr((self.lower - theta) / sd)).prod(-1)


class Runs:
    """The runs by input: what replicates alone say."""

    def __init__(self, game, targets):
        self.keys = {}
        for k, u in enumerate(game.inputs):
            self.keys.setdefault(tuple(u), []).append(k)
        Y = targets.of(np.array(game.outputs))
        self.groups = [Y[rows] for rows in self.keys.values()]
        self.points = [np.array(u) for u in self.keys]
        self.counts = np.array([len(group) for group in self.groups])
        self.freedom = int((self.counts - 1).sum())
        squares = sum((((group - group.mean(0)) ** 2).sum(0) for group in self.groups), np.zeros(game.m))
        self.variance = squares / self.freedom if self.freedom > 0 else None

    def chances(self, targets, random):
        """Per input the mean and the 10 percent quantile of the chance of a fresh run."""
        if self.variance is None:
            return np.zeros(len(self.groups)), np.zeros(len(self.groups))
        rows = []
        for group in self.groups:
            k = len(group)
            own = ((group - group.mean(0)) ** 2).sum(0)
            elsewhere = self.freedom - (k - 1)
            weight = min(MOST_FREEDOM, elsewhere)
            others = (self.variance * self.freedom - own) / max(1, elsewhere)
            freedom = weight + k - 1
            v = (weight * others + own + 1e-16) / random.chisquare(freedom, (DRAWS, group.shape[1]))
            theta = group.mean(0) + np.sqrt(v / k) * random.standard_normal(v.shape)
            p = targets.chance(theta, np.sqrt(v))
            rows.append((p.mean(), np.quantile(p, 0.1)))
        means, low = np.array(rows).T
        return means, low


class BoTorch:
    def __init__(self, game):
        self.game = game
        self.encoding = composite.Encoding(game)
        self.sobol = torch.quasirandom.SobolEngine(self.encoding.width, scramble=True, seed=game.seed)
        game.evaluate(game.start)
        for z in self.sobol.draw(min(game.n + 1, game.m + 2)).numpy():
            game.evaluate(self.encoding.decode(z))
        self.targets = Targets(game)

    def fit(self):
        game = self.game
        Z = torch.as_tensor(np.array([self.encoding.encode(u) for u in game.inputs]))
        Y = torch.as_tensor(self.targets.of(np.array(game.outputs)))
        self.model = SingleTaskGP(Z, Y, outcome_transform=Standardize(m=Y.shape[-1]))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))
        with torch.no_grad():
            posterior = self.model.posterior(Z)
            noise = self.model.posterior(Z, observation_noise=True).variance - posterior.variance
        self.sd = noise.clamp(min=1e-16).sqrt()[0].numpy()

    def chances(self, runs, random):
        """The larger of what replicates say and what the processes say, per input."""
        Z = torch.as_tensor(np.array([self.encoding.encode(u) for u in runs.points]))
        with torch.no_grad():
            posterior = self.model.posterior(Z)
        mean, sd = posterior.mean.numpy(), posterior.variance.sqrt().numpy()
        theta = mean + sd * random.standard_normal((DRAWS, *mean.shape))
        p = self.targets.chance(theta, self.sd)
        own, own_low = runs.chances(self.targets, random)
        return p.mean(0), np.maximum(np.quantile(p, 0.1, axis=0), own_low)

    def suggest(self, runs):
        game = self.game
        Z = torch.as_tensor(np.array([self.encoding.encode(u) for u in runs.points]))
        acquisition = qLogNoisyExpectedImprovement(
            model=self.model,
            X_baseline=Z,
            sampler=SobolQMCNormalSampler(sample_shape=torch.Size([64]), seed=game.seed + game.count),
            objective=GenericMCObjective(self.targets.score(self.sd)),
            prune_baseline=True,
        )
        bounds = torch.stack([torch.zeros(Z.shape[-1]), torch.ones(Z.shape[-1])])
        z, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=4, raw_samples=64)
        game.evaluate(self.encoding.decode(z[0].detach().numpy()))


class Ax:
    def __init__(self, game):
        from ax.api.client import Client

        import ax_client

        self.game, self.trials, self.told = game, {}, set()
        self.client = Client(random_seed=game.seed)
        parameters = [ax_client._parameter(i, v) for i, v in enumerate(game.variables)]
        self.client.configure_experiment(name="play", parameters=parameters)
        self.client.configure_optimization(objective="-loss")
        self.client.configure_generation_strategy(
            initialization_budget=min(game.n + 1, game.m + 2), initialization_random_seed=game.seed, torch_device="cpu"
        )
        start = game.to_input(game.start)
        native = {f"x{i}": float(v) if game.kinds[i] == "float" else int(v) for i, v in enumerate(start)}
        self.started = {self.client.attach_trial(parameters=native): native}
        for index, x in self.started.items():
            self.run(index, x, 2)
        self.targets = Targets(game)
        self.tell()
        for _ in range(min(game.n + 1, game.m + 2) - 1):
            self.suggest(None, 2)

    def run(self, index, parameters, times=1):
        x = np.array([parameters[f"x{i}"] for i in range(self.game.n)], float)
        for _ in range(times):
            self.game.evaluate_input(x)
        self.trials[tuple(self.game.inputs[-1])] = index

    def tell(self):
        """The mean and standard error of every arm, whose variance pools all replicates."""
        runs = Runs(self.game, self.targets)
        sd = np.sqrt(runs.variance)
        score = self.targets.score(sd)
        losses = [np.sqrt(-score(torch.as_tensor(group)).numpy()) for group in runs.groups]
        squares = sum(((loss - loss.mean()) ** 2).sum() for loss in losses)
        error = np.sqrt(squares / runs.freedom)
        for u, loss in zip(runs.points, losses):
            index = self.trials[tuple(u)]
            data = {"loss": (float(loss.mean()), float(max(error, 1e-9) / np.sqrt(len(loss))))}
            # Data of an arm that has some replace it.
            if index in self.told:
                self.client.attach_data(trial_index=index, raw_data=data)
            else:
                self.client.complete_trial(trial_index=index, raw_data=data)
                self.told.add(index)

    def fit(self):
        self.tell()

    def chances(self, runs, random):
        return runs.chances(self.targets, random)

    def suggest(self, runs, times=1):
        for index, parameters in self.client.get_next_trials(max_trials=1).items():
            self.run(index, parameters, times)
        self.tell()


def play(server, peer, name, seed, cap):
    game = NoisyGame(server, name, seed, cap)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    try:
        player = (BoTorch if peer == "botorch" else Ax)(game)
        repeats = 0
        while True:
            game.check()
            player.fit()
            runs = Runs(game, player.targets)
            chance, low = player.chances(runs, random)
            ready = np.where((runs.counts >= LEAST_RUNS) & (low >= CONFIDENCE))[0]
            if len(ready) > 0:
                declared = game.to_input(runs.points[ready[np.argmax(low[ready])]])
                break
            best = int(np.argmax(chance))
            if chance[best] >= PROMISING and repeats < REPEATS_IN_A_ROW:
                repeats += 1
                game.evaluate(runs.points[best])
            else:
                repeats = 0
                player.suggest(runs)
    except Over as over:
        return {"peer": peer, "problem": name, "seed": seed, "runs": game.count, "end": str(over)}
    hits = [
        server.ask(op="evaluate", problem=name, x=[float(v) for v in declared], seed=FRESH_SEED, index=k)["satisfied"]
        for k in range(FRESH)
    ]
    return {"peer": peer, "problem": name, "seed": seed, "runs": game.count, "end": "declared", "share": sum(hits) / FRESH}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("node")
    parser.add_argument("--peer", default="botorch", choices=["botorch", "ax"])
    parser.add_argument(
        "--problems",
        default="store,epidemic,batch-reactor,printed-part,arm-on-a-rig,welded-beam-tested,eight-valves,call-centre,emergency-ward,portfolio",
    )
    parser.add_argument("--seeds", default="51")
    parser.add_argument("--cap", type=float, default=300)
    options = parser.parse_args()
    server = Server(options.node)
    for seed in options.seeds.split(","):
        for name in options.problems.split(","):
            print(json.dumps(play(server, options.peer, name, int(seed), options.cap)), flush=True)


main()
