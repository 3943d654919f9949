/**
 * Smooth systems with more outputs than inputs, whose targets cannot all be met exactly. The least possible worst miss, in
 * base half widths, is known, so targets can be stated just in reach or just out of it.
 */
import { atLeast, atMost, exact, float, integer, type Objective, type Problem } from '../problems/problem.ts';
import { makeNormal, makeUniform } from '../problems/random.ts';
import { leastMiss, type Minimum } from './minimax.ts';
import { missOf, type System, type SystemOutput } from './system.ts';

export interface KnownSystem extends System, Minimum {}

const value = (target: number, halfWidth: number): SystemOutput => ({ kind: 'value', target, halfWidth });
const values = (targets: readonly number[], halfWidth: number) => targets.map((target) => value(target, halfWidth));
const most = (target: number, halfWidth: number): SystemOutput => ({ kind: 'atMost', target, halfWidth });
const least = (target: number, halfWidth: number): SystemOutput => ({ kind: 'atLeast', target, halfWidth });

/** Ranges, weights and shifts of a network of `hidden` tanh units. */
function network(seed: number, n: number, m: number, hidden: number): (u: readonly number[]) => number[] {
  const normal = makeNormal(seed);
  const draw = (rows: number, columns: number) =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => normal()));
  const [inner, outer] = [draw(hidden, n + 1), draw(m, hidden)];
  return (u) => {
    const units = inner.map((row) => Math.tanh(u.reduce((sum, one, v) => sum + one * row[v]!, 0.5 * row[n]!) / 1.5));
    return outer.map((row) => row.reduce((sum, one, k) => sum + one * units[k]!, 0));
  };
}

/** Full quadratic polynomials with a cubic term in one input each. */
function polynomials(seed: number, n: number, m: number): (u: readonly number[]) => number[] {
  const normal = makeNormal(seed);
  const all = Array.from({ length: m }, (_, j) => ({
    linear: Array.from({ length: n }, () => normal()),
    square: Array.from({ length: n * n }, () => (0.5 * normal()) / Math.sqrt(n)),
    cubic: 0.4 * normal(),
    at: j % n,
  }));
  return (u) =>
    all.map(({ linear, square, cubic, at }) =>
      u.reduce(
        (sum, one, v) => sum + one * linear[v]! + u.reduce((rest, two, w) => rest + one * two * square[v * n + w]!, 0),
        cubic * u[at]! ** 3,
      ),
    );
}

/** Sums of decaying exponentials of all inputs, seen at m times. */
function decays(seed: number, n: number, m: number): (u: readonly number[]) => number[] {
  const normal = makeNormal(seed);
  const shape = Array.from({ length: n }, () => ({ size: 1 + Math.abs(normal()), pace: 0.6 * normal() }));
  const spot = Array.from({ length: m }, () => normal());
  return (u) =>
    Array.from({ length: m }, (_, j) =>
      shape.reduce((sum, { size, pace }, v) => {
        const time = (0.4 + j) / m + 0.3 * v;
        return sum + size * Math.exp(-time * Math.exp(pace + 0.7 * u[v]!)) + 0.3 * spot[j]! * u[v]! * u[(v + 1) % n]!;
      }, 0),
    );
}

const SHAPES = [network, polynomials, decays];

/** -1 to 1. */
function unit({ minimum, maximum }: Problem['variables'][number], x: number): number {
  return (2 * (x - minimum)) / (maximum - minimum) - 1;
}

const tanhSystem = network(41, 5, 8, 9);
const polynomialSystem = polynomials(43, 6, 8);

