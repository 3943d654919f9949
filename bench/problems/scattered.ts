/**
 * Ten problems of the collection whose outputs scatter, beside the ten random systems: tests, simulators and assays without
 * their noise, to which normal noise is added, of a third of the half width of two-sided targets, or in proportion to the output.
 * Each has inputs at which a fresh run meets all targets with a probability above 0.9.
 */
import { getProblem } from './collection.ts';
import { makeRunNoise } from './random.ts';
import type { RandomSystem } from './random-systems.ts';

type Deviations = (y: readonly number[]) => readonly number[];

function scattered(name: string, deviationsAt: Deviations): RandomSystem {
  const problem = getProblem(name);
  // The problems chosen never fail.
  const average = (x: readonly number[]) => problem.evaluate(x, { seed: 0, index: 0 })!;
  return {
    ...problem,
    name: `scattered-${name}`,
    family: 'noisy',
    budget: 150,
    noisy: true,
    deviations: null,
    average,
    evaluate: (x, run) => {
      const normal = makeRunNoise(run);
      const y = average(x);
      const deviations = deviationsAt(y);
      return y.map((value, j) => value + deviations[j]! * normal());
    },
  };
}

const constant =
  (...deviations: readonly number[]): Deviations =>
  () =>
    deviations;

const relative =
  (...shares: readonly number[]): Deviations =>
  (y) =>
    y.map((value, j) => Math.abs(value) * shares[j % shares.length]!);

export const scatteredProblems: readonly RandomSystem[] = [
  scattered('sir-outbreak', relative(0.0033)),
  scattered('seir-calibration', relative(0.009)),
  scattered('fitzhugh-nagumo', constant(...new Array(8).fill(0.05))),
  scattered('windkessel-pressure', constant(0.17, 0.17, 0.17)),
  scattered('thick-lens', constant(0.08, 0.0066)),
  scattered('queue-staffing', relative(0.017, 0.01)),
  scattered('oil-cooler', relative(0.005, 0.03, 0.03, 0.01)),
  scattered('reactor-window', relative(0.02)),
  scattered('cantilever-section', relative(0.03)),
  scattered('disc-and-wedge', constant(0.03, 0.04, 0.04)),
];
