/** States a problem, or finds it again: model, project and batch, each looked for before it is created under a key of its own. */
import { createHash } from 'node:crypto';
import type { Backsolve, Batch, Project } from '../../../clients/typescript/src/index.ts';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { toServiceName } from '../../../clients/typescript/src/solve/plan.ts';
import { saidBy } from '../../../clients/typescript/src/solve/refusal.ts';
import { countOf } from './numbers.ts';
import { isOpen } from './problems.ts';
import { type ProblemArguments, problemSchema, type StatedProblem, toStatedProblem } from './stated-problem.ts';
import { defineTool, type Said, ToolError } from './tool.ts';

export const stateProblem = defineTool({
  name: 'state_problem',
  title: 'State a problem',
  description:
    'Says what can be set and what is wanted, for a black box that you run yourself: a simulation, a program, a measurement. ' +
    'Returns the number of the problem. Stating the same again returns the same problem, so repeat it freely when you do not know whether it worked. ' +
    'The same name and inputs with other targets begin a new search on the runs made so far. Next: next_inputs.',
  schema: problemSchema,
  isReadOnly: false,
  run: async ({ client, args }) => describe(await open(client, args), args),
});

interface Opened {
  readonly batch: Batch;
  readonly stated: StatedProblem;
  readonly isNew: boolean;
}

async function open(client: Backsolve, args: ProblemArguments): Promise<Opened> {
  const stated = toStatedProblem(args);
  const project = await findProject(client, args.name, stated);
  const batches: Batch[] = [];
  const query = { project_id: project.id, order: 'newest' } as const;
  for await (const batch of client.pages('listBatches', { query })) batches.push(batch);
  const found = batches.find((batch) => batch.name === stated.batchName);
  if (found !== undefined) return { batch: found, stated, isNew: false };
  return { batch: await createBatch(client, { args, project, stated, earlier: batches[0] }), stated, isNew: true };
}

/** Under a key of the contents, so that a second request creates nothing, even one that runs beside the first. */
function keyOf(...parts: readonly unknown[]): string {
  return `agent ${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
}

async function findProject(client: Backsolve, name: string, { project: stated }: StatedProblem): Promise<Project> {
  const path = { model_id: await findModel(client, toServiceName(name)) };
  const wanted = toServiceName(name);
  try {
    for await (const { id, name: known } of client.pages('listProjects', { path })) {
      if (known !== wanted) continue;
      const { body } = await client.call('getProject', { path: { ...path, project_id: id } });
      refuseChanges(name, body, stated as unknown as Partial<Project>);
      return body;
    }
    const creating = client.call('createProject', { path, body: stated, idempotencyKey: keyOf(path, stated) });
    return (await saidBy('mcp', '/project', { project: stated }, creating)).body;
  } catch (error) {
    if (!(error instanceof BacksolveError) || error.status !== 404) throw error;
    throw new ToolError(`A problem named ${JSON.stringify(name)} was deleted. State it under another name.`);
  }
}

/** Names of models are unique within an account. */
async function findModel(client: Backsolve, name: string): Promise<number> {
  const known = await findModelByName(client, name);
  if (known !== undefined) return known;
  try {
    return (await client.call('createModel', { body: { name }, idempotencyKey: keyOf('model', name) })).body.id;
  } catch (error) {
    // Another agent may have been faster.
    const made =
      error instanceof BacksolveError && error.status < 500 ? await findModelByName(client, name) : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

async function findModelByName(client: Backsolve, name: string): Promise<number | undefined> {
  for await (const model of client.pages('listModels')) if (model.name === name) return model.id;
  return undefined;
}

/** Properties that tell two problems apart, by the names of this tool. */
const COMPARED = {
  inputNames: 'names of the inputs',
  inputTypes: 'types',
  minimums: 'minimum',
  maximums: 'maximum',
  categories: 'choices',
  steps: 'step',
  levels: 'levels',
  constraints: 'constraints',
  outputNames: 'names of the outputs',
} as const satisfies { readonly [Field in keyof Project]?: string };

/** Throws ToolError when the name belongs to a problem with other inputs or outputs. */
function refuseChanges(name: string, known: Project, stated: Partial<Project>): void {
  const fields = Object.keys(COMPARED) as (keyof typeof COMPARED)[];
  const changed = fields.filter((field) => textOf(known[field]) !== textOf(stated[field]));
  if (changed.length === 0) return;
  const changes = changed.map((field) => `${COMPARED[field]}: ${textOf(known[field])} is now ${textOf(stated[field])}`);
  throw new ToolError(
    `There is a problem ${JSON.stringify(name)} already, with other inputs or outputs, so its runs do not fit:\n${changes.join('\n')}\nState it as it was, or give this one another name. Only targets may change.`,
  );
}

/** Lists in which nothing is stated are the same as none. */
function textOf(value: unknown): string {
  const isEmpty = (one: unknown) => one == null || (Array.isArray(one) && one.length === 0);
  if (!Array.isArray(value) || value.every(isEmpty)) return 'nothing';
  return JSON.stringify(value.map((one) => (isEmpty(one) ? null : one)));
}

interface NewSearch {
  readonly args: ProblemArguments;
  readonly project: Project;
  readonly stated: StatedProblem;
  /** The newest batch of the project. */
  readonly earlier: Batch | undefined;
}

async function createBatch(client: Backsolve, { args, project, stated, earlier }: NewSearch): Promise<Batch> {
  if (earlier !== undefined && earlier.trialId === null && isOpen(earlier))
    throw new ToolError(
      `Problem ${earlier.id} has the same name and inputs, and its designed cases are not all run yet. Run them with next_inputs for problem ${earlier.id}; then state the other targets again.`,
    );
  const body = {
    name: stated.batchName,
    objectives: [stated.objective],
    parallelism: args.parallel,
    ...PATIENCE,
    ...(earlier?.trialId != null && { trialId: earlier.trialId }),
  };
  const path = { model_id: project.modelId, project_id: project.id };
  const idempotencyKey = keyOf(path, body);
  const creating = client.call('createBatch', { path, body, idempotencyKey });
  return (await saidBy('mcp', '/batch', { project: stated.project, objectives: [stated.objective] }, creating)).body;
}

/** An agent sends no heartbeats, may take days for a run, and may be gone for hours: none of this is a fault of a run. */
const PATIENCE = { timeoutSeconds: 1_209_600, maximumLosses: 100 } as const;

function describe({ batch, stated, isNew }: Opened, { name, inputs, outputs }: ProblemArguments): Said {
  const { planned, done, failed } = batch.progress.cases;
  const size = `${countOf(inputs.length, 'input')}, ${countOf(outputs.length, 'output')}`;
  const first =
    planned === 0
      ? 'The search begins with the runs known so far.'
      : `${countOf(planned, 'designed case')} first, ${done + failed} of them run.`;
  const state = isNew ? 'is stated' : `was stated before (${batch.status})`;
  const text = [`Problem ${batch.id} ${state}: ${name}, ${size}. ${first}`, ...stated.advice];
  text.push(`Next: next_inputs with problem ${batch.id}.`);
  return { text: text.join('\n'), data: { problem: batch.id, isNew, status: batch.status, advice: stated.advice } };
}