const described: readonly System[] = [
  {
    name: 'one-decay',
    source: 'First-order decay, four samples that disagree by some percent',
    variables: [float(0.2, 5), float(0.05, 3)],
    outputs: values([1.62, 0.83, 0.52, 0.21], 0.05),
    isL1: false,
    evaluate: ([a, k]) => [0.2, 1, 1.8, 3].map((t) => a! * Math.exp(-k! * t)),
  },
  {
    name: 'two-decays',
    source: 'Lanczos (1956), Applied analysis: sums of exponentials; seven samples',
    variables: [float(0.1, 3), float(0.1, 1), float(0.1, 3), float(1.2, 6)],
    outputs: values([2.43, 1.6, 1.21, 0.78, 0.5, 0.3, 0.23], 0.03),
    isL1: false,
    evaluate: ([a, k, b, l]) =>
      [0.05, 0.3, 0.6, 1.1, 1.7, 2.6, 3.8].map((t) => a! * Math.exp(-k! * t) + b! * Math.exp(-l! * t)),
  },
  {
    name: 'inhibited-enzyme',
    source: 'Haldane (1930): rates under inhibition by the substrate',
    variables: [float(0.5, 10), float(0.05, 5), float(0.5, 40)],
    outputs: values([0.62, 1.35, 1.86, 2.2, 1.72, 1.3], 0.1),
    isL1: false,
    evaluate: ([v, k, i]) => [0.2, 0.6, 1.5, 3, 7, 12].map((s) => (v! * s) / (k! + s + (s * s) / i!)),
  },
  {
    name: 'series-reaction',
    source: 'Levenspiel (1999), Chemical reaction engineering: A to B to C in a batch',
    variables: [float(0.05, 2), float(0.05, 1.5), float(0.5, 3)],
    outputs: [...values([0.51, 0.92, 0.83, 0.42], 0.04), least(0.95, 0.06)],
    isL1: false,
    evaluate: ([k1, k2, a]) => {
      const gap = k2! - k1!;
      // (exp(-k1 t) - exp(-k2 t)) / gap, also where both rates are equal.
      const between = (t: number) => (Math.abs(gap * t) < 1e-9 ? t : -Math.expm1(-gap * t) / gap) * Math.exp(-k1! * t);
      const b = (t: number) => a! * k1! * between(t);
      const c = (t: number) => a! - b(t) - a! * Math.exp(-k1! * t);
      return [b(0.7), b(2), b(3.5), b(7), c(4)];
    },
  },
  {
    name: 'two-lenses',
    source: 'Hecht, Optics: two thin lenses, focal lengths in mm',
    variables: [float(30, 150), float(30, 200), float(5, 60)],
    outputs: [value(60, 2), value(42, 2), most(62, 2), least(34, 1.5), value(1.3, 0.1)],
    isL1: false,
    evaluate: ([f1, f2, d]) => {
      const focal = (f1! * f2!) / (f1! + f2! - d!);
      const back = focal * (1 - d! / f1!);
      return [focal, back, back + d!, d!, (1e3 * focal) / (f1! * f2!) / 10 + (0.02 * d! * d!) / f1!];
    },
  },
  {
    name: 'cantilever',
    source: 'Gere, Mechanics of materials: a tip load on a steel cantilever (mm, N)',
    variables: [float(10, 60), float(20, 120), float(300, 1200)],
    outputs: [most(2.2, 0.2), most(70, 8), most(8, 0.8), value(95, 10), least(820, 30)],
    isL1: false,
    evaluate: ([b, h, l]) => {
      const inertia = (b! * h! ** 3) / 12;
      const mass = 7.85e-6 * b! * h! * l!;
      const bend = (2000 * l! ** 3) / (3 * 2.1e5 * inertia);
      const pitch = (3.516 / (2 * Math.PI)) * Math.sqrt((2.1e5 * inertia * 1e3) / (mass * l! ** 3));
      return [bend, (2000 * l! * h!) / (2 * inertia), mass, pitch, l!];
    },
  },
  {
    name: 'vapour-pressure',
    source: 'Antoine (1888): the logarithm of a vapour pressure at six temperatures',
    variables: [float(6, 10), float(900, 2600), float(150, 300)],
    outputs: values([0.66, 1.27, 1.74, 2.2, 2.52, 2.9], 0.02),
    isL1: false,
    evaluate: ([a, b, c]) => [0, 20, 40, 60, 80, 100].map((t) => a! - b! / (c! + t)),
  },
  {
    name: 'gear-pair',
    source: 'Shigley, Mechanical engineering design: teeth, module (mm) and helix angle of a pair of gears',
    variables: [integer(14, 30), integer(30, 90), float(1, 4), float(0.05, 0.6)],
    outputs: [value(2.87, 0.1), value(97, 1), most(1.1, 0.05), most(2.4, 0.05), most(0.12, 0.01)],
    isL1: false,
    evaluate: ([z1, z2, module, helix]) => {
      const centre = (module! * (z1! + z2!)) / (2 * Math.cos(helix!));
      const stress = 140 / (module! ** 2 * z1! * (1 + helix!)) + 0.4;
      return [z2! / z1!, centre, stress, module!, 0.5 * Math.sin(helix!) ** 2 + 2 / z1!];
    },
  },
  {
    name: 'five-input-network',
    source: 'A network of nine tanh units with normal weights',
    variables: Array.from({ length: 5 }, () => float(-1, 1)),
    outputs: [...values([-0.16, 0.8, 0.45, -0.35, 0.23, 2.2], 0.1), most(3.2, 0.08), least(2.08, 0.1)],
    isL1: false,
    evaluate: tanhSystem,
  },
  {
    name: 'six-input-polynomials',
    source: 'Quadratic polynomials with normal coefficients and a cubic term',
    variables: Array.from({ length: 6 }, () => float(-1, 1)),
    outputs: [...values([1.03, 0.22, 0.3, -0.6, 0.41, 0.45, 1.0], 0.07), most(0.88, 0.06)],
    isL1: false,
    evaluate: polynomialSystem,
  },
];

