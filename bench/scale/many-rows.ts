/**
 * Measures how long a suggestion and an explanation take with many rows, and while 64 inputs are pending.
 *
 *   npx node bench/scale/many-rows.ts [--rows 100,500,1000,5000] [--sizes 10x1,10x10] [--repeats 3]
 *     [--kinds smooth,rough,stalled,directed,long,front,confidence,confirm,several,limited,failing] [--pending 0,64]
 *
 * The histories are those of bench/solvers/suggest-time.ts, a size being inputs x outputs. Further kinds: in `long` the runs
 * are suggested ones that stopped gaining; `front` minimizes two outputs; `confidence` and `confirm` have noise and ten
 * repeats per input; `several` has found three solutions; `limited` has conditions on the inputs; in `failing` every third run
 * failed. Processor time in s: median of the suggestions, the longest, median of the explanations. Exits with code 1
 * when a suggestion takes 1 s.
 */
import { parseArgs } from 'node:util';
import { explain } from '../../src/optimizer/explain.ts';
import type { Condition, SuggestRequest } from '../../src/optimizer/interface/problem.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { quantile } from '../quantile.ts';
import { makeSample, requestOf } from '../solvers/sample-history.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100,500,1000,5000' },
    sizes: { type: 'string', default: '10x1,10x10' },
    repeats: { type: 'string', default: '3' },
    kinds: {
      type: 'string',
      default: 'smooth,rough,stalled,directed,long,front,confidence,confirm,several,limited,failing',
    },
    pending: { type: 'string', default: '0,64' },
  },
});
/** Seconds of processor time within which a suggestion is computed. */
const BAR = 1;
const REPEATS = 10;

/** The first two inputs add up to at most 1.5. */
const condition: Condition = {
  left: { kind: 'operation', operator: '+', of: [input(0), input(1)] },
  relation: '<=',
  right: { kind: 'number', value: 1.5 },
};
function input(index: number) {
  return { kind: 'input', input: index } as const;
}

/** Every further run at an input of the first tenth, its outputs a little off. */
function withRepeats(request: SuggestRequest): SuggestRequest {
  const { history, space, goal } = request;
  const n = space.variables.length;
  const m = goal.targets.length;
  const distinct = Math.max(1, Math.floor(history.count / REPEATS));
  const X = history.X.map((_, k) => history.X[(Math.floor(k / n) % distinct) * n + (k % n)]!);
  const Y = history.Y.map((y, k) => history.Y[(Math.floor(k / m) % distinct) * m + (k % m)]! + 0.01 * y);
  return { ...request, history: { ...history, X, Y } };
}

const changes: Readonly<Record<string, (request: SuggestRequest) => SuggestRequest>> = {
  long: (request) => ({ ...request, firstSuggested: 12 }),
  front: (request) => {
    const open = {
      lower: -Infinity,
      upper: Infinity,
      lowerOpen: false,
      upperOpen: false,
      direction: 'minimize',
    } as const;
    return { ...request, goal: { targets: request.goal.targets.map((one, j) => (j < 2 ? open : one)), l1: null } };
  },
  confidence: (request) => ({
    ...withRepeats(request),
    noise: { standardDeviations: null, asked: { kind: 'confidence', least: 0.9, of: 'run' } },
  }),
  confirm: (request) => ({
    ...withRepeats(request),
    noise: { standardDeviations: null, asked: { kind: 'confirm', runs: 12 } },
  }),
  several: (request) => ({
    ...request,
    solutions: { found: request.history.X.slice(0, 3 * request.space.variables.length), apart: 0.1 },
  }),
  limited: (request) => ({ ...request, space: { ...request.space, conditions: [condition] } }),
  failing: (request) => {
    const failed = request.history.failed.map((_, i) => (i % 3 === 2 ? 1 : 0));
    return { ...request, history: { ...request.history, failed } };
  },
};

/** The samples that the further kinds change; the others have one of their own. */
const sampleKinds: Readonly<Record<string, string>> = { long: 'stalled', front: 'directed', limited: 'directed' };

function requestFor(kind: string, size: readonly number[], repeat: number): SuggestRequest {
  const own = kind in changes ? (sampleKinds[kind] ?? 'smooth') : kind;
  const request = requestOf(makeSample(own, size, repeat), repeat + 1);
  return changes[kind]?.(request) ?? request;
}

/** Seconds of processor time. */
function timed(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

function withPending(request: SuggestRequest, count: number, repeat: number): SuggestRequest {
  if (count === 0) return request;
  const n = request.space.variables.length;
  const { U } = makeSample('smooth', [n, 1, count], 1000 + repeat);
  return { ...request, pending: Float64Array.from(U.flat()) };
}

warmUp();
let isWithin = true;
for (const kind of options.kinds.split(',')) {
  for (const shape of options.sizes.split(',')) {
    for (const rows of options.rows.split(',').map(Number)) {
      for (const pending of options.pending.split(',').map(Number)) {
        const requests = Array.from({ length: Number(options.repeats) }, (_, repeat) =>
          withPending(requestFor(kind, [...shape.split('x').map(Number), rows], repeat), pending, repeat),
        );
        const suggestions = requests.map((request) => timed(() => suggest(request)));
        const explanations = requests.map((request) => timed(() => explain(request)));
        isWithin &&= Math.max(...suggestions) < BAR;
        const figures = {
          kind,
          shape,
          rows,
          pending,
          suggest: quantile(suggestions, 0.5),
          most: Math.max(...suggestions),
        };
        process.stdout.write(`${JSON.stringify({ ...figures, explain: quantile(explanations, 0.5) })}\n`);
      }
    }
  }
}
process.exitCode = isWithin ? 0 : 1;
