/**
 * Every pair of features of a search, played over HTTP: what the service takes must hold in every run and in the answer, and what it
 * refuses it must refuse by a key that was sent. A pair that is half supported shows here as a 5xx, as an input outside of what was
 * stated, or as an answer that is not what it says.
 */
import { checkAnswer, checkInput, checkRefusal, type Send, type Stated } from './feature-checks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Additions of a feature to a problem of five inputs (a, b, c, whole, kind) and three outputs. */
export interface Feature {
  readonly name: string;
  /** Features of one family exclude each other. */
  readonly family?: 'goal' | 'values of a' | 'values of b';
  readonly project?: Fields;
  readonly objective?: Fields;
  /** Condition that every input satisfies. */
  readonly holds?: (input: readonly number[]) => boolean;
  /** Loaded before the search. */
  readonly cases?: {
    readonly inputs: readonly (readonly number[])[];
    readonly outputs: readonly (readonly number[])[];
  };
  /** Runs that are open at a time. */
  readonly parallel?: number;
  readonly noise?: number;
  /** Whether every third run fails. */
  readonly fails?: boolean;
  readonly hasDerivatives?: boolean;
}

const INPUTS = 5;
/** An input that meets all targets, within all limits of all features. */
const KNOWN = [0.62, 0.37, 0.25, 2, 1] as const;

/** The black box. */
function truth([a, b, c, whole, kind]: readonly number[]): number[] {
  return [
    a! + 0.3 * a! * b! + c! + 0.05 * (whole! - 2),
    b! - 0.2 * a! * a! + 0.1 * c! + (kind === 1 ? 0 : 0.2),
    a! * b! + c! * c!,
  ];
}

const TARGET = truth(KNOWN);

function derivatives([a, b, c]: readonly number[]): number[][] {
  return [
    [1 + 0.3 * b!, 0.3 * a!, 1, 0.05, 0],
    [-0.4 * a!, 1, 0.1, 0, 0],
    [b!, a!, 2 * c!, 0, 0],
  ];
}

const isStep = (value: number, step: number) => value === Number((Math.round(value / step) * step).toPrecision(15));

export const FEATURES: readonly Feature[] = [
  { name: 'a logarithmic input', project: { scales: [null, null, 'log', null, null] } },
  {
    name: 'steps',
    family: 'values of a',
    project: { steps: [0.02, null, null, null, null] },
    holds: ([a]) => isStep(a!, 0.02),
  },
  {
    name: 'levels',
    family: 'values of b',
    project: { levels: [null, [0, 0.1, 0.2, 0.37, 0.5, 0.8, 1], null, null, null] },
    holds: ([, b]) => [0, 0.1, 0.2, 0.37, 0.5, 0.8, 1].includes(b!),
  },
  {
    name: 'likely ranges',
    project: { likelyMinimums: [0.4, null, null, null, null], likelyMaximums: [0.8, null, null, null, null] },
  },
  {
    name: 'linear constraints',
    project: { constraints: ['a + b <= 1.1', 'c >= 0.3*b'] },
    holds: ([a, b, c]) => a! + b! <= 1.1 && c! >= 0.3 * b!,
  },
  {
    name: 'an equation',
    project: { constraints: ['a + 2*c = 1.12'] },
    holds: ([a, , c]) => Math.abs(a! + 2 * c! - 1.12) <= 2 ** -51,
  },
  { name: 'a curved constraint', project: { constraints: ['a*b <= 0.24'] }, holds: ([a, b]) => a! * b! <= 0.24 },
  { name: 'cheaper sources', project: { sources: [{ name: 'coarse', cost: 0.05 }] } },
  {
    name: 'a fixed input',
    family: 'values of b',
    objective: { fixedInputs: [null, 0.37, null, null, null] },
    holds: ([, b]) => b === 0.37,
  },
  {
    name: 'a fixed category',
    objective: { fixedInputs: [null, null, null, null, 1] },
    holds: (input) => input[4] === 1,
  },
  {
    name: 'constraints of the objective',
    objective: { constraints: ['a - b <= 0.3', 'whole*c <= 0.6'] },
    holds: ([a, b, c, whole]) => a! - b! <= 0.3 && whole! * c! <= 0.6,
  },
  {
    name: 'cases outside the bounds',
    cases: {
      inputs: [
        [1.2, 0.5, 0.5, 2, 1],
        [0.6, -0.1, 0.3, 2, 2],
      ],
      outputs: [truth([1.2, 0.5, 0.5, 2, 1]), truth([0.6, -0.1, 0.3, 2, 2])],
    },
  },
  {
    name: 'two absurd cases',
    cases: {
      inputs: [
        [0.9, 0.9, 0.9, 0, 1],
        [0.1, 0.8, 0.2, 4, 2],
      ],
      outputs: [
        [1e300, 1e300, 1e300],
        [1e300, 1e300, 1e300],
      ],
    },
  },
  { name: 'weights', objective: { weights: [5, 1, 1] } },
  { name: 'priorities', objective: { priorities: [1, 2, 2] } },
  { name: 'noise', objective: { noise: 'estimate' }, noise: 0.004 },
  { name: 'confirm', objective: { confirm: 2 }, noise: 0.004 },
  { name: 'confidence', objective: { confidence: 0.8 }, noise: 0.004 },
  { name: 'a stop by evidence', objective: { stop: {} } },
  { name: 'a stop by patience', objective: { stop: { patience: 3, maximumRuns: 40 } } },
  { name: 'several solutions', objective: { solutions: { count: 2, apart: 0.05 } } },
  {
    name: 'the surest input',
    objective: {
      inputTolerances: { kind: 'normal', in: 'units', values: [0.005, 0, 0, 0, 0] },
      aimAtRobustness: true,
      robustRuns: 3,
    },
  },
  {
    name: 'a front',
    family: 'goal',
    objective: { objectiveTypes: ['minimize', 'maximize', 'lessthan_equal'], objectives: [null, null, 0.6] },
  },
  {
    name: 'one output without target',
    family: 'goal',
    objective: {
      objectiveTypes: ['minimize', 'greaterthan_equal', 'lessthan_equal'],
      objectives: [null, 0.2, 0.6],
    },
  },
  {
    name: 'a fit',
    family: 'goal',
    objective: { objectiveTypes: ['fit', 'fit', 'lessthan_equal'], objectives: [...TARGET.slice(0, 2), 0.6] },
  },
  { name: 'exact', family: 'goal', objective: { objectiveTypes: ['exact', 'exact', 'exact'], desiredL1Norm: 0.02 } },
  {
    name: 'limits',
    family: 'goal',
    objective: { objectiveTypes: ['value', 'greaterthan_equal', 'lessthan_equal'], objectives: [TARGET[0], 0.2, 0.4] },
  },
  { name: 'two open runs', objective: { parallelism: 2 }, parallel: 2 },
  { name: 'failing runs', fails: true },
  { name: 'derivatives', hasDerivatives: true },
];

