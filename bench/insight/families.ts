/** Functions whose sensitivities are known: random members of seven families on the unit cube. */
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

type Evaluate = (x: readonly number[]) => number;

export interface Member {
  readonly f: Evaluate;
  /** Number of inputs. */
  readonly n: number;
  readonly seed: number;
  /** The true total effect of each input, to about 0.02. */
  readonly effects: readonly number[];
}

const families: readonly { readonly n: number; readonly make: (w: readonly number[]) => Evaluate }[] = [
  // A plane.
  { n: 3, make: (w) => (x) => w[0]! * x[0]! + w[1]! * x[1]! + w[2]! * x[2]! },
  // A quadratic with an interaction.
  {
    n: 3,
    make: (w) => (x) => w[0]! * x[0]! + w[1]! * x[1]! + 3 * w[2]! * x[0]! * x[1]! + 3 * w[3]! * (x[2]! - 0.4) ** 2,
  },
  // A product.
  { n: 3, make: (w) => (x) => Math.exp(w[0]! * x[0]! + w[1]! * x[1]!) * (1.2 + Math.tanh(w[2]!) * x[2]!) },
  // A ridge with a wave.
  {
    n: 3,
    make: (w) => (x) => {
      const z = w[0]! * (2 * x[0]! - 1) + w[1]! * (2 * x[1]! - 1) + w[2]! * (2 * x[2]! - 1);
      return Math.sin(z + w[3]!) + 0.3 * z * z + 0.5 * z;
    },
  },
  // Waves.
  { n: 2, make: (w) => (x) => Math.sin(6 * x[0]! + w[0]!) + 0.5 * Math.cos((3 + w[1]!) * x[1]!) },
  // A saturation.
  { n: 2, make: (w) => (x) => (x[0]! / (0.2 + x[0]!)) * (1 + 0.3 * w[0]! * x[1]!) },
  // Friedman 1991.
  {
    n: 5,
    make: () => (x) => 10 * Math.sin(Math.PI * x[0]! * x[1]!) + 20 * (x[2]! - 0.5) ** 2 + 10 * x[3]! + 5 * x[4]!,
  },
];

/** One member of every family per seed from 1 to `seeds`. */
export function drawMembers(seeds: number): Member[] {
  return families.flatMap(({ n, make }) =>
    Array.from({ length: seeds }, (_, k) => {
      const seed = k + 1;
      const random = makeRandom(seed, 77);
      const f = make(Array.from({ length: 4 }, () => 1.5 * random.normal()));
      return { f, n, seed, effects: totalEffects(f, n) };
    }),
  );
}

/** Total effects by Monte Carlo integration of the function itself. */
function totalEffects(f: Evaluate, n: number): number[] {
  const random = makeRandom(5);
  const count = 5000;
  const effects = new Array<number>(n).fill(0);
  let sum = 0;
  let squares = 0;
  for (let k = 0; k < count; k++) {
    const x = Array.from({ length: n }, () => random.uniform());
    const y = f(x);
    sum += y;
    squares += y * y;
    for (let v = 0; v < n; v++) effects[v]! += (f(x.with(v, random.uniform())) - y) ** 2 / 2 / count;
  }
  return effects.map((effect) => effect / (squares / count - (sum / count) ** 2));
}
