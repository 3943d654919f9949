/** Smooth systems to be met on a fine model, each with cheaper versions of it: six of physics with a mesh, two made of formulas. */
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

export interface System {
  readonly name: string;
  /** Lower and upper bound of each input. */
  readonly bounds: readonly (readonly [number, number])[];
  /** The outputs by inputs and mesh: `fine`, or so coarse that its answers are visibly wrong. */
  readonly model: (x: readonly number[], mesh: 'fine' | 'coarse') => number[];
}

/** Integrates y' = f(y, t) with fixed steps, by Runge-Kutta or, coarsely, by Euler; the states at `times`. */
function integrate(
  f: (y: readonly number[], t: number) => number[],
  start: readonly number[],
  times: readonly number[],
  mesh: 'fine' | 'coarse',
  steps: { readonly fine: number; readonly coarse: number },
): number[][] {
  const end = times.at(-1)!;
  const count = steps[mesh];
  const h = end / count;
  const add = (y: readonly number[], k: readonly number[], factor: number) => y.map((v, i) => v + factor * k[i]!);
  let y = [...start];
  const found: number[][] = [];
  for (let i = 0; i < count; i++) {
    const t = i * h;
    const k1 = f(y, t);
    let next = add(y, k1, h);
    if (mesh === 'fine') {
      const k2 = f(add(y, k1, h / 2), t + h / 2);
      const k3 = f(add(y, k2, h / 2), t + h / 2);
      const k4 = f(add(y, k3, h), t + h);
      next = y.map((v, j) => v + (h / 6) * (k1[j]! + 2 * k2[j]! + 2 * k3[j]! + k4[j]!));
    }
    // The states at times within the step, by a straight line.
    while (found.length < times.length && times[found.length]! <= t + h + 1e-12) {
      const share = (times[found.length]! - t) / h;
      const before = y;
      found.push(before.map((v, j) => v + share * (next[j]! - v)));
    }
    y = next;
  }
  return found;
}

/** A tapered cantilever under its tip load and its own weight, by the trapezoidal rule over M / EI. */
function beam([width, root, tip, load]: readonly number[], mesh: 'fine' | 'coarse'): number[] {
  const count = mesh === 'fine' ? 400 : 5;
  const length = 2;
  const E = 70e9;
  const h = length / count;
  const height = (x: number) => root! + (tip! - root!) * (x / length);
  const inertia = (x: number) => (width! * height(x) ** 3) / 12;
  const weight = 2700 * 9.81 * width!;
  const moment = (x: number) => {
    const rest = length - x;
    return load! * rest + weight * ((height(x) * rest ** 2) / 2 + ((tip! - height(x)) * rest ** 2) / 3);
  };
  let slope = 0;
  let deflection = 0;
  let half = 0;
  let energy = 0;
  for (let i = 0; i < count; i++) {
    const x = i * h;
    const a = moment(x) / (E * inertia(x));
    const b = moment(x + h) / (E * inertia(x + h));
    deflection += slope * h + (a * h * h) / 2;
    slope += ((a + b) / 2) * h;
    energy += h * height(x) * width! * deflection ** 2;
    if (x + h <= length / 2 + 1e-9) half = deflection;
  }
  const stress = (moment(0) * root!) / 2 / inertia(0) / 1e6;
  const mass = (2700 * width! * length * (root! + tip!)) / 2;
  return [deflection * 1e3, half * 1e3, Math.log(energy), stress, mass, slope * 1e3];
}

/** A fin that loses heat to the air by convection and radiation, by finite differences relaxed to the steady state. */
function fin([conductivity, convection, thickness]: readonly number[], mesh: 'fine' | 'coarse'): number[] {
  const count = mesh === 'fine' ? 60 : 6;
  const length = 0.1;
  const h = length / count;
  const base = 400;
  const air = 300;
  const T = new Float64Array(count + 1).fill(base);
  for (let sweep = 0; sweep < 60; sweep++) {
    // Newton with the tridiagonal matrix: k t T'' = 2 (c (T - air) + s (T^4 - air^4)), insulated tip.
    const kt = conductivity! * thickness!;
    const a = new Float64Array(count + 1);
    const d = new Float64Array(count + 1);
    a[0] = 0;
    d[0] = base;
    const [lower, upper] = [kt / h ** 2, kt / h ** 2];
    for (let i = 1; i <= count; i++) {
      const loss = 2 * (convection! * (T[i]! - air) + 5.67e-8 * (T[i]! ** 4 - air ** 4));
      const rate = 2 * (convection! + 4 * 5.67e-8 * T[i]! ** 3);
      const diagonal = -(lower + upper) - rate;
      const right = loss - rate * T[i]!;
      const low = i === count ? lower + upper : lower;
      const up = i === count ? 0 : upper;
      const pivot = diagonal - low * -a[i - 1]!;
      a[i] = up / pivot;
      d[i] = (right - low * d[i - 1]!) / pivot;
    }
    T[count] = d[count]!;
    for (let i = count - 1; i >= 1; i--) T[i] = d[i]! - a[i]! * T[i + 1]!;
  }
  const flux = (conductivity! * thickness! * (T[0]! - T[1]!)) / h;
  return [T[count]!, T[count / 2]!, flux, (flux / thickness!) * 1e-4];
}