/** Every pair that does not exclude itself, each feature also alone. */
export function pairsOf(features: readonly Feature[]): (readonly Feature[])[] {
  return features.flatMap((one, i) =>
    features.slice(i).flatMap((other): (readonly Feature[])[] => {
      if (one === other) return [[one]];
      return one.family !== undefined && one.family === other.family ? [] : [[one, other]];
    }),
  );
}

export interface PairOptions {
  /** Unused before; models of one account have different names. */
  readonly name: string;
  readonly seed: number;
  /** The most suggestions. */
  readonly cycles: number;
}

/** Outcome of a pair. Every fault is one sentence. */
export interface PairOutcome {
  readonly kind: 'held' | 'refused';
  readonly faults: readonly string[];
  readonly runs: number;
  /** 0 while it goes on; see docs. */
  readonly stopReason: number;
  /** Whether an answer under noise meets the targets in truth; null where none was declared. */
  readonly holdsInTruth: boolean | null;
}

/** Merges lists with null entries, joins constraints, and takes the other fields of the second. */
function merged(list: readonly (Fields | undefined)[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const fields of list) {
    for (const [key, value] of Object.entries(fields ?? {})) {
      const before = all[key];
      if (key === 'constraints' && Array.isArray(before)) all[key] = [...before, ...(value as unknown[])];
      else if (key === 'stop' && before) all[key] = { ...(before as Fields), ...(value as Fields) };
      else if (key === 'fixedInputs' && Array.isArray(before))
        all[key] = before.map((one, k) => one ?? (value as unknown[])[k]);
      else all[key] = value;
    }
  }
  return all;
}

