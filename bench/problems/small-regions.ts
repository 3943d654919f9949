/**
 * Requirements only, one-sided, that leave a millionth of the box or less: intersections of rotated ellipsoids and curved
 * walls in 5 to 20 inputs. All are constructed around a point that satisfies them.
 */
import { atLeast, atMost, defineProblems, floats, type ProblemDefinition } from './problem.ts';
import { makeNormal, makeUniform } from './random.ts';

type Point = readonly number[];

/** One function and its limit, above or below. */
type Wall = { readonly at: (x: Point) => number } & ({ readonly most: number } | { readonly least: number });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Rows of a random rotation of n axes: Gram-Schmidt on normal vectors. */
function rotation(n: number, normal: () => number): number[][] {
  const rows: number[][] = [];
  while (rows.length < n) {
    const row = Array.from({ length: n }, normal);
    for (const other of rows) {
      const along = sum(row.map((value, i) => value * other[i]!));
      other.forEach((value, i) => {
        row[i]! -= along * value;
      });
    }
    const length = Math.hypot(...row);
    rows.push(row.map((value) => value / length));
  }
  return rows;
}

interface EllipsoidShape {
  /** The shortest and the longest semi-axis; the others lie between, in geometric progression. */
  readonly axes: readonly [number, number];
  /** Position of `inside` between the centre (0) and the surface (1). */
  readonly depth: number;
}

/** The quadratic form of a random ellipsoid around `inside`: 0 at its centre, 1 on its surface. */
function ellipsoid(inside: Point, { axes, depth }: EllipsoidShape, normal: () => number): (x: Point) => number {
  const n = inside.length;
  const axis = rotation(n, normal);
  const length = axis.map((_, i) => axes[0] * (axes[1] / axes[0]) ** (i / (n - 1)));
  const direction = Array.from({ length: n }, normal);
  const scale = depth / Math.hypot(...direction);
  const offset = direction.map((value) => value * scale);
  return (x) =>
    sum(
      axis.map((row, i) => {
        const along = sum(row.map((value, k) => value * (x[k]! - inside[k]!)));
        return (along / length[i]! + offset[i]!) ** 2;
      }),
    );
}

/** A random point of [-1, 1]^n, each coordinate at most `reach` from 0. */
function pointAt(n: number, reach: number, seed: number): number[] {
  const uniform = makeUniform(seed);
  return Array.from({ length: n }, () => reach * (2 * uniform() - 1));
}

/** A problem in the box [-1, 1]^n, which starts far from the known point. */
function regionProblem(name: string, source: string, known: Point, walls: readonly Wall[]): ProblemDefinition {
  const n = known.length;
  return {
    name,
    source,
    variables: floats(n, -1, 1),
    objectives: walls.map((wall) => ('most' in wall ? atMost(wall.most) : atLeast(wall.least))),
    budget: 20 * (n + 1),
    start: known.map((value, i) => Number((value > 0 ? value - 0.9 + 0.02 * i : value + 0.9 - 0.02 * i).toFixed(2))),
    known,
    evaluate: (x) => walls.map(({ at }) => at(x)),
  };
}

function ellipsoids(n: number, count: number, axes: readonly [number, number], seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.6, seed);
  const walls = Array.from({ length: count }, () => ({ at: ellipsoid(known, { axes, depth: 0.7 }, normal), most: 1 }));
  return regionProblem(`ellipsoids-${n}`, `${count} rotated ellipsoids with a common part`, known, walls);
}

/** Distances in the metrics of the ellipsoids, which have a kink at their centres. */
function distances(n: number, count: number, axes: readonly [number, number], seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.6, seed);
  const walls = Array.from({ length: count }, () => {
    const form = ellipsoid(known, { axes, depth: 0.7 }, normal);
    return { at: (x: Point) => Math.sqrt(form(x)), most: 1 };
  });
  return regionProblem(`distances-${n}`, `scaled distances from ${count} points, rotated metrics`, known, walls);
}

/** Inside one ellipsoid and outside of others that bite into it. */
function crescent(n: number, axes: readonly [number, number], seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.6, seed);
  const bite = { axes: [axes[0] * 2, axes[1] * 2] as const, depth: 1.15 };
  const walls = [
    { at: ellipsoid(known, { axes, depth: 0.6 }, normal), most: 1 },
    { at: ellipsoid(known, bite, normal), least: 1 },
    { at: ellipsoid(known, bite, normal), least: 1 },
  ];
  return regionProblem(`crescent-${n}`, 'an ellipsoid less two others', known, walls);
}

/** Pairs of walls on both sides of the surface f(x) = f(known), `width` apart. */
function slab(f: (x: Point) => number, known: Point, width: number): Wall[] {
  const middle = f(known);
  return [
    { at: f, most: middle + width / 2 },
    { at: (x) => f(x) + sum(x.map((value, i) => 0.02 * (value - known[i]!) ** 2)), least: middle - width / 2 },
  ];
}

