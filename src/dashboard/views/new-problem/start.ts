/**
 * Makes the model, the project, its outputs and the objective out of a draft, one after another. The draft notes each as soon as
 * it is there, and every request has a key that depends on the draft and on what is sent: a second click, a second tab or a
 * reload in between gets the answer of the first request instead of making something twice.
 */
import {
  type Backsolve,
  BacksolveError,
  IdempotencyKeyInUseError,
  type NewObjectives,
  type NewProject,
  NotFoundError,
  UnauthenticatedError,
} from '../../../../clients/typescript/src/index.ts';
import { type Draft, type Made, namesOfRows } from './draft.ts';
import { fingerprint } from './fingerprint.ts';
import { placeViolations, type RequestName } from './pointers.ts';
import { type Faults, isFaultless, readDesign, readObjectives, readOwn, readResults } from './requests.ts';

export interface Workplace {
  readonly service: Pick<Backsolve, 'call' | 'pages'>;
  draft(): Draft;
  /** Stores the change immediately. */
  note(change: Partial<Draft>): void;
}

/** The draft has faults, or the service has found some. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly faults: Faults;

  constructor(faults: Faults) {
    super('The draft has errors.');
    this.faults = faults;
  }
}

function refuseFaults(...all: readonly Faults[]): void {
  const faults: Faults = Object.assign({}, ...all);
  if (!isFaultless(faults)) throw new RefusedError(faults);
}

/** Lets the service design the points, again if the inputs have changed. Rejects with a RefusedError or an error of the client. */
export async function designPoints(at: Workplace): Promise<void> {
  const { body, faults } = readDesign(at.draft());
  refuseFaults(faults);
  await makeProject(at, await makeModel(at), body);
}

/** Whether the points belong to the inputs as they are now. */
export function arePointsCurrent(draft: Draft): boolean {
  const { project, model, modelId } = draft;
  const parent = modelId ?? model?.id;
  return project?.points != null && project.print === fingerprint([parent, readDesign(draft).body]);
}

/** Resolves to where the search is seen. Rejects with a RefusedError or an error of the client. */
export async function start(at: Workplace): Promise<string> {
  const { body: objectives, faults } = readObjectives(at.draft());
  if (at.draft().workbook !== null) return startByWorkbook(at, objectives, faults);
  const isOwn = at.draft().data === 'own';
  const { project, results } = isOwn
    ? readOwn(at.draft())
    : { project: readDesign(at.draft()), results: readResults(at.draft()) };
  refuseFaults(project.faults, results.faults, faults);
  if (!isOwn) await refuseOtherPoints(at);
  const modelId = await makeModel(at);
  const projectId = await makeProject(at, modelId, project.body);
  const path = { model_id: modelId, project_id: projectId };
  const trialId = await makeTrial(at, path, results.body);
  const print = fingerprint([trialId, objectives]);
  const { body } = await send(at, 'objective', print, (idempotencyKey) =>
    at.service.call('loadObjectives', { path: { ...path, trial_id: trialId }, body: objectives, idempotencyKey }),
  );
  return `/page/objectives/${body.id}`;
}

/** A batch with one objective, which the service works through by the workbook. */
async function startByWorkbook(at: Workplace, objectives: NewObjectives, faults: Faults): Promise<string> {
  const project = readDesign(at.draft());
  refuseFaults(project.faults, faults);
  const { inputs, outputs, workbook, name } = at.draft();
  const modelId = await makeModel(at);
  const projectId = await makeProject(at, modelId, project.body);
  const { parallelism: _, ...definition } = objectives;
  const cells = (rows: readonly { readonly cell: string }[]) => rows.map(({ cell }) => cell);
  const request = {
    name,
    objectives: [definition],
    parallelism: 1,
    evaluator: { kind: 'workbook', workbookId: workbook!.id, inputs: cells(inputs), outputs: cells(outputs) },
  } as const;
  const { body } = await send(at, 'batch', fingerprint([projectId, request]), (idempotencyKey) =>
    at.service.call('createBatch', {
      path: { model_id: modelId, project_id: projectId },
      body: { ...request, objectives: [definition] },
      idempotencyKey,
    }),
  );
  return awaitObjective(at, body.id);
}

/** A workbook is calculated in seconds; a longer one is watched where batches are. */
const LOOKS = 60;
const LOOK_MS = 500;

