/** A running objective over HTTP, and its job in the database. */
import pg from 'pg';
import { LINEAR_OBJECTIVE, linear } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';

export interface Inverse {
  readonly id: number;
  readonly iteration: number;
  readonly status: string;
  readonly input: readonly number[] | null;
}

/** Path of a new objective. Always the same definition in the same space, so that suggestions have the same bits every time. */
export async function loadObjective(service: Pick<TestService, 'ok'>): Promise<string> {
  const inputCases = [
    [0, 0],
    [10, 1],
  ];
  const model = await service.ok<{ id: number }>('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const project = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'linear',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    categories: [],
    inputCases,
  });
  const projectPath = `/models/${model.id}/projects/${project.id}`;
  const { trial_id } = await service.ok<{ trial_id: number }>('POST', `${projectPath}/output-cases`, {
    outputCount: 3,
    outputCases: inputCases.map(linear),
  });
  const trialPath = `${projectPath}/trials/${trial_id}`;
  const { id } = await service.ok<{ id: number }>('POST', `${trialPath}/objectives`, LINEAR_OBJECTIVE);
  return `${trialPath}/objectives/${id}`;
}

/** The suggestion of an undisturbed service for this objective. */
export async function undisturbedInput(service: Pick<TestService, 'ok'>): Promise<readonly number[]> {
  const path = await loadObjective(service);
  const inverse = await service.ok<Inverse>('POST', `${path}/inverses`);
  return inverse.input!;
}

/** A direct connection to the database. */
export async function openAdmin(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // After a failed test, the connection ends with its database.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Blocks workers until this transaction ends: they claim jobs, then wait for the cases with their lease in hand. */
export async function holdUpWorkers(admin: pg.Client): Promise<void> {
  await admin.query('begin');
  await admin.query('lock table output_case_sets in access exclusive mode');
}

export interface JobRow {
  readonly state: string;
  readonly attempts: number;
  readonly leased_by: string | null;
}

/** The open job of an objective, or undefined. */
export async function readJob(admin: pg.Client, objectivePath: string): Promise<JobRow | undefined> {
  const text = 'select state, attempts, leased_by from suggestion_jobs where objective_id = $1';
  const { rows } = await admin.query<JobRow>(text, [objectivePath.split('/').at(-1)]);
  return rows[0];
}

export async function readInverses(service: Pick<TestService, 'ok'>, objectivePath: string) {
  return service.ok<{
    readonly attemptCount: number;
    readonly stopReason: number;
    readonly inverses: readonly { readonly inputs: number[]; readonly outputs: number[]; readonly status: string }[];
  }>('GET', objectivePath);
}
