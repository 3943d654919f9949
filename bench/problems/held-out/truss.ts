/** Trusses that the families share: ten bars by the displacement method, three bars in closed form. Inches, kips, pounds. */
import { solveLinear } from './linear-solve.ts';

const nodes = [
  [720, 360],
  [720, 0],
  [360, 360],
  [360, 0],
  [0, 360],
  [0, 0],
] as const;
const bars = [
  [4, 2],
  [2, 0],
  [5, 3],
  [3, 1],
  [2, 3],
  [0, 1],
  [4, 3],
  [5, 2],
  [2, 1],
  [3, 0],
] as const;
const YOUNG = 1e4;
const DENSITY = 0.1;
/** Downward loads of 100 kips at the two lower free nodes; x and y of each free node. */
const loads = [0, 0, 0, -100, 0, 0, 0, -100];

/**
 * Ten-bar cantilever truss (Venkayya 1971).
 *
 * @param areas ten cross sections, square inches
 * @returns weight (lb), vertical displacements of the four free nodes (in), ten stresses (ksi)
 */
export function tenBarTruss(areas: readonly number[]): number[] {
  const stiffness = Array.from({ length: 8 }, () => new Array<number>(8).fill(0));
  const geometry = bars.map(([from, to]) => {
    const [dx, dy] = [nodes[to]![0] - nodes[from]![0], nodes[to]![1] - nodes[from]![1]];
    const length = Math.hypot(dx, dy);
    return { length, places: [2 * from, 2 * from + 1, 2 * to, 2 * to + 1], direction: [-dx, -dy, dx, dy] };
  });
  geometry.forEach(({ length, places, direction }, bar) => {
    const k = (YOUNG * areas[bar]!) / length ** 3;
    places.forEach((row, a) => {
      places.forEach((column, b) => {
        if (row < 8 && column < 8) stiffness[row]![column]! += k * direction[a]! * direction[b]!;
      });
    });
  });
  const displacement = solveLinear(stiffness, loads);
  const stresses = geometry.map(({ length, places, direction }) => {
    const stretch = places.reduce((total, place, a) => total + direction[a]! * (displacement[place] ?? 0), 0);
    return (YOUNG * stretch) / length ** 2;
  });
  const weight = geometry.reduce((total, { length }, bar) => total + DENSITY * length * areas[bar]!, 0);
  return [weight, ...[1, 3, 5, 7].map((place) => displacement[place]!), ...stresses];
}

/**
 * Three-bar truss (Nowacki 1974): two cross sections, load 2, bars of 100.
 *
 * @returns volume and three stresses, each to be at most 2
 */
export function threeBarTruss([outer, middle]: readonly number[]): number[] {
  const root = Math.SQRT2;
  const common = root * outer! ** 2 + 2 * outer! * middle!;
  return [
    100 * (2 * root * outer! + middle!),
    (2 * (root * outer! + middle!)) / common,
    (2 * middle!) / common,
    2 / (outer! + root * middle!),
  ];
}