/** Minima of `leastMiss` with 60 starts, 2 for every pair of teeth; SLSQP on the epigraph finds the same to 1e-8. */
const MINIMA: Readonly<Record<string, Minimum>> = {
  'one-decay': { least: 0.8078947388221369, at: [1.8333975693891964, 0.7449792904167802] },
  'two-decays': {
    least: 1.469538689078198,
    at: [1.2554362949098912, 0.5026523869696072, 1.3420535391105124, 2.887418597717647],
  },
  'inhibited-enzyme': { least: 0.7650048094780004, at: [3.84729159380652, 1.1616781318650353, 7.066414958004977] },
  'series-reaction': { least: 0.5714953492851976, at: [0.40682181242589804, 0.40682183028231217, 2.4876371219279934] },
  'two-lenses': { least: 3.531005166839165, at: [97.72603031133714, 77.5231930769404, 34.12402063164252] },
  cantilever: { least: 1.3094894632001193, at: [10.010130239264466, 119.70153817281368, 961.886592684465] },
  'vapour-pressure': { least: 1.2974395754670853, at: [8.118275951935622, 1781.3057415183252, 239.66998531042037] },
  'gear-pair': { least: 2.5095238095238104, at: [21, 55, 2.4947675078414506, 0.29879221493147573] },
  'five-input-network': {
    least: 0.9146943507287775,
    at: [0.33867239385865644, -0.47123232208827126, 0.06524498511518706, 0.5589261088615074, -0.2321170541024019],
  },
  'six-input-polynomials': {
    least: 0.650865980014313,
    at: [
      -0.4603681020352395, 0.17074498828186613, 0.4703887050610991, -0.2586227719444013, 0.08324604048786943,
      0.5970458470559197,
    ],
  },
};

export const systems: readonly KnownSystem[] = described.map((system) => ({ ...system, ...MINIMA[system.name]! }));

/** A further system of the same kind; the same seed gives the same one. About every tenth has an L1 goal. */
export function randomSystem(seed: number): KnownSystem {
  const uniform = makeUniform(1000 + seed);
  const normal = makeNormal(5000 + seed);
  const n = 2 + Math.floor(5 * uniform());
  const m = Math.min(8, Math.max(3, n + 1 + Math.floor(3 * uniform())));
  const shape = SHAPES[Math.floor(3 * uniform())]!;
  const raw = shape === network ? network(seed, n, m, n + 3) : (shape as typeof decays)(seed, n, m);
  const isL1 = uniform() < 0.1;
  const variables = Array.from({ length: n }, (_, v) => {
    const isInteger = !isL1 && v === 0 && uniform() < 0.2;
    return isInteger ? integer(0, 12) : float(-1 - 3 * uniform(), 1 + 5 * uniform());
  });
  const evaluate = (x: readonly number[]) => raw(x.map((one, v) => unit(variables[v]!, one)));
  const inner = variables.map(({ minimum, maximum }) => minimum + (maximum - minimum) * (0.15 + 0.7 * uniform()));
  const truth = evaluate(inner);
  const outputs = truth.map((y): SystemOutput => {
    const halfWidth = isL1 ? 1 : 0.02 * Math.exp(2 * uniform());
    const offset = isL1 ? 0.08 * normal() : 1.5 * halfWidth * normal();
    const side = offset > 0 ? 'atLeast' : 'atMost';
    const kind = isL1 || uniform() < 0.8 ? 'value' : side;
    return { kind, target: y + offset, halfWidth };
  });
  const system: System = { name: `random-${seed}`, source: 'a seed', variables, outputs, isL1, evaluate };
  return { ...system, ...leastMiss(system, variables[0]!.kind === 'integer' ? 4 : 40) };
}

/** Runs of a patient search: nearly all of the reach is harder to find. */
const budgetAt = (factor: number) => (factor >= 1 && factor < 1.2 ? 100 : 60);

/** The system with tolerances of `factor` times the least possible miss: below 1 they are out of reach. */
export function problemAt(system: KnownSystem, factor: number): Problem {
  const { name, source, variables, outputs, isL1, evaluate } = system;
  const share = factor * system.least;
  const objectives = outputs.map(({ kind, target, halfWidth }): Objective => {
    const slack = share * halfWidth;
    if (kind === 'atMost') return atMost(target + slack);
    if (kind === 'atLeast') return atLeast(target - slack);
    if (isL1) return exact([target])[0]!;
    return { type: 'value', target, minimumBound: -slack, maximumBound: slack };
  });
  return {
    name: `${name}@${factor}`,
    family: 'tolerance',
    source,
    variables,
    objectives,
    desiredL1Norm: isL1 ? share : 0,
    convergence: 1e-6,
    start: variables.map(({ kind, minimum, maximum }) => {
      const middle = minimum + 0.31 * (maximum - minimum);
      return kind === 'integer' ? Math.round(middle) : middle;
    }),
    budget: budgetAt(factor),
    known: system.at,
    noisy: false,
    evaluate,
  };
}

/** The problem with a name such as `two-lenses@1.25` or `random-7@0.8`; undefined for other names. */
export function reachProblem(name: string): Problem | undefined {
  const [, base, seed, factor] = /^(.+?(?:-(\d+))?)@([\d.]+)$/.exec(name) ?? [];
  if (base === undefined) return undefined;
  const system = systems.find((one) => one.name === base) ?? randomSystem(Number(seed));
  return problemAt(system, Number(factor));
}

/** Miss of an input in multiples of the least possible: 1 at the best compromise. */
export function relativeMiss(system: KnownSystem, x: readonly number[]): number {
  return missOf(system, x) / system.least;
}
