/** Derivatives over HTTP: who may report them in which form, what is stored, and what a suggestion is computed from. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSourcedRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshot, readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { accountIdOf, insertBatch, insertEvaluations } from '../support/evaluations.ts';
import {
  blackBox,
  type NativeService,
  OBJECTIVES,
  openNativeService,
  prepareTrial,
  type Send,
} from './native-service.ts';

/** Of `blackBox`. */
const SLOPES = [
  [1, 1],
  [1, -1],
  [2, 0],
];
const ROW = SLOPES.flat();
const NONE = ROW.map(() => Number.NaN);

let service: NativeService;
let send: Send;
let accountId: number;
let trial: Awaited<ReturnType<typeof prepareTrial>>;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  send = service.send;
  accountId = await accountIdOf(service.db);
  trial = await prepareTrial(send);
});
afterAll(() => service.close());

const load = (body: object) =>
  send('POST', `${trial.projectUrl}/output-cases`, {
    outputCount: 3,
    outputCases: trial.project.inputCases.map(blackBox),
    ...body,
  });

/** An objective on a trial whose cases have derivatives, the second one none. */
async function prepare() {
  const { body } = await load({ jacobians: [SLOPES, null, { y1: { x1: 1 }, y3: [2, null] }] });
  const trialUrl = `${trial.projectUrl}/trials/${body.trial_id}`;
  const objective = await send('POST', `${trialUrl}/objectives`, OBJECTIVES);
  expect(objective.status, objective.text).toBe(201);
  return {
    trialUrl,
    objectiveId: objective.body.id as number,
    objectiveUrl: `${trialUrl}/objectives/${objective.body.id}`,
  };
}

/** The derivatives of the rows that a suggestion would be computed from, or was. */
async function known(objectiveId: number, inverseId?: number) {
  const snapshot =
    inverseId === undefined
      ? await readSnapshot(service.db, { accountId, objectiveId })
      : await readSnapshotOf(service.db, { accountId, inverseId });
  const { count, jacobian } = toSourcedRequest(snapshot!, 100).request.history;
  return Array.from({ length: count }, (_, row) => Array.from(jacobian!.subarray(row * 6, (row + 1) * 6)));
}

const CASES = [ROW, NONE, [1, Number.NaN, Number.NaN, Number.NaN, 2, Number.NaN]];

it('keeps the derivatives of cases and of runs, shows them, and computes suggestions from them', async () => {
  const { objectiveId, objectiveUrl } = await prepare();
  const first = await send('POST', `${objectiveUrl}/inverses`);
  const inverseUrl = `${objectiveUrl}/inverses/${first.body.id}`;
  expect(await known(objectiveId, first.body.id)).toEqual([...CASES, NONE]);
  const output = blackBox(first.body.input).map((y) => y + 5);
  const put = await send('PUT', `${inverseUrl}/output`, { output, jacobian: { y2: { x2: -1 }, y1: [1, null] } });
  expect(put.status, put.text).toBe(200);
  expect((await send('GET', inverseUrl)).body.jacobian).toEqual([
    [1, null],
    [null, -1],
    [null, null],
  ]);
  const own = [1, Number.NaN, Number.NaN, -1, Number.NaN, Number.NaN];
  expect(await known(objectiveId)).toEqual([...CASES, NONE, own]);
  expect((await send('GET', `/v1/export`)).text).toContain('"jacobian":[[1,null],[null,-1],[null,null]]');

  // A corrected output has no derivatives; what was suggested before was computed from the old ones.
  const next = await send('POST', `${objectiveUrl}/inverses`);
  const corrected = await send('POST', `${inverseUrl}/corrections`, {
    output: output.map((y) => y + 1),
    reason: 'typo',
  });
  expect(corrected.status, corrected.text).toBe(200);
  expect(await known(objectiveId)).toEqual([...CASES, NONE, NONE]);
  expect(await known(objectiveId, next.body.id)).toEqual([...CASES, NONE, own]);
});

it('keeps them for evaluations of cases and of inverses, and for other objectives', async () => {
  const { objectiveId, objectiveUrl, trialUrl } = await prepare();
  const { id, input } = (await send('POST', `${objectiveUrl}/inverses`)).body;
  const batchId = await insertBatch(service.db, { accountId, modelId: trial.model.id, projectId: trial.project.id });
  const ids = await insertEvaluations(service.db, batchId, [{ objectiveId, inverseId: id, input }, { input: [1, 2] }]);
  const { evaluations } = (await send('POST', '/v1/evaluations/claim', { evaluator: 'rig', limit: 2, batchId })).body;
  for (const { id: evaluationId, leaseToken } of evaluations) {
    const report = { leaseToken, output: blackBox(input).map((y) => y + 5) };
    const url = `/v1/evaluations/${evaluationId}/output`;
    const wrong = await send('PUT', url, { ...report, jacobian: [[1, 2]] });
    expect(wrong.status).toBe(400);
    const { status, text } = await send('PUT', url, { ...report, jacobian: SLOPES });
    expect(status, text).toBe(200);
  }
  const [stored] = await service.db.selectFrom('evaluations').select('jacobian').where('id', '=', ids[1]!).execute();
  expect(stored!.jacobian).toEqual(ROW);
  expect(await known(objectiveId)).toEqual([...CASES, NONE, ROW]);
  const other = await send('POST', `${trialUrl}/objectives`, { ...OBJECTIVES, reuse: true });
  expect(await known(other.body.id)).toEqual([...CASES, ROW, NONE]);
});

it.each([
  [[SLOPES], 'jacobians'],
  [[[[1, 1]], null, null], 'jacobians[0]'],
  [[[[1, 1], [1], null], null, null], 'jacobians[0][1]'],
  [[[[1, 'x'], null, null], null, null], 'jacobians[0][0][1]'],
  [[{ z: {} }, null, null], 'jacobians[0].z'],
  [[{ y1: { x9: 1 } }, null, null], 'jacobians[0].y1.x9'],
  [[7, null, null], 'jacobians[0]'],
])('refuses %j and names the place', async (jacobians, field) => {
  const { status, body } = await load({ jacobians });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(`"${field}"`);
});
