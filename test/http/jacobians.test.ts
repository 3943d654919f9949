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

/** Derivatives of `blackBox`. */
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
  expect((await send('GET', inverseUrl)).body.jacobian).toBeNull();
});

it('takes derivatives with the start of an objective, with added cases and with corrections, and repeats what was suggested before', async () => {
  const { trialUrl } = await prepare();
  const start = trial.project.inputCases[0]!;
  const sent = { ...OBJECTIVES, initialInput: start, initialOutput: blackBox(start).map((y) => y + 5) };
  const made = await send('POST', `${trialUrl}/objectives`, {
    ...sent,
    reuse: false,
    initialJacobian: { y1: { x2: 1 } },
  });
  expect(made.status, made.text).toBe(201);
  const objectiveId = made.body.id as number;
  const objectiveUrl = `${trialUrl}/objectives/${objectiveId}`;
  const ofStart = [Number.NaN, 1, ...NONE.slice(2)];
  expect(await known(objectiveId)).toEqual([...CASES, ofStart]);
  const first = await send('POST', `${objectiveUrl}/inverses`);

  const added = await send('POST', `${trialUrl}/cases`, {
    inputs: [
      [1.5, 2],
      [1.25, 3],
      [1.75, 4],
      [1.5, 2],
    ],
    outputs: [[1, 2, 3], null, [2, 3, 4], [1, 2, 3]],
    jacobians: [SLOPES, SLOPES, null, null],
  });
  expect(added.body, added.text).toMatchObject({ added: 3, duplicates: 1 });
  await send('POST', `${trialUrl}/cases`, { inputs: [[1.1, 2]], outputs: [[4, 4, 4]] });
  const cases = [...CASES, ROW, NONE, NONE, NONE];
  expect(await known(objectiveId)).toEqual([...cases, ofStart]);

  // A case without derivatives gets some, another one loses them, and an exclusion keeps them for later.
  const [added1, case1, case2] = [4, 1, 2].map((number) => `${trialUrl}/cases/${number}/corrections`);
  const reason = 'adjoint run later';
  const output = blackBox(trial.project.inputCases[1]!);
  const given = await send('POST', case2!, { output, jacobian: SLOPES, reason });
  expect(given.body, given.text).toMatchObject({
    jacobian: SLOPES,
    correction: { old: { jacobian: null }, new: { jacobian: SLOPES } },
  });
  expect((await send('POST', case2!, { output, reason })).body.correction).toBeNull();
  await send('POST', added1!, { excluded: true, reason });
  await send('POST', added1!, { excluded: false, reason });
  await send('POST', case1!, { output: blackBox(start), jacobian: null, reason });
  const corrected = [NONE, ROW, CASES[2]!, ROW, NONE, NONE, NONE];
  expect(await known(objectiveId)).toEqual([...corrected, ofStart]);

  // So do runs.
  const inverseUrl = `${objectiveUrl}/inverses/${first.body.id}`;
  await send('PUT', `${inverseUrl}/output`, { output: [50, 50, 50] });
  const next = await send('POST', `${objectiveUrl}/inverses`);
  const run = await send('POST', `${inverseUrl}/corrections`, {
    output: [51, 51, 51],
    jacobian: { y3: [2, null] },
    reason,
  });
  expect(run.status, run.text).toBe(200);
  const own = [...NONE.slice(0, 4), 2, Number.NaN];
  expect(await known(objectiveId)).toEqual([...corrected, ofStart, own]);
  expect((await send('GET', inverseUrl)).body.jacobian).toEqual([
    [null, null],
    [null, null],
    [2, null],
  ]);
  expect(await known(objectiveId, next.body.id)).toEqual([...corrected, ofStart, NONE]);
  expect(await known(objectiveId, first.body.id)).toEqual([...CASES, ofStart]);

  // Both are shown with the cases and the runs.
  const listed = (await send('GET', `${trialUrl}/cases`)).body;
  expect(listed.map((one: { jacobian: unknown }) => one.jacobian)).toEqual([
    null,
    SLOPES,
    [
      [1, null],
      [null, null],
      [2, null],
    ],
    SLOPES,
    null,
    null,
    null,
  ]);
  const { body: runs } = await send('GET', `${objectiveUrl}/runs`);
  const marked = runs.filter((one: { hasJacobian: boolean }) => one.hasJacobian);
  expect(marked.map((one: { number: number; iteration: number }) => one.number ?? -one.iteration)).toEqual([
    2, 3, 4, -1, -2,
  ]);
  expect((await send('GET', `${objectiveUrl}/history`)).body.withJacobian).toEqual([1, 2]);

  // Files have them on request, and can be loaded again.
  const csv = { accept: 'text/csv' };
  const rowsOf = async (path: string) => {
    const [titles, ...rows] = (await send('GET', path, undefined, csv)).text.trim().split('\r\n');
    return { titles: titles!.split(',').slice(-6), rows: rows.map((row) => row.split(',').slice(-6).join()) };
  };
  const titles = ['d:y1/x1', 'd:y1/x2', 'd:y2/x1', 'd:y2/x2', 'd:y3/x1', 'd:y3/x2'];
  const none = ',,,,,';
  const [full, third] = ['1,1,1,-1,2,0', '1,,,,2,'];
  expect(await rowsOf(`${trialUrl}/cases?derivatives=true`)).toEqual({
    titles,
    rows: [none, full, third, full, none, none, none],
  });
  expect((await rowsOf(`${objectiveUrl}/runs?derivatives=true`)).rows.slice(-4)).toEqual([
    none,
    ',1,,,,',
    ',,,,2,',
    none,
  ]);
  const ofObjective = [',1,,,,', ',,,,2,', none];
  expect((await rowsOf(`${objectiveUrl}/history?derivatives=true`)).rows).toEqual(ofObjective);
  expect((await rowsOf(`${objectiveUrl}/inverses?derivatives=true`)).rows).toEqual(ofObjective);
  const plain = await send('GET', `${objectiveUrl}/history`, undefined, csv);
  expect(plain.text).not.toContain('d:y1');
  const file = (await send('GET', `${trialUrl}/cases?derivatives=true`, undefined, csv)).text;
  const again = await send('POST', `${trialUrl}/cases`, file, { 'content-type': 'text/csv' });
  expect(again.body, again.text).toMatchObject({ added: 0, duplicates: 7 });

  const lines = (await send('GET', `/v1/models/${trial.model.id}/export`)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const trialId = Number(trialUrl.split('/').at(-1));
  const ofTrial = lines.filter((line) => line.trialId === trialId);
  const { outputCaseSetId } = lines.find(({ type, id }) => type === 'trial' && id === trialId);
  expect(
    lines.find((line) => line.type === 'outputCases' && line.outputCaseSetId === outputCaseSetId).jacobians,
  ).toEqual([
    SLOPES,
    null,
    [
      [1, null],
      [null, null],
      [2, null],
    ],
  ]);
  expect(ofTrial.filter(({ type }) => type === 'addedCases').map(({ jacobians }) => jacobians)).toEqual([
    [SLOPES, null, null],
    undefined,
  ]);
  expect(ofTrial.findLast(({ type }) => type === 'correction').new.jacobian).toEqual([
    [null, null],
    [null, null],
    [2, null],
  ]);
});

it.each([
  [
    'objectives',
    { ...OBJECTIVES, initialInput: undefined, initialOutput: undefined, initialJacobian: SLOPES },
    'initialJacobian',
  ],
  ['cases', { inputs: [[1, 1]], outputs: [[1, 2, 3]], jacobians: [] }, 'jacobians'],
  ['cases', { inputs: [[1, 1]], outputs: [[1, 2, 3]], jacobians: [[[1]]] }, 'jacobians[0]'],
  ['cases/1/corrections', { excluded: true, jacobian: SLOPES, reason: 'x' }, 'jacobian'],
  ['cases/1/corrections', { output: [1, 2, 3], jacobian: [[1, 2]], reason: 'x' }, 'jacobian'],
])('refuses derivatives of %s that do not fit: %j', async (path, body, field) => {
  const { trialUrl } = await prepare();
  const { status, text } = await send('POST', `${trialUrl}/${path}`, body);
  expect(status).toBe(400);
  expect(text).toContain(`"${field}"`);
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
