/** Objectives with any number of runs, for tests and measurements of the page: created over HTTP, extended by SQL. */
import { sql } from 'kysely';
import type { Db } from '../src/db/connection/transaction.ts';
import { judgeIterations, makeMissMeasure, type WeighedDefinition } from '../src/domain/search/nearest.ts';

/** Sends a JSON body to a path below /v1, and resolves to the answer; throws if it is refused. */
// biome-ignore lint/suspicious/noExplicitAny: data from the wire is read field by field
export type SendJson = (method: 'POST', path: string, body: object) => Promise<any>;

export interface SeededProblem {
  readonly inputs: number;
  readonly outputs: number;
  /** The initial point is one of them. */
  readonly runs: number;
  /** Every nth run has failed. */
  readonly failedEvery?: number;
  /** Whether an input is open. */
  readonly isOpen?: boolean;
  readonly project?: Readonly<Record<string, unknown>>;
  readonly objective?: Readonly<Record<string, unknown>>;
}

const ROWS_PER_INSERT = 500;

/** Resolves to the id of the objective. */
export async function seedObjective(send: SendJson, db: Db, problem: SeededProblem): Promise<number> {
  const { inputs, outputs, runs } = problem;
  const answer = makeAnswer(inputs, outputs);
  const wanted = answer(goalInput(inputs));
  const model = await send('POST', '/models', { name: `model ${crypto.randomUUID()}` });
  const first = range(inputs).map((i) => (i % 2 === 0 ? 0.95 : 0.1));
  const project = await send('POST', `/models/${model.id}/projects`, {
    name: 'Heat exchanger',
    inputCount: inputs,
    minimums: range(inputs).fill(0),
    maximums: range(inputs).fill(1),
    inputTypes: new Array(inputs).fill('float'),
    inputCases: [first],
    ...problem.project,
  });
  const path = `/models/${model.id}/projects/${project.id}`;
  const set = await send('POST', `${path}/output-cases`, { outputCount: outputs, outputCases: [answer(first)] });
  const objective = await send('POST', `${path}/trials/${set.trial_id}/objectives`, {
    objectives: wanted.map((value, j) => [value, value, value + 0.5, value - 0.5][j % 4]),
    objectiveTypes: wanted.map((_, j) => ['percent', 'value', 'lessthan_equal', 'greaterthan_equal'][j % 4]),
    minimumBounds: wanted.map((_, j) => [-1, -0.1, null, null][j % 4]),
    maximumBounds: wanted.map((_, j) => [1, 0.1, null, null][j % 4]),
    initialInput: first,
    initialOutput: answer(first),
    desiredL1Norm: 0,
    maximumAttempts: 100_000,
    ...problem.objective,
  });
  const rows = range(runs + 1)
    .slice(2)
    .map((iteration) => makeRow(iteration, problem, answer));
  if (problem.isOpen) rows.push({ ...makeRow(runs + 1, problem, answer), output: null, isFailed: false });
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    await insertRows(db, objective.id, rows.slice(from, from + ROWS_PER_INSERT));
  }
  await judge(db, objective.id, objective, rows);
  return objective.id;
}

interface Row {
  readonly iteration: number;
  readonly input: readonly number[];
  readonly output: readonly number[] | null;
  readonly isFailed: boolean;
}

/** Inputs come nearer to the goal with every run. */
function makeRow(
  iteration: number,
  { inputs, runs, failedEvery = 0 }: SeededProblem,
  answer: (input: readonly number[]) => number[],
): Row {
  const reach = 0.5 * Math.exp((-4 * iteration) / runs) + 0.004;
  const input = goalInput(inputs).map((u, i) => {
    const noise = 2 * fraction(Math.sin(iteration * 12.9898 + i * 78.233) * 43758.5453) - 1;
    return Math.min(1, Math.max(0, u + reach * noise));
  });
  const isFailed = failedEvery > 0 && iteration % failedEvery === 0;
  return { iteration, input, output: isFailed ? null : answer(input), isFailed };
}

/** Smooth outputs of several inputs each. */
function makeAnswer(inputs: number, outputs: number) {
  const weights = range(outputs).map((j) => range(inputs).map((i) => Math.cos(1 + 3 * j + 7 * i * (j + 1))));
  return (input: readonly number[]) =>
    weights.map((row, j) => {
      const z = row.reduce((sum, weight, i) => sum + weight * input[i]!, 0) / Math.sqrt(inputs);
      return 10 + (j % 7) + 2 * Math.sin(2 * z + j) + z * z;
    });
}

const goalInput = (inputs: number) => range(inputs).map((i) => 0.3 + 0.4 * fraction(i * 0.618));
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const fraction = (value: number) => value - Math.floor(value);

async function insertRows(db: Db, objectiveId: number, rows: readonly Row[]): Promise<void> {
  const vector = (values: readonly number[] | null) => values && `{${values.join(',')}}`;
  const sent = rows.map(({ input, output, ...row }) => ({ ...row, input: vector(input), output: vector(output) }));
  await sql`
    insert into inverses (account_id, objective_id, iteration, status, input, output, suggested_at, loaded_at,
      failed_at, failure_reason, compute_time_ns)
    select o.account_id, o.id, r.iteration, case when r."isFailed" then 'failed' else 'active' end,
      r.input::float8[], r.output::float8[], now(), case when r.output is not null then now() end,
      case when r."isFailed" then now() end, case when r."isFailed" then 'mesh collapsed' end, 4e9
    from objectives o, jsonb_to_recordset(${JSON.stringify(sent)}::jsonb)
      as r (iteration int, "isFailed" boolean, input text, output text)
    where o.id = ${objectiveId}`.execute(db);
}

async function judge(db: Db, objectiveId: number, definition: WeighedDefinition, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const known = { nearestIteration: null, judgedThrough: 0 };
  const { nearestIteration, judgedThrough } = judgeIterations(makeMissMeasure(definition), known, rows);
  await sql`
    update objectives set attempt_count = ${rows.length}::int, judged_through = ${judgedThrough}::int,
      nearest_iteration = ${nearestIteration}::int where id = ${objectiveId}`.execute(db);
}