/** Plays a pair. Throws nothing: what is wrong is a fault of the outcome. */
export async function playPair(send: Send, features: readonly Feature[], options: PairOptions): Promise<PairOutcome> {
  const faults: string[] = [];
  const sent = {
    project: merged(features.map(({ project }) => project)),
    objective: merged(features.map(({ objective }) => objective)),
  };
  const keys = [...Object.keys(sent.project), ...Object.keys(sent.objective)];
  const refused = (outcome: { readonly status: number; readonly body: unknown }): PairOutcome => {
    faults.push(...checkRefusal(outcome, keys));
    return { kind: 'refused', faults, runs: 0, stopReason: 0, holdsInTruth: null };
  };
  const random = randomFrom(options.seed);
  const noise = Math.max(0, ...features.map((one) => one.noise ?? 0));
  const run = (input: readonly number[]) => truth(input).map((y) => y + noise * (random() + random() - 1) * 2);
  const model = await send('POST', '/v1/models', { name: options.name });
  if (model.status !== 201) return refused(model);
  const project = await send('POST', `/v1/models/${model.body.id}/projects`, {
    name: 'A pair of features',
    inputCount: INPUTS,
    inputNames: ['a', 'b', 'c', 'whole', 'kind'],
    minimums: [0, 0, 0.01, 0, 1],
    maximums: [1, 1, 1, 4, 2],
    inputTypes: ['float', 'float', 'float', 'integer', 'category'],
    categories: [null, null, null, null, ['steel', 'copper']],
    outputCount: 3,
    ...sent.project,
  });
  if (project.status !== 201) return refused(project);
  const path = `/v1/models/${model.body.id}/projects/${project.body.id}`;
  const stated: Stated = {
    minimums: [0, 0, 0.01, 0, 1],
    maximums: [1, 1, 1, 4, 2],
    wholeFrom: 3,
    // Designed cases know nothing of the objective.
    holds: features.flatMap(({ name, holds }) => (holds ? [{ name, holds }] : [])),
  };
  const ofProject = {
    ...stated,
    holds: features.flatMap(({ name, holds, project: own }) => (holds && own ? [{ name, holds }] : [])),
  };
  const designed: number[][] = project.body.inputCases;
  for (const input of designed) faults.push(...checkInput(ofProject, input, 'designed'));
  const outputCases = designed.map(run);
  const loaded = await send('POST', `${path}/output-cases`, { outputCount: 3, outputCases });
  if (loaded.status !== 201) return refused(loaded);
  const trial = `${path}/trials/${loaded.body.trial_id}`;
  for (const { cases } of features) {
    if (cases === undefined) continue;
    const added = await send('POST', `${trial}/cases`, cases);
    if (added.status !== 201) return refused(added);
  }
  const objective = await send('POST', `${trial}/objectives`, {
    objectives: TARGET,
    objectiveTypes: ['value', 'value', 'value'],
    minimumBounds: [-0.01, -0.01, -0.01],
    maximumBounds: [0.01, 0.01, 0.01],
    desiredL1Norm: 0,
    ...sent.objective,
  });
  if (objective.status !== 201) return refused(objective);
  const url = `${trial}/objectives/${objective.body.id}`;
  const parallel = Math.max(1, ...features.map((one) => one.parallel ?? 1));
  const known = new Map<string, number[][]>();
  const know = (input: readonly number[], output: readonly number[]) => {
    const key = JSON.stringify(input);
    known.set(key, [...(known.get(key) ?? []), [...output]]);
  };
  for (const [k, input] of designed.entries()) know(input, outputCases[k]!);
  for (const { cases } of features)
    for (const [k, input] of cases?.inputs.entries() ?? []) know(input, cases!.outputs[k]!);
  let runs = 0;
  let stopReason = objective.body.stopReason as number;
  const open: { id: number; input: number[]; source: string | null }[] = [];
  let lastIteration = 1;
  while (runs < options.cycles && stopReason === 0) {
    while (open.length < parallel && runs + open.length < options.cycles) {
      const { status, body } = await send('POST', `${url}/inverses`);
      if (status === 409 && open.length > 0) break;
      if (status !== 201 && status !== 200) {
        faults.push(`a request for an input gets ${status}: ${JSON.stringify(body)}`);
        return { kind: 'held', faults, runs, stopReason, holdsInTruth: null };
      }
      // The last iteration of a search that has ended names its answer.
      if (body.status !== 'active') break;
      if (body.iteration !== lastIteration + 1) faults.push(`iteration ${body.iteration} follows ${lastIteration}`);
      lastIteration = body.iteration;
      faults.push(...checkInput(stated, body.input, `iteration ${body.iteration}`));
      open.push({ id: body.id, input: body.input, source: body.source ?? null });
    }
    const next = open.shift();
    if (next === undefined) {
      stopReason = (await send('GET', url)).body.stopReason;
      break;
    }
    runs++;
    const hasFailed = features.some(({ fails }) => fails) && runs % 3 === 2;
    const output = next.source === null ? run(next.input) : truth(next.input).map((y) => 0.9 * y + 0.05);
    const slopes = features.some(({ hasDerivatives }) => hasDerivatives) && next.source === null;
    const body = hasFailed ? { failed: true } : { output, ...(slopes && { jacobian: derivatives(next.input) }) };
    const put = await send('PUT', `${url}/inverses/${next.id}/output`, body);
    if (put.status !== 200) faults.push(`the output of a run gets ${put.status}: ${JSON.stringify(put.body)}`);
    if (!hasFailed && next.source === null) know(next.input, output);
    stopReason = (await send('GET', url)).body.stopReason;
  }
  const { holdsInTruth, faults: wrong } = await checkAnswer(send, url, { stated, known, truth, isNoisy: noise > 0 });
  return { kind: 'held', faults: [...faults, ...wrong], runs, stopReason, holdsInTruth };
}

/** Uniform numbers from 0 to 1: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
