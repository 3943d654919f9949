/**
 * Random systems of smooth responses, each of another kind and seed: straight, curved, products of powers, saturating and
 * coupled ones, as in the first weeks of a project whose rows were typed by hand. Two to five inputs, two to four outputs.
 */

import { defineProblems, float, type Problem, within } from '../problems/problem.ts';
import { makeNormal, makeUniform } from '../problems/random.ts';

type Response = (u: readonly number[]) => number;
type Kind = (n: number, normal: () => number, uniform: () => number) => Response;

const weighted = (weights: readonly number[], u: readonly number[]) =>
  weights.reduce((sum, weight, v) => sum + weight * u[v]!, 0);
const normals = (n: number, normal: () => number) => Array.from({ length: n }, () => normal());

/** Responses to inputs between -1 and 1, by kind. */
const KINDS: Readonly<Record<string, Kind>> = {
  straight: (n, normal) => {
    const weights = normals(n, normal);
    const offset = 2 * normal();
    return (u) => offset + weighted(weights, u);
  },
  curved: (n, normal) => {
    const weights = normals(n, normal);
    const bends = normals(n, normal);
    const across = normals(n, normal);
    const offset = 3 * normal();
    return (u) =>
      offset +
      weighted(weights, u) +
      u.reduce((sum, x, v) => sum + 0.4 * bends[v]! * x * x, 0) +
      0.3 * weighted(across, u) ** 2;
  },
  powers: (n, normal) => {
    const exponents = normals(n, normal);
    const factor = Math.exp(normal());
    return (u) => factor * Math.exp(u.reduce((sum, x, v) => sum + 0.7 * exponents[v]! * Math.log(3 + 2 * x), 0));
  },
  saturating: (n, normal) => {
    const weights = normals(n, normal);
    const slopes = normals(n, normal);
    const height = 2 + Math.abs(normal());
    return (u) => height / (1 + Math.exp(-1.5 * weighted(weights, u))) + 0.3 * weighted(slopes, u);
  },
  coupled: (n, normal, uniform) => {
    const weights = normals(n, normal);
    const phase = 6 * uniform();
    const slopes = normals(n, normal);
    return (u) => Math.sin(weighted(weights, u) + phase) + 0.8 * weighted(slopes, u) + 0.3 * u[0]! * u[n - 1]!;
  },
};

const TOLERANCE = 0.01;

/** The system of a seed: its kind follows from the seed, its targets are the outputs at an inner point. */
export function responseSystem(seed: number): Problem {
  const uniform = makeUniform(Math.imul(seed + 17, 0x9e3779b1));
  const normal = makeNormal(Math.imul(seed + 91, 0x85ebca6b));
  const kinds = Object.keys(KINDS);
  const kind = kinds[seed % kinds.length]!;
  const n = 2 + Math.floor(4 * uniform());
  const m = Math.min(n, 2 + Math.floor(3 * uniform()));
  const responses = Array.from({ length: m }, () => KINDS[kind]!(n, normal, uniform));
  const evaluate = (u: readonly number[]) => responses.map((response) => response(u));
  const known = Array.from({ length: n }, () => 1.4 * uniform() - 0.7);
  const targets = evaluate(known);
  const spread = spreadsOf(evaluate, n, m, uniform);
  const [problem] = defineProblems('tolerance', [
    {
      name: `${kind}-${seed}`,
      source: 'random coefficients',
      variables: Array.from({ length: n }, () => float(-1, 1)),
      objectives: targets.flatMap((target, j) => within([target], TOLERANCE * spread[j]!)),
      start: Array.from({ length: n }, () => 2 * uniform() - 1),
      known,
      evaluate,
    },
  ]);
  return problem!;
}

/** Standard deviation of each output over random inputs. */
function spreadsOf(
  evaluate: (u: readonly number[]) => number[],
  n: number,
  m: number,
  uniform: () => number,
): number[] {
  const rows = Array.from({ length: 200 }, () => evaluate(Array.from({ length: n }, () => 2 * uniform() - 1)));
  return Array.from({ length: m }, (_, j) => {
    const mean = rows.reduce((sum, y) => sum + y[j]! / rows.length, 0);
    return Math.sqrt(rows.reduce((sum, y) => sum + (y[j]! - mean) ** 2 / rows.length, 0));
  });
}
