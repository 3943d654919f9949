/** Playing objectives from the first suggestion to their end, with a journal of everything that the service has said. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';
import { BOXES, makeObjective } from './problems.ts';

/** One iteration as the client knows it. */
export interface JournalStep {
  readonly iteration: number;
  readonly inverseId: number;
  readonly input: readonly number[];
  /** null: the service ended the objective with this step, it was not run. */
  readonly output: readonly number[] | null;
}

export interface Journal {
  readonly index: number;
  objectiveId: number;
  readonly steps: JournalStep[];
  /** Every input ever seen, by iteration, as text that keeps all bits. */
  readonly seen: Map<number, Set<string>>;
  /** Computations that failed for good; the next suggest asked again. */
  failedComputations: number;
  isEnded: boolean;
}

export interface Setup {
  /** Path of the trial of every box. */
  readonly trialPaths: ReadonlyMap<string, string>;
}

/** Models, projects and output cases, before any chaos. */
export async function prepare(client: Client): Promise<Setup> {
  const trialPaths = new Map<string, string>();
  const create = async (path: string, body: object) => {
    const answer = await client.call('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (const box of BOXES) {
    const model = await create('/v1/models', { name: `chaos ${box.name}` });
    const { run, name, ...space } = box;
    const inputCount = box.minimums.length;
    const project = await create(`/v1/models/${model['id']}/projects`, { name, inputCount, ...space });
    const path = `/v1/models/${model['id']}/projects/${project['id']}`;
    const outputCases = (project['inputCases'] as number[][]).map((input) => run(input));
    const set = await create(`${path}/output-cases`, { outputCount: box.outputCount, outputCases });
    trialPaths.set(box.name, `${path}/trials/${set['trial_id']}`);
  }
  return { trialPaths };
}

/** Thrown for an answer that no client could expect. */
export class Unexpected extends Error {
  constructor(what: string, answer: Answer) {
    super(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

export interface PlayOptions {
  /** Steps after which the client stops the objective. */
  readonly stepLimit: number;
  /** Whether outputs go to the open iteration under a key, instead of to the iteration by its id. */
  readonly loadsOpenOutput: boolean;
  readonly onStep: () => void;
}

/** Plays objective `index` to its end. Throws Unexpected or GaveUp; the journal then holds what happened before. */
export async function play(client: Client, setup: Setup, journal: Journal, options: PlayOptions): Promise<void> {
  const { box, body } = makeObjective(journal.index);
  const trialPath = setup.trialPaths.get(box.name)!;
  const trialId = trialPath.split('/').at(-1)!;
  const made = await client.call('POST', `/v1/trials/${trialId}/initialize-inverse`, body);
  if (made.status !== 201) throw new Unexpected('initialize-inverse', made);
  journal.objectiveId = Number(made.body['objectiveId']);
  const path = `${trialPath}/objectives/${journal.objectiveId}`;
  for (let runs = 0; runs < options.stepLimit; runs++) {
    const asked = await suggest(client, path, journal);
    if (asked.kind === 'ended') break;
    const { step } = asked;
    if (asked.kind === 'run') {
      const output = box.run(step.input);
      const loaded = options.loadsOpenOutput
        ? await client.call('POST', `${path}/inverse-output`, { output })
        : await client.call('PUT', `${path}/inverses/${step.inverseId}/output`, { output });
      if (loaded.status !== 200) throw new Unexpected(`output of iteration ${step.iteration}`, loaded);
      journal.steps.push({ ...step, output });
    } else {
      journal.steps.push({ ...step, output: null });
    }
    options.onStep();
    if (asked.kind === 'stopped') break;
  }
  const ended = await client.call('POST', `${path}/stop`);
  if (ended.status !== 200) throw new Unexpected('stop', ended);
  observeAll(journal, ended.body['inverses']);
  journal.isEnded = true;
}

type SuggestedStep = Omit<JournalStep, 'output'>;
type Asked =
  | { readonly kind: 'run' | 'stopped'; readonly step: SuggestedStep }
  /** An output has ended the objective. */
  | { readonly kind: 'ended' };

/** The open iteration with its input, whatever it took to learn of it. */
async function suggest(client: Client, path: string, journal: Journal): Promise<Asked> {
  for (;;) {
    let answer = await client.call('POST', `${path}/inverses`);
    if (answer.status === 400) {
      const { body } = await client.call('GET', path);
      if (body['stopReason'] === 0) throw new Unexpected('suggest', answer);
      return afterTheEnd(journal, body);
    }
    // A repetition of a call whose answer was lost: the iteration stands at the path that the conflict names.
    if (answer.status === 409) answer = await client.call('GET', String(answer.body['instance']));
    while (answer.body['status'] === 'active' && answer.body['input'] === null) {
      await delay(200);
      answer = await client.call('GET', `${path}/inverses/${answer.body['id']}`);
    }
    if (answer.status !== 200 && answer.status !== 201) throw new Unexpected('suggest', answer);
    if (answer.body['status'] === 'failed') {
      journal.failedComputations += 1;
      continue;
    }
    const step = toStep(answer.body);
    observe(journal, step);
    return { kind: answer.body['status'] === 'stopped' ? 'stopped' : 'run', step };
  }
}

/** The objective has ended: with the last output, or with a step of the service whose answer was lost. */
function afterTheEnd(journal: Journal, objective: Readonly<Record<string, unknown>>): Asked {
  const inverses = objective['inverses'] as Record<string, unknown>[];
  observeAll(journal, inverses);
  const step = toListedStep(inverses.at(-1)!, inverses.length);
  const isKnown = journal.steps.some(({ inverseId }) => inverseId === step.inverseId);
  return isKnown || objective['stopReason'] !== 2 ? { kind: 'ended' } : { kind: 'stopped', step };
}

function toStep(body: Readonly<Record<string, unknown>>): SuggestedStep {
  return {
    iteration: Number(body['iteration']),
    inverseId: Number(body['id']),
    input: body['input'] as number[],
  };
}

function toListedStep(inverse: Readonly<Record<string, unknown>>, iteration: number): SuggestedStep {
  return { iteration, inverseId: Number(inverse['id']), input: inverse['inputs'] as number[] };
}

function observeAll(journal: Journal, inverses: unknown): void {
  (inverses as Record<string, unknown>[]).forEach((inverse, i) => {
    const step = toListedStep(inverse, i + 1);
    if (i > 0 && step.input.length > 0) observe(journal, step);
  });
}

function observe(journal: Journal, { iteration, input }: SuggestedStep): void {
  const seen = journal.seen.get(iteration) ?? new Set<string>();
  journal.seen.set(iteration, seen.add(JSON.stringify(input)));
}
