/**
 * A stirred tank with the reactions A -> B -> C and A + A -> D, B wanted, in the steady state (van de Vusse 1964; rate
 * constants of Klatt and Engell 1998, scaled). No member of the collection: it serves the measurement of old data.
 */
import { defineProblems, float, type Problem, within } from './problem.ts';

/** Temperature in C, residence time in minutes, concentration of A in the feed in mol/l, share of the catalyst. */
export const reactorVariables = [float(100, 150), float(0.5, 10), float(2, 8), float(0.2, 1), float(0, 1)];

/** Rate constant per minute at a temperature in C. */
const rate = (k0: number, activation: number, celsius: number) => k0 * Math.exp(-activation / (celsius + 273.15));

/** Concentrations of B and D in mol/l, conversion of A, heat in kJ per litre and minute. */
function reactorOutputs(x: readonly number[]): number[] {
  const [celsius, minutes, feed, catalyst, recycle] = x as [number, number, number, number, number];
  const k1 = catalyst * rate(2.145e10, 9758.3, celsius);
  const k2 = rate(2.145e10, 9758.3, celsius) * (1 - 0.3 * recycle);
  const k3 = rate(1.5072e8, 8560, celsius);
  const a = 1 / minutes + k1;
  const A = (-a + Math.sqrt(a * a + (4 * k3 * feed) / minutes)) / (2 * k3);
  const B = (k1 * A) / (1 / minutes + k2);
  const D = 0.5 * k3 * A * A * minutes;
  const heat = 4.2 * k1 * A - 11 * k2 * B - 41.85 * k3 * A * A;
  return [B, D, 1 - A / feed, heat];
}

/** The reactor with the outputs at `point` as targets, each within a percent of its usual size. */
export function reactorAt(point: readonly number[]): Problem {
  const target = reactorOutputs(point);
  const objectives = target.flatMap((value, j) => within([value], [0.02, 0.02, 0.005, 0.1][j]!));
  return defineProblems('simulators', [
    {
      name: 'reactor',
      source:
        'van de Vusse 1964, Chemical Engineering Science 19; Klatt and Engell 1998, Computers and Chemical Engineering 22',
      variables: reactorVariables,
      objectives,
      start: [120, 2, 4, 0.5, 0.5],
      known: point,
      evaluate: reactorOutputs,
    },
  ])[0]!;
}
