/** Every kind of search, small, as TypeScript `solve`, `run` and Python `solve` are asked for it (test/scenario/one-answer.test.ts). */
import type { SearchAnswer } from '../../clients/typescript/src/index.ts';
import {
  atMost,
  fit as fitTo,
  minimize,
  type Problem,
  type Result,
  real,
  within,
} from '../../clients/typescript/src/solve.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';

export const INPUTS = { a: real(0, 5), b: real(0, 5) };
type Outputs = Readonly<Record<string, number | readonly number[]>>;
export type Box = (input: { readonly a: number; readonly b: number }) => Outputs;

export const plain: Box = ({ a, b }) => ({ p: a * b, q: a + 3 * b });

/** Makes a box whose runs at one input differ, in the same way in every play. */
const noisy = (seed: number, sd: number) => (): Box => {
  const random = makeRandom(seed);
  return (input) =>
    Object.fromEntries(Object.entries(plain(input)).map(([name, y]) => [name, (y as number) + sd * random.normal()]));
};

export type Client = 'solve' | 'run' | 'Python';

export interface Play {
  readonly kind: SearchAnswer['kind'];
  readonly goals: Problem['goals'];
  readonly makeBox?: () => Box;
  readonly budget?: number;
  readonly options?: Partial<Omit<Problem, 'inputs' | 'goals' | 'sources'>>;
  /** Its outputs, and its options, as keys of a problem file. */
  readonly file: Readonly<Record<'outputs' | 'options', object>>;
  /** The arguments of Python `solve`. */
  readonly python: string;
  /** Status at its end. */
  readonly status: Result<typeof INPUTS, Problem['goals']>['status'];
  /** Client that plays it without the rest of the table. */
  readonly always?: Client;
}

const REACHED = {
  goals: { p: within(4, 0.3), q: within(8, 0.3) },
  python: 'goals={"p": within(4, 0.3), "q": within(8, 0.3)}',
};
const REACHED_IN_FILE = { p: { target: 4, within: 0.3 }, q: { target: 8, within: 0.3 } };
const TOLERANCES = { kind: 'normal', in: 'units', values: [0.1, 0.1] } as const;
const ROBUST = { aimAtRobustness: true, robustRuns: 3 };
const DATA = [1, 2.1, 2.9, 4.2];

export const PLAYS: Readonly<Record<string, Play>> = {
  'one run': {
    kind: 'met',
    ...REACHED,
    file: { outputs: REACHED_IN_FILE, options: {} },
    status: 'satisfied',
    always: 'solve',
  },
  'the mean of runs': {
    kind: 'declared',
    ...REACHED,
    makeBox: noisy(4, 0.1),
    options: { confirm: 3 },
    file: { outputs: REACHED_IN_FILE, options: { confirm: 3 } },
    python: `${REACHED.python}, confirm=3`,
    status: 'satisfied',
    always: 'Python',
  },
  'confidence for a run': {
    kind: 'declared',
    ...REACHED,
    makeBox: noisy(2, 0.05),
    options: { confidence: 0.8 },
    file: { outputs: REACHED_IN_FILE, options: { confidence: 0.8 } },
    python: `${REACHED.python}, confidence=0.8`,
    status: 'satisfied',
    always: 'run',
  },
  'confidence for the mean': {
    kind: 'declared',
    ...REACHED,
    makeBox: noisy(3, 0.15),
    options: { confidence: 0.9, confidenceOf: 'mean' },
    file: { outputs: REACHED_IN_FILE, options: { confidence: 0.9, confidenceOf: 'mean' } },
    python: `${REACHED.python}, confidence=0.9, confidence_of="mean"`,
    status: 'satisfied',
  },
  'confidence without enough runs': {
    kind: 'likeliest',
    ...REACHED,
    makeBox: noisy(5, 0.3),
    budget: 12,
    options: { confidence: 0.99 },
    file: { outputs: REACHED_IN_FILE, options: { confidence: 0.99 } },
    python: `${REACHED.python}, confidence=0.99`,
    status: 'exhausted',
    always: 'solve',
  },
  'several solutions': {
    kind: 'met',
    goals: { p: within(4, 0.3) },
    options: { options: { solutions: { count: 3, apart: 0.1 } } },
    file: { outputs: { p: { target: 4, within: 0.3 } }, options: { solutions: { count: 3, apart: 0.1 } } },
    python: 'goals={"p": within(4, 0.3)}, options={"solutions": {"count": 3, "apart": 0.1}}',
    status: 'satisfied',
  },
  'the surest input': {
    kind: 'surest',
    ...REACHED,
    options: { options: { inputTolerances: TOLERANCES, ...ROBUST } },
    file: {
      outputs: REACHED_IN_FILE,
      options: { inputTolerances: { ...TOLERANCES, values: { a: 0.1, b: 0.1 } }, ...ROBUST },
    },
    python: `${REACHED.python}, options=${JSON.stringify({ inputTolerances: TOLERANCES, ...ROBUST }).replace('true', 'True')}`,
    status: 'satisfied',
  },
  'a front': {
    kind: 'knee',
    goals: { p: minimize(), r: minimize() },
    makeBox:
      () =>
      ({ a, b }) => ({ p: a + b, r: (a - 3) ** 2 + (b - 2) ** 2 }),
    budget: 12,
    file: { outputs: { p: { minimize: null }, r: { minimize: null } }, options: {} },
    python: 'goals={"p": minimize(), "r": minimize()}',
    status: 'exhausted',
    always: 'solve',
  },
  'a fit': {
    kind: 'best-fit',
    goals: { y: fitTo(DATA, { sigma: 0.1 }) },
    makeBox:
      () =>
      ({ a, b }) => ({ y: [0, 1, 2, 3].map((x) => a * 0.5 + b * 0.4 * x) }),
    file: { outputs: { y: { fit: { data: DATA, sigma: 0.1 } } }, options: {} },
    python: `goals={"y": fit(${JSON.stringify(DATA)}, 0.1)}`,
    status: 'satisfied',
  },
  // a b <= 25 and a + 3 b <= 20.
  'targets out of reach': {
    kind: 'nearest',
    goals: { p: within(24, 0.05), q: within(8, 0.05) },
    file: { outputs: { p: { target: 24, within: 0.05 }, q: { target: 8, within: 0.05 } }, options: {} },
    python: 'goals={"p": within(24, 0.05), "q": within(8, 0.05)}',
    status: 'stopped',
  },
  'the least value': {
    kind: 'best-value',
    goals: { p: minimize(), q: atMost(9), s: atMost(-2) },
    makeBox:
      () =>
      ({ a, b }) => ({ p: (a - 1) ** 2 + b, q: a + 3 * b, s: -a - b }),
    file: { outputs: { p: { minimize: null }, q: { atMost: 9 }, s: { atMost: -2 } }, options: {} },
    python: 'goals={"p": minimize(), "q": at_most(9), "s": at_most(-2)}',
    status: 'stopped',
  },
  'no more runs': {
    kind: 'nearest',
    goals: { p: within(4, 1e-5), q: within(8, 1e-5) },
    budget: 6,
    file: { outputs: { p: { target: 4, within: 1e-5 }, q: { target: 8, within: 1e-5 } }, options: {} },
    python: 'goals={"p": within(4, 1e-5), "q": within(8, 1e-5)}',
    status: 'exhausted',
  },
};
