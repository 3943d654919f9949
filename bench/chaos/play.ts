/** Plays objectives from the first suggestion to the end, and keeps a journal of the service's answers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Client } from './client.ts';
import { BOXES, type Box, isParallel, makeObjective, PARALLELISM } from './problems.ts';
import { randomFrom } from './random.ts';

/** An inverse as the client knows it. */
export interface JournalInverse {
  readonly iteration: number;
  readonly inverseId: number;
  readonly input: readonly number[];
  /** null where the service ended the objective with this inverse, so that it was not run. */
  readonly output: readonly number[] | null;
}

export interface Journal {
  readonly index: number;
  objectiveId: number;
  readonly inverses: JournalInverse[];
  /** Every input seen, by iteration, as text that keeps all bits. */
  readonly seen: Map<number, Set<string>>;
  /** Computations that failed permanently; the next request for a suggestion tried again. */
  failedComputations: number;
  isEnded: boolean;
}

export interface Setup {
  /** The path of each box's trial. */
  readonly trialPaths: ReadonlyMap<string, string>;
}

/** Creates models, projects and output cases, before any fault. */
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

/** An answer that breaks the interface. */
class Unexpected extends Error {
  constructor(what: string, answer: Answer) {
    super(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

export interface PlayOptions {
  /** The client stops the objective after so many inverses. */
  readonly inverseLimit: number;
  /** Whether outputs go to the open iteration under an Idempotency-Key instead of to an inverse by its id. */
  readonly loadsOpenOutput: boolean;
  readonly onInverse: () => void;
}

/** Plays the journal's objective to its end. Throws Unexpected or GaveUp; the journal then holds everything before that. */
export async function play(client: Client, setup: Setup, journal: Journal, options: PlayOptions): Promise<void> {
  const { box, body } = makeObjective(journal.index);
  const trialPath = setup.trialPaths.get(box.name)!;
  const trialId = trialPath.split('/').at(-1)!;
  const made = await client.call('POST', `/v1/trials/${trialId}/initialize-inverse`, body);
  if (made.status !== 201) throw new Unexpected('initialize-inverse', made);
  journal.objectiveId = Number(made.body['objectiveId']);
  const path = `${trialPath}/objectives/${journal.objectiveId}`;
  if (isParallel(journal.index)) await playInParallel(client, path, journal, box, options);
  else await playInOrder(client, path, journal, box, options);
  const ended = await client.call('POST', `${path}/stop`);
  if (ended.status !== 200) throw new Unexpected('stop', ended);
  observeAll(journal, ended.body['inverses']);
  journal.isEnded = true;
}

async function playInOrder(
  client: Client,
  path: string,
  journal: Journal,
  box: Box,
  options: PlayOptions,
): Promise<void> {
  for (let runs = 0; runs < options.inverseLimit; runs++) {
    const asked = await suggest(client, path, journal);
    if (asked.kind === 'ended') break;
    const { inverse } = asked;
    if (asked.kind === 'run') {
      const output = box.run(inverse.input);
      const loaded = options.loadsOpenOutput
        ? await client.call('POST', `${path}/inverse-output`, { output })
        : await client.call('PUT', `${path}/inverses/${inverse.inverseId}/output`, { output });
      if (loaded.status !== 200) throw new Unexpected(`output of iteration ${inverse.iteration}`, loaded);
      journal.inverses.push({ ...inverse, output });
    } else {
      journal.inverses.push({ ...inverse, output: null });
    }
    options.onInverse();
    if (asked.kind === 'stopped') break;
  }
}

/** Asks for several inputs together and completes them in any order; some are given up, and some of those get their outputs late. */
async function playInParallel(
  client: Client,
  path: string,
  journal: Journal,
  box: Box,
  options: PlayOptions,
): Promise<void> {
  const random = randomFrom(journal.index);
  const patched = await client.call('PATCH', path, { parallelism: PARALLELISM, holdBack: random() < 0.5 });
  // It may have ended with its initial point.
  if (patched.status === 400) return;
  if (patched.status !== 200) throw new Unexpected('parallelism', patched);
  while (journal.inverses.length < options.inverseLimit) {
    const asked = await client.call('POST', `${path}/suggestions`, { count: 1 + Math.floor(random() * PARALLELISM) });
    if (asked.status === 400) return;
    if (asked.status > 202) throw new Unexpected('suggestions', asked);
    // Includes runs opened by an earlier call with a lost answer, or by a late copy of it.
    const listed = await client.call('GET', `${path}/inverses?status=open`);
    if (listed.status !== 200) throw new Unexpected('open inverses', listed);
    const open = (listed.body as unknown as Record<string, unknown>[]).map(toInverse);
    for (const inverse of open) observe(journal, inverse);
    const suggested = open.filter(({ input }) => input !== null);
    if (suggested.length > PARALLELISM) throw new Unexpected(`${suggested.length} open inverses`, listed);
    if (open.length > suggested.length) await delay(200);
    const chosen = suggested.toSorted(() => random() - 0.5).slice(0, 1 + Math.floor(random() * suggested.length));
    for (const inverse of chosen) await complete(client, path, journal, { inverse, box, random, options });
  }
}

async function complete(
  client: Client,
  path: string,
  journal: Journal,
  context: {
    readonly inverse: SuggestedInverse;
    readonly box: Box;
    readonly random: () => number;
    readonly options: PlayOptions;
  },
): Promise<void> {
  const { inverse, box, random, options } = context;
  const isGivenUp = random() < 0.1;
  if (isGivenUp) {
    const stopped = await client.call('POST', `${path}/inverses/${inverse.inverseId}/stop`);
    // Another output may have ended the objective, and with it this inverse.
    if (stopped.status !== 200) throw new Unexpected(`stop of iteration ${inverse.iteration}`, stopped);
  }
  if (isGivenUp && random() < 0.5) {
    journal.inverses.push({ ...inverse, output: null });
  } else {
    const output = box.run(inverse.input);
    const loaded = await client.call('PUT', `${path}/inverses/${inverse.inverseId}/output`, { output });
    if (loaded.status !== 200) throw new Unexpected(`output of iteration ${inverse.iteration}`, loaded);
    journal.inverses.push({ ...inverse, output });
  }
  options.onInverse();
}

type SuggestedInverse = Omit<JournalInverse, 'output'>;
type Asked =
  | { readonly kind: 'run' | 'stopped'; readonly inverse: SuggestedInverse }
  /** An output ended the objective. */
  | { readonly kind: 'ended' };

/** Returns the open inverse with its input, however many calls that takes. */
async function suggest(client: Client, path: string, journal: Journal): Promise<Asked> {
  for (;;) {
    let answer = await client.call('POST', `${path}/inverses`);
    if (answer.status === 400) {
      const { body } = await client.call('GET', path);
      if (body['stopReason'] === 0) throw new Unexpected('suggest', answer);
      return afterTheEnd(journal, body);
    }
    // The answer to an earlier call was lost; the conflict names the path of the inverse.
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
    const inverse = toInverse(answer.body);
    observe(journal, inverse);
    return { kind: answer.body['status'] === 'stopped' ? 'stopped' : 'run', inverse };
  }
}

/** The objective ended with the last output, or with an inverse of the service whose answer was lost. */
function afterTheEnd(journal: Journal, objective: Readonly<Record<string, unknown>>): Asked {
  const records = objective['inverses'] as Record<string, unknown>[];
  observeAll(journal, records);
  const inverse = toListedInverse(records.at(-1)!, records.length);
  const isKnown = journal.inverses.some(({ inverseId }) => inverseId === inverse.inverseId);
  return isKnown || objective['stopReason'] !== 2 ? { kind: 'ended' } : { kind: 'stopped', inverse };
}

function toInverse(body: Readonly<Record<string, unknown>>): SuggestedInverse {
  return {
    iteration: Number(body['iteration']),
    inverseId: Number(body['id']),
    input: body['input'] as number[],
  };
}

function toListedInverse(record: Readonly<Record<string, unknown>>, iteration: number): SuggestedInverse {
  return { iteration, inverseId: Number(record['id']), input: record['inputs'] as number[] };
}

function observeAll(journal: Journal, records: unknown): void {
  (records as Record<string, unknown>[]).forEach((record, i) => {
    const inverse = toListedInverse(record, i + 1);
    if (i > 0 && inverse.input.length > 0) observe(journal, inverse);
  });
}

function observe(journal: Journal, { iteration, input }: SuggestedInverse): void {
  if (input === null) return;
  const seen = journal.seen.get(iteration) ?? new Set<string>();
  journal.seen.set(iteration, seen.add(JSON.stringify(input)));
}
