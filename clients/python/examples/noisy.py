"""A measured process: the goals must be met nine times in ten, although runs differ."""

from random import Random

from backsolve import real, solve, within

random = Random(7)


def process(speed: float, force: float) -> tuple[float, float]:
    return 3 * speed + 0.4 * force + random.gauss(0, 0.05), speed * force / 5 + random.gauss(0, 0.05)


goals = {"thickness": within(14, 0.5), "hardness": within(6, 0.5)}
print(solve(process, {"speed": real(1, 6), "force": real(2, 20)}, goals, noise="estimate", confidence=0.9, budget=80))
