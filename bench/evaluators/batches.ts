/** The batches of a run: several projects whose designed cases and objectives evaluators work through. */
import { randomUUID } from 'node:crypto';
import type { Client } from '../chaos/client.ts';
import { BOXES, makeObjective } from '../chaos/problems.ts';

export interface BatchPlan {
  readonly box: string;
  readonly parallelism: number;
  readonly objectives: number;
}

export interface MadeBatch extends BatchPlan {
  readonly id: number;
  readonly projectId: number;
}

/** Evaluations that an objective needs on average. */
const PER_OBJECTIVE = 8;
const PARALLELISMS = [1, 4, 16, 2, 8, 3];
/** Inverses after which an objective is exhausted. */
const MAXIMUM_ATTEMPTS = 14;

/** As many objectives as will need about so many evaluations. */
export function planBatches(count: number, evaluations: number): readonly BatchPlan[] {
  const plans = Array.from({ length: count }, (_, i) => ({
    box: BOXES[i % BOXES.length]!.name,
    parallelism: PARALLELISMS[i % PARALLELISMS.length]!,
  }));
  // A batch works through its objectives about as fast as its parallelism allows; all should end at about the same time.
  const weight = (parallelism: number) => Math.sqrt(parallelism);
  const total = plans.reduce((sum, { parallelism }) => sum + weight(parallelism), 0);
  return plans.map((plan) => ({
    ...plan,
    objectives: Math.max(2, Math.round((evaluations / PER_OBJECTIVE) * (weight(plan.parallelism) / total))),
  }));
}

/** Reachable and unreachable objectives of every type in turn. */
function objectivesOf(box: string, from: number, count: number): readonly object[] {
  const boxIndex = BOXES.findIndex(({ name }) => name === box);
  return Array.from({ length: count }, (_, i) => {
    const { body } = makeObjective((from + i) * BOXES.length + boxIndex);
    // It starts from the best case. Every eighth learns from the others of its trial, every third opens fewer inverses than it may.
    const { initialInput: _input, initialOutput: _output, ...definition } = body;
    return {
      ...definition,
      maximumAttempts: MAXIMUM_ATTEMPTS,
      ...(i % 3 === 2 && { parallelism: 1 + (i % 4), holdBack: i % 2 === 0 }),
    };
  });
}

export async function createBatch(client: Client, plan: BatchPlan): Promise<MadeBatch> {
  const { run: _run, name, outputCount, ...space } = BOXES.find((each) => each.name === plan.box)!;
  const model = await create(client, '/v1/models', { name: `${name} ${randomUUID()}` });
  const project = await create(client, `/v1/models/${model['id']}/projects`, {
    name,
    inputCount: space.minimums.length,
    outputCount,
    ...space,
  });
  const batch = await create(client, `/v1/models/${model['id']}/projects/${project['id']}/batches`, {
    name: `${name}, ${plan.parallelism} at a time`,
    objectives: objectivesOf(plan.box, 0, plan.objectives),
    parallelism: plan.parallelism,
  });
  return { ...plan, id: Number(batch['id']), projectId: Number(project['id']) };
}

async function create(client: Client, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await client.call('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The state of a batch over HTTP, as far as the run needs it. */
export interface BatchState {
  readonly status: string;
  readonly failureReason: string | null;
  readonly evaluations: Readonly<Record<'waiting' | 'leased' | 'done' | 'failed' | 'cancelled', number>>;
}

export async function readBatch(client: Client, id: number): Promise<BatchState> {
  const { status, body } = await client.call('GET', `/v1/batches/${id}`);
  if (status !== 200) throw new Error(`GET /v1/batches/${id}: ${status} ${JSON.stringify(body)}`);
  const { evaluations } = body['progress'] as Pick<BatchState, 'evaluations'>;
  return { status: String(body['status']), failureReason: body['failureReason'] as string | null, evaluations };
}

export async function changeBatch(client: Client, id: number, what: 'pause' | 'resume' | 'cancel'): Promise<void> {
  const { status, body } = await client.call('POST', `/v1/batches/${id}/${what}`);
  if (status !== 200) throw new Error(`${what} batch ${id}: ${status} ${JSON.stringify(body)}`);
}

export async function addObjectives(client: Client, batch: MadeBatch, from: number, count: number): Promise<void> {
  const path = `/v1/batches/${batch.id}/objectives`;
  const { status, body } = await client.call('POST', path, { objectives: objectivesOf(batch.box, from, count) });
  if (status !== 200 && status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
}
