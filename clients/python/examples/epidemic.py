"""A simulation of many steps with arrays: infections and recoveries that fit three observations."""

from backsolve import log, real, solve, within


def epidemic(contact: float, recovery: float, seed: float) -> list[float]:
    well, ill, seen = 1 - seed, seed, []
    for _ in range(60):
        new, over = contact * well * ill, recovery * ill
        well, ill = well - new, ill + new - over
        seen.append(ill)
    return [max(seen) * 100, seen.index(max(seen)) + 1.0, (1 - well) * 100]


goals = {"peak": within(20, percent=3), "day": within(25, 1), "total": within(85, percent=3)}
print(solve(epidemic, {"contact": real(0.1, 1), "recovery": real(0.05, 0.5), "seed": log(1e-5, 1e-2)}, goals, budget=100))
