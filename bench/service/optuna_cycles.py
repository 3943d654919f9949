"""Cycles per second of Optuna with RDBStorage: ask, tell, each client a process with studies of its own.

    python optuna_cycles.py --url postgresql+psycopg2://... --clients 4 --seconds 6

As cheap as it gets: a random sampler, one value, two parameters, a fresh study after 50 trials as on the other side.
Prints one JSON line: cycles per second, and milliseconds of processor time of the clients per cycle.
"""

import argparse
import json
import multiprocessing
import time
import uuid

WARM_UP_SECONDS = 2
CYCLES_PER_STUDY = 50


def play(url: str, seconds: float, barrier, results) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.RDBStorage(url)
    space = {name: optuna.distributions.FloatDistribution(0, 10) for name in ("x", "y")}
    sampler = optuna.samplers.RandomSampler(seed=1)

    def run(for_seconds: float) -> int:
        ends_at = time.monotonic() + for_seconds
        done = 0
        while time.monotonic() < ends_at:
            study = optuna.create_study(storage=storage, study_name=str(uuid.uuid4()), sampler=sampler)
            for _ in range(CYCLES_PER_STUDY):
                if time.monotonic() >= ends_at:
                    break
                trial = study.ask(space)
                study.tell(trial, (trial.params["x"] - 3) ** 2 + trial.params["y"])
                done += 1
        return done

    run(WARM_UP_SECONDS)
    barrier.wait()
    started_at, used_before = time.monotonic(), time.process_time()
    done = run(seconds)
    results.put((done, time.monotonic() - started_at, time.process_time() - used_before))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()

    import optuna

    # Creates the tables before the clients meet.
    optuna.storages.RDBStorage(options.url)
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(options.clients), context.Queue()
    arguments = (options.url, options.seconds, barrier, results)
    clients = [context.Process(target=play, args=arguments) for _ in range(options.clients)]
    for client in clients:
        client.start()
    played = [results.get() for _ in clients]
    for client in clients:
        client.join()
    done = sum(each[0] for each in played)
    print(
        json.dumps(
            {
                "version": optuna.__version__,
                "perSecond": sum(each[0] / each[1] for each in played),
                "clientMs": 1000 * sum(each[2] for each in played) / max(1, done),
                "cycles": done,
            }
        )
    )


if __name__ == "__main__":
    main()
