/** Twenty to forty inputs. */
import { atMost, defineProblems, floats, minimize, within } from '../problem.ts';
import { integrate } from '../runge-kutta.ts';
import { solveLinear } from './linear-solve.ts';

const filled = (count: number, value: number) => new Array<number>(count).fill(value);
const wave = (count: number, amplitude: number, offset: number) =>
  Array.from({ length: count }, (_, i) => offset + amplitude * Math.sin(2.3 * i + 0.9));

function trigexp(x: readonly number[]): number[] {
  return x.map((value, i) => {
    const [before, after] = [x[i - 1], x[i + 1]];
    const forward =
      after === undefined ? 0 : 3 * value ** 3 + 2 * after - 5 + Math.sin(value - after) * Math.sin(value + after);
    const backward = before === undefined ? 0 : 4 * value - before * Math.exp(before - value) - 3;
    return forward + backward;
  });
}

/** Edges of a grid of 5 x 5 nodes, to the right and downwards. */
const edges = Array.from({ length: 25 }, (_, node) => node).flatMap((node) => [
  ...(node % 5 < 4 ? [[node, node + 1] as const] : []),
  ...(node < 20 ? [[node, node + 5] as const] : []),
]);
/** Nodes on the rim where voltages are read; node 24 is grounded. */
const readings = [1, 3, 5, 9, 15, 19, 21, 23];
/** Forty conductances to sixteen voltages under two currents of 1, from corner 0 to 24 and from corner 4 to 20. */
function resistorGrid(conductances: readonly number[]): number[] {
  const laplacian = Array.from({ length: 24 }, () => filled(24, 0));
  edges.forEach(([a, b], edge) => {
    for (const [row, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (row === 24) continue;
      laplacian[row]![row]! += conductances[edge]!;
      if (other !== 24) laplacian[row]![other]! -= conductances[edge]!;
    }
  });
  const currents = (entries: Readonly<Record<number, number>>) =>
    Array.from({ length: 24 }, (_, node) => entries[node] ?? 0);
  return [currents({ 0: 1 }), currents({ 4: 1, 20: -1 })].flatMap((injected) => {
    const voltages = solveLinear(laplacian, injected);
    return readings.map((node) => voltages[node]!);
  });
}

/**
 * Trolley crane with a rope of 8 m: 24 accelerations (m/s2) over half a second each.
 *
 * @returns position (m) and speed (m/s) of the trolley, swing (degrees) and its rate (degrees/s) at the end, sum of the
 *   squared accelerations
 */
function crane(accelerations: readonly number[]): number[] {
  let state = [0, 0, 0, 0];
  for (const a of accelerations) {
    const states = integrate(
      ([, speed, angle, rate]) => [speed!, a, rate!, -(a * Math.cos(angle!) + 9.81 * Math.sin(angle!)) / 8],
      state,
      0.5,
      10,
    );
    state = states[10]!;
  }
  const degrees = 180 / Math.PI;
  const effort = accelerations.reduce((total, a) => total + a * a, 0);
  return [state[0]!, state[1]!, state[2]! * degrees, state[3]! * degrees, effort];
}

function dixonPrice(x: readonly number[]): number {
  return x.reduce(
    (total, value, i) => total + (i === 0 ? (value - 1) ** 2 : (i + 1) * (2 * value ** 2 - x[i - 1]!) ** 2),
    0,
  );
}

const trigexpTruth = wave(30, 0.4, 0.6);
const gridTruth = wave(40, 0.7, 1.4);

export const highDimensionProblems = defineProblems('high-dimension', [
  {
    name: 'trigexp-30',
    source: 'Luksan, Vlcek (1998), Sparse test problems; Toint trigonometric-exponential system, targets chosen',
    variables: floats(30, -0.8, 1.6),
    objectives: within(trigexp(trigexpTruth), 0.3),
    start: filled(30, 0),
    known: trigexpTruth,
    evaluate: trigexp,
  },
  {
    name: 'resistor-grid-40',
    source: 'Curtis, Morrow (1990), Determining the resistors in a network; voltages on the rim of a grid',
    variables: floats(40, 0.3, 3.5),
    objectives: within(resistorGrid(gridTruth), 0.02),
    start: filled(40, 3),
    known: gridTruth,
    evaluate: resistorGrid,
  },
  {
    name: 'crane-transfer-24',
    source: 'Sakawa, Shindo (1982), Optimal control of container cranes; a trolley with a swinging load',
    variables: floats(24, -1, 1),
    objectives: [...within([18], 0.05), ...within([0], 0.02), ...within([0, 0], 0.1), atMost(6)],
    start: filled(24, 0.2),
    known: [
      0.8336, 0.6331, 0.4657, 0.3604, 0.3269, 0.3537, 0.4124, 0.4646, 0.4732, 0.4142, 0.2844, 0.1014, -0.1014, -0.2844,
      -0.4142, -0.4732, -0.4646, -0.4124, -0.3537, -0.3269, -0.3604, -0.4657, -0.6331, -0.8336,
    ],
    evaluate: crane,
  },
  {
    name: 'dixon-price-20',
    source: 'Dixon, Price (1989), truncated Newton for sparse optimization; twenty inputs, one output',
    variables: floats(20, -3, 2.5),
    objectives: [minimize(2)],
    start: filled(20, 2),
    known: Array.from({ length: 20 }, (_, i) => 2 ** (2 ** -i - 1)),
    evaluate: (x) => [dixonPrice(x)],
  },
]);
