/** Batches over HTTP: what is accepted, shown and refused. How they are worked through: test/worker/batch-loop.test.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, OBJECTIVES, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;

beforeAll(async () => {
  service = await openNativeService();
});

afterAll(() => service?.close());

const { initialInput: _, initialOutput: __, ...GOAL } = OBJECTIVES;

it('A batch without a trial begins with the designed cases', async () => {
  const { send } = service;
  const { project, model, projectUrl } = await prepareTrial(send);
  const made = await send('POST', `${projectUrl}/batches`, { objectives: [GOAL], name: 'night' });
  expect(made.status, made.text).toBe(201);
  expect(made.headers['location']).toBe(`/v1/batches/${made.body.id}`);
  expect(made.body).toEqual({
    id: expect.any(Number),
    modelId: model.id,
    projectId: project.id,
    trialId: null,
    name: 'night',
    status: 'evaluating-cases',
    isPaused: false,
    parallelism: 4,
    evaluator: { kind: 'pull' },
    timeoutSeconds: 3600,
    maximumTries: 3,
    maximumLosses: 5,
    stopAfterFailures: 20,
    progress: {
      cases: { planned: 3, done: 0, failed: 0 },
      objectives: { planned: 1, running: 0, satisfied: 0, stopped: 0, exhausted: 0, failed: 0 },
      evaluations: { waiting: 3, leased: 0, done: 0, failed: 0, cancelled: 0 },
    },
    failureReason: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    finishedAt: null,
  });
  const batchUrl = `/v1/batches/${made.body.id}`;
  expect((await send('GET', batchUrl)).body).toEqual(made.body);
  expect((await send('GET', `/v1/batches?status=evaluating-cases&project_id=${project.id}`)).body).toEqual([made.body]);
  expect((await send('GET', `${batchUrl}/objectives`)).body).toEqual([
    {
      position: 1,
      objectiveId: null,
      stopReason: null,
      attemptCount: 0,
      completedCount: 0,
      satisfied: false,
      worstMiss: null,
      failureReason: null,
      bestInput: null,
      bestOutput: null,
    },
  ]);
  expect((await send('POST', `${batchUrl}/pause`, {})).body.isPaused).toBe(true);
  expect((await send('POST', `${batchUrl}/resume`, {})).body.isPaused).toBe(false);
  expect((await send('PATCH', batchUrl, { parallelism: 2, name: null })).body).toMatchObject({
    parallelism: 2,
    name: null,
  });
  const cancelled = await send('POST', `${batchUrl}/cancel`, {});
  expect(cancelled.body).toMatchObject({
    status: 'cancelled',
    progress: { evaluations: { waiting: 0, cancelled: 3 } },
  });
  expect((await send('POST', `${batchUrl}/cancel`, {})).body).toEqual(cancelled.body);
  const refused = await send('POST', `${batchUrl}/resume`, {});
  expect([refused.status, refused.body.type]).toEqual([409, 'urn:backsolve:problem:batch-ended']);
});

it('Every violation of a definition is named, with its position', async () => {
  const { send } = service;
  const { projectUrl, trialId } = await prepareTrial(send);
  const create = (body: object) => send('POST', `${projectUrl}/batches`, body);
  const pointersOf = (answer: { body: { errors: { pointer: string }[] } }) =>
    answer.body.errors.map(({ pointer }) => pointer);
  const malformed = await create({
    objectives: [GOAL, 7, { ...GOAL, convergence: 0, colour: 'red' }, { ...GOAL, objectives: ['a', 1, 2] }],
    evaluator: { kind: 'http' },
    parallelism: 65,
    trial: 3,
  });
  expect(malformed.status, malformed.text).toBe(400);
  expect(pointersOf(malformed)).toEqual([
    '/parallelism',
    '/evaluator/url',
    '/trial',
    '/objectives/1',
    '/objectives/2/colour',
    '/objectives/2/convergence',
    '/objectives/3/objectives/0',
  ]);
  const { minimumBounds: _missing, ...unbounded } = GOAL;
  const wrong = await create({
    trialId,
    objectives: [GOAL, unbounded, { ...GOAL, fixedInputs: [11, null] }, { ...GOAL, objectives: [1, 2] }],
  });
  expect(pointersOf(wrong)).toEqual([
    '/objectives/1/minimumBounds',
    '/objectives/2/fixedInputs/0',
    '/objectives/3/objectives',
    '/objectives/3/objectiveTypes',
    '/objectives/3/minimumBounds',
    '/objectives/3/maximumBounds',
  ]);
  expect(pointersOf(await create({ trialId: 999_999, objectives: [GOAL] }))).toEqual(['/trialId']);
  const inside = await create({ objectives: [GOAL], evaluator: { kind: 'http', url: 'https://10.1.2.3/run' } });
  expect(inside.body.errors).toEqual([
    {
      property: 'evaluator.url',
      pointer: '/evaluator/url',
      message:
        'must point to a public address, not to 10.1.2.3 unless the operator of the service allows evaluators there (ALLOW_PRIVATE_EVALUATORS).',
    },
  ]);
});

it('The secret of an http evaluator is shown once', async () => {
  const { send } = service;
  const { projectUrl, trialId } = await prepareTrial(send);
  const evaluator = { kind: 'http', url: 'https://rig.example/eval' };
  const made = await send('POST', `${projectUrl}/batches`, { trialId, objectives: [GOAL], evaluator });
  expect(made.body.secret).toMatch(/^whsec_.{44}$/);
  expect(made.body.evaluator).toEqual({ ...evaluator, timeoutSeconds: null, concurrency: null });
  expect(made.body).toMatchObject({ status: 'solving', trialId, progress: { cases: { planned: 0 } } });
  expect((await send('GET', `/v1/batches/${made.body.id}`)).body.secret).toBeUndefined();
});