async function awaitObjective(at: Workplace, batchId: number): Promise<string> {
  const path = { batch_id: batchId };
  for (let i = 0; i < LOOKS; i++) {
    const { body: found } = await at.service.call('listBatchObjectives', { path });
    const [first] = found;
    if (first?.objectiveId != null) return `/page/objectives/${first.objectiveId}`;
    const { body: batch } = await at.service.call('getBatch', { path });
    const reason = first?.failureReason ?? batch.failureReason;
    if (reason !== null) {
      // The next start is another batch.
      at.note({ round: at.draft().round + 1 });
      throw new RefusedError({ '': reason });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return `/page/administration?show=batches&open=${batchId}`;
}

/** The cells of the workbook, and names that others have, while the form is still open at them. Rejects as `start` does. */
export async function checkInputs(at: Workplace): Promise<void> {
  await refuseTakenName(at);
  const { workbook, inputs, outputs } = at.draft();
  if (workbook === null) return;
  const names = { inputs: namesOfRows(inputs, 'x'), outputs: namesOfRows(outputs, 'y') };
  const byName = (rows: readonly { readonly cell: string }[], of: readonly string[]) =>
    Object.fromEntries(rows.map(({ cell }, i) => [of[i]!, cell]));
  const { body } = await at.service.call('checkWorkbook', {
    path: { workbook_id: workbook.id },
    body: { inputs: byName(inputs, names.inputs), outputs: byName(outputs, names.outputs) },
  });
  refuseFaults(
    Object.fromEntries(
      body.faults.map(({ side, name, message }) => [
        name === '' ? side : `${side}/${names[side].indexOf(name)}/name`,
        message,
      ]),
    ),
  );
}

/** Problems are called like their model, where they have a new one. */
async function refuseTakenName(at: Workplace): Promise<void> {
  const { name, modelId, model } = at.draft();
  if (modelId !== null) return;
  for await (const other of at.service.pages('listModels', { query: { limit: 200 } })) {
    if (other.name !== name.trim() || other.id === model?.id) continue;
    throw new RefusedError({ name: 'A model of this name exists: choose it instead, or enter another name.' });
  }
}

/** The outputs belong to the points that were run: where a change of the inputs gives others, those must be run first. */
async function refuseOtherPoints(at: Workplace): Promise<void> {
  const before = at.draft().project?.points ?? null;
  if (before === null) throw new RefusedError({ results: 'Design the points and run them.' });
  if (arePointsCurrent(at.draft())) return;
  await designPoints(at);
  if (JSON.stringify(at.draft().project?.points) === JSON.stringify(before)) return;
  throw new RefusedError({ results: 'The inputs have changed, so there are new points. Run the new ones.' });
}

/** Deletes the records of a discarded draft. Records that cannot be deleted stay visible and do no harm. */
export async function giveUp(at: Workplace): Promise<void> {
  const { model, project } = at.draft();
  if (model !== null) await remove(() => at.service.call('deleteModel', { path: { model_id: model.id } }));
  else if (project !== null) await removeProject(at);
}

async function makeModel(at: Workplace): Promise<number> {
  const { modelId, model, name } = at.draft();
  if (modelId !== null) return modelId;
  const body = { name: name.trim() };
  const print = fingerprint(body);
  if (model?.print === print) return model.id;
  const { id } = await send(at, 'model', print, async (idempotencyKey) => {
    if (model === null) return (await at.service.call('createModel', { body, idempotencyKey })).body;
    return (await at.service.call('updateModel', { path: { model_id: model.id }, body })).body;
  });
  at.note({ model: { id, print } });
  return id;
}

async function makeProject(at: Workplace, modelId: number, body: NewProject): Promise<number> {
  const print = fingerprint([modelId, body]);
  const before = at.draft().project;
  if (before?.print === print) return before.id;
  if (before !== null) await removeProject(at);
  const { body: made } = await send(at, 'project', print, (idempotencyKey) =>
    at.service.call('createProject', { path: { model_id: modelId }, body, idempotencyKey }),
  );
  const points = body.inputCases == null ? made.inputCases : null;
  const { results } = at.draft();
  at.note({
    project: { id: made.id, print, modelId, points },
    ...(points !== null && { results: keptResults(before?.points ?? null, points, results) }),
  });
  return made.id;
}

/** The outputs of points that are still there. */
function keptResults(
  before: readonly (readonly number[])[] | null,
  points: readonly (readonly number[])[],
  results: Draft['results'],
): Draft['results'] {
  const known = new Map((before ?? []).map((point, r) => [point.join(), results[r] ?? []]));
  return points.map((point) => known.get(point.join()) ?? []);
}

async function makeTrial(
  at: Workplace,
  path: { readonly model_id: number; readonly project_id: number },
  body: ReturnType<typeof readResults>['body'],
): Promise<number> {
  const print = fingerprint([path.project_id, body]);
  const before = at.draft().trial;
  if (before?.print === print) return before.id;
  if (before !== null) {
    await remove(() => at.service.call('deleteTrial', { path: { ...path, trial_id: before.id } }));
    at.note({ trial: null, round: at.draft().round + 1 });
  }
  const { body: made } = await send(at, 'results', print, (idempotencyKey) =>
    at.service.call('loadOutputCases', { path, body, idempotencyKey }),
  );
  const trial: Made = { id: made.trial_id, print };
  at.note({ trial });
  return trial.id;
}

/** Uses a new key afterwards; otherwise a repeated request would answer with the project deleted here. */
async function removeProject(at: Workplace): Promise<void> {
  const { project, round } = at.draft();
  if (project === null) return;
  const path = { model_id: project.modelId, project_id: project.id };
  await remove(() => at.service.call('deleteProject', { path }));
  at.note({ project: null, trial: null, round: round + 1 });
}

async function remove(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** Turns a refusal into faults at their fields. */
async function send<Answer>(
  at: Workplace,
  name: RequestName,
  print: string,
  work: (idempotencyKey: string) => Promise<Answer>,
): Promise<Answer> {
  const { id, round } = at.draft();
  try {
    return await work(`page-${id}-${name}-${round}-${print}`);
  } catch (error) {
    if (!(error instanceof BacksolveError) || error.status >= 500 || isPassing(error)) throw error;
    // A refusal is remembered under its key like any answer, even when its cause is gone.
    at.note({ round: round + 1 });
    if (error instanceof NotFoundError) at.note({ model: null, project: null, trial: null });
    const isPlaced = error.violations.length > 0;
    throw new RefusedError(isPlaced ? placeViolations(at.draft(), name, error.violations) : { '': error.detail });
  }
}

function isPassing(error: BacksolveError): boolean {
  return error instanceof UnauthenticatedError || error instanceof IdempotencyKeyInUseError || error.status === 429;
}