const at = (states: readonly (readonly number[])[], j: number) => states.map((state) => state[j]!);

/** A network of tanh units with fixed weights; coarse, its waves are cut short. */
function network(n: number, m: number, seed: number): System['model'] {
  const random = makeRandom(seed);
  const units = 8;
  const W = Array.from({ length: units }, () => Array.from({ length: n }, () => 0.9 * random.normal()));
  const b = Array.from({ length: units }, () => 0.5 * random.normal());
  const V = Array.from({ length: m }, () => Array.from({ length: units }, () => random.normal()));
  return (x, mesh) => {
    const h = W.map((row, k) => {
      const s = row.reduce((sum, w, v) => sum + w * x[v]!, b[k]!);
      return mesh === 'fine' ? Math.tanh(s) : s / (1 + 0.45 * Math.abs(s) ** 1.2);
    });
    return V.map((row) => row.reduce((sum, v, k) => sum + v * h[k]!, 0));
  };
}

export const SYSTEMS: readonly System[] = [
  {
    name: 'kinetics',
    bounds: [
      [0.1, 8],
      [0.05, 4],
      [0.02, 2],
      [0.5, 4],
    ],
    model: ([k1, k2, k3, a0], mesh) => {
      const rates = ([a, b, c]: readonly number[]) => [-k1! * a! * a!, k1! * a! * a! - k2! * b!, k2! * b! - k3! * c!];
      const states = integrate(rates, [a0!, 0, 0], [1, 2, 4], mesh, { fine: 400, coarse: 160 });
      return [...at(states, 0).slice(0, 2), ...at(states, 1), ...at(states, 2).slice(1)];
    },
  },
  {
    name: 'beam',
    bounds: [
      [0.02, 0.12],
      [0.04, 0.2],
      [0.02, 0.12],
      [100, 3000],
    ],
    model: beam,
  },
  {
    name: 'fin',
    bounds: [
      [5, 400],
      [2, 300],
      [0.2e-3, 5e-3],
    ],
    model: fin,
  },
  {
    name: 'predators',
    bounds: [
      [0.6, 1.4],
      [0.3, 0.9],
      [0.5, 1.3],
      [0.2, 0.7],
    ],
    model: ([a, b, c, d], mesh) => {
      const rates = ([u, v]: readonly number[]) => [a! * u! - b! * u! * v!, d! * u! * v! - c! * v!];
      const states = integrate(rates, [1.5, 1], [1, 2.5, 4, 5.5], mesh, { fine: 300, coarse: 60 });
      return [...at(states, 0), ...at(states, 1)];
    },
  },
  {
    name: 'two masses',
    bounds: [
      [0.5, 2],
      [0.5, 2],
      [1, 6],
      [1, 6],
      [0.2, 1],
    ],
    model: ([m1, m2, k1, k2, c], mesh) => {
      const rates = ([x1, x2, v1, v2]: readonly number[]) => {
        const spring = k2! * (x2! - x1!) + c! * (v2! - v1!);
        return [v1!, v2!, (1 - k1! * x1! - 0.3 * x1! ** 3 + spring) / m1!, -spring / m2!];
      };
      const states = integrate(rates, [0, 0, 0, 0], [0.8, 1.6, 2.4], mesh, { fine: 240, coarse: 60 });
      return [...at(states, 0), ...at(states, 1), ...at(states, 2).slice(0, 1)];
    },
  },
  { name: 'network of six', bounds: Array.from({ length: 6 }, () => [-0.9, 0.9] as const), model: network(6, 6, 11) },
  { name: 'network of two', bounds: Array.from({ length: 2 }, () => [-4, 4] as const), model: network(2, 3, 5) },
  {
    name: 'mixer',
    bounds: Array.from({ length: 5 }, () => [0.1, 3] as const),
    model: ([p, q, r, s, t], mesh) => {
      const e = mesh === 'fine' ? 1 : 0.9;
      const exp = (z: number) => (mesh === 'fine' ? Math.exp(z) : (1 + z / 8) ** 8);
      return [
        p! ** e * q! + exp(-r!) * s!,
        q! * exp(0.6 * s!) + 0.5 * t! ** 2,
        (r! + p! * t!) / (1 + e * q!),
        exp(-p!) * t! + s! * r! ** e,
        Math.sqrt(p! * q! + r! * s! * e) + 0.3 * t!,
      ];
    },
  },
];