/** Each input near the square of the one before. */
function valley(n: number, width: number): ProblemDefinition {
  const known = [0.85];
  while (known.length < n) known.push(1.4 * known.at(-1)! ** 2 - 0.55);
  const walls = known.slice(1).flatMap((_, i) => slab((x) => x[i + 1]! - 1.4 * x[i]! ** 2, known, width));
  const last = { at: (x: Point) => x[0]! + 0.3 * x[n - 1]! ** 3, least: known[0]! + 0.3 * known[n - 1]! ** 3 - 0.05 };
  return regionProblem(`valley-${n}`, 'walls of curved valleys, after Rosenbrock (1960)', known, [...walls, last]);
}

/** Each input between two waves of the one before, of slowly growing frequency. */
function waves(n: number, width: number, seed: number): ProblemDefinition {
  const known = pointAt(n, 0.8, seed);
  const walls = known
    .slice(1)
    .flatMap((_, i) => slab((x) => x[i + 1]! + 0.4 * Math.sin((2 + 0.2 * i) * x[i]! + i), known, width));
  return regionProblem(`waves-${n}`, 'walls along sines of neighbouring inputs', known, walls);
}

/** A thin shell around a point, cut by cubic walls. */
function shell(n: number, thickness: number, seed: number): ProblemDefinition {
  const known = pointAt(n, 0.7, seed);
  const normal = makeNormal(seed);
  const radius = (x: Point) => Math.hypot(...x.map((value, i) => value - (i % 2 === 0 ? 0.1 : -0.1)));
  const cubics = Array.from({ length: n }, (): Wall => {
    const slope = Array.from({ length: n }, normal);
    const cubic = (x: Point) => sum(x.map((value, i) => slope[i]! * (value + 0.7 * value ** 3)));
    return { at: cubic, most: cubic(known) + 0.1 };
  });
  return regionProblem(`shell-${n}`, 'a spherical shell between cubic walls', known, [
    ...slab(radius, known, thickness),
    ...cubics,
  ]);
}

/** Posynomials of exp(x), as in the design of structures and circuits by geometric programs. */
function posynomials(n: number, count: number, slack: number, seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.6, seed);
  const walls = Array.from({ length: count }, (): Wall => {
    const exponents = Array.from({ length: 3 }, () => Array.from({ length: n }, () => 1.2 * normal()));
    const value = (x: Point) =>
      sum(exponents.map((row) => Math.exp(sum(row.map((exponent, i) => exponent * (x[i]! - known[i]!)))) / 3));
    return { at: value, most: 1 + slack };
  });
  const source = 'Boyd, Kim, Vandenberghe, Hassibi (2007), A tutorial on geometric programming; random exponents';
  return regionProblem(`posynomials-${n}`, source, known, walls);
}

/** An ellipsoid, bilinear walls and a saddle. */
function saddles(n: number, width: number, axes: readonly [number, number], seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.7, seed);
  const walls: Wall[] = [{ at: ellipsoid(known, { axes, depth: 0.6 }, normal), most: 1 }];
  for (let i = 0; i + 2 < n; i += 2) {
    const saddle = (x: Point) => x[i]! * x[i + 1]! - x[i + 2]! ** 2 + 0.5 * x[(i + 3) % n]!;
    walls.push(...slab(saddle, known, width));
  }
  return regionProblem(`saddles-${n}`, 'an ellipsoid between walls along saddles', known, walls);
}

/** Sums of fourth powers in rotated coordinates. */
function superellipsoids(n: number, count: number, size: number, seed: number): ProblemDefinition {
  const normal = makeNormal(seed);
  const known = pointAt(n, 0.6, seed);
  const walls = Array.from({ length: count }, (): Wall => {
    const axis = rotation(n, normal);
    const centre = known.map((value) => value + 0.3 * size * (normal() > 0 ? 1 : -1));
    const at = (x: Point) =>
      sum(axis.map((row, i) => (sum(row.map((value, k) => value * (x[k]! - centre[k]!))) / (1 + 0.2 * i)) ** 4));
    return { at, most: at(known) + size ** 4 };
  });
  return regionProblem(`superellipsoids-${n}`, 'rotated superellipsoids (Lame 1818) of order 4', known, walls);
}

export const smallRegionProblems = defineProblems('feasibility', [
  ellipsoids(5, 4, [0.04, 0.4], 11),
  distances(5, 4, [0.04, 0.3], 12),
  valley(6, 0.08),
  crescent(6, [0.03, 0.25], 14),
  waves(7, 0.09, 15),
  saddles(7, 0.06, [0.08, 0.5], 16),
  ellipsoids(8, 3, [0.1, 0.6], 17),
  superellipsoids(8, 3, 0.11, 18),
  posynomials(9, 12, 0.12, 19),
  shell(10, 0.006, 20),
  distances(10, 3, [0.15, 0.6], 21),
  ellipsoids(12, 3, [0.2, 0.9], 22),
  saddles(15, 0.3, [0.4, 1.2], 23),
  ellipsoids(20, 2, [0.4, 1.2], 24),
]);
