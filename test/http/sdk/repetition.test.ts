/** Calls that are repeated because their answer was lost, and loops that continue after the end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NativeService, openNativeService, type Send } from '../native-service.ts';
import { linear, makeObjective, makeTrial, OBJECTIVES, SPACE } from './sdk-client.ts';

let service: NativeService;
let send: Send;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  send = service.send;
});
afterAll(() => service.close());

const load = (id: number, output: readonly number[]) => send('POST', `/api/inverses/${id}/load-output`, { output });
const nativeUrl = ({
  model,
  project,
  trial,
  objective,
}: Record<'model' | 'project' | 'trial' | 'objective', { id: number }>) =>
  `/v1/models/${model.id}/projects/${project.id}/trials/${trial.id}/objectives/${objective.id}`;

describe('suggest', () => {
  it('Suggest returns the open inverse as long as its output is missing', async () => {
    const { suggestUrl, url } = await makeObjective(send);
    const first = await send('POST', suggestUrl, {});
    const again = await Promise.all([1, 2, 3].map(() => send('POST', suggestUrl, {})));
    for (const answer of again) expect([answer.status, answer.body]).toEqual([200, first.body]);
    expect((await send('GET', url)).body).toMatchObject({ attemptCount: 1, inverses: [{}, { id: first.body.id }] });
  });

  it('Simultaneous suggest calls create one inverse', async () => {
    const { suggestUrl } = await makeObjective(send);
    const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', suggestUrl, {})));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => String(body.input))).size).toBe(1);
  });

  it('Suggest is 503 with Retry-After until the suggestion is computed, then returns that inverse', async () => {
    const slow = await openNativeService({ settings: { suggestWaitMs: 10 } });
    const { suggestUrl, objective } = await makeObjective(slow.send);
    const early = await slow.send('POST', suggestUrl, {});
    expect([early.status, early.headers['retry-after']]).toEqual([503, '4']);
    expect(early.body.message).toContain('retry');
    expect((await slow.send('POST', suggestUrl, {})).status).toBe(503);
    const read = (await slow.send('GET', `/api/objectives/${objective.id}`)).body;
    expect(read.attemptCount).toBe(0);
    await slow.close();
  });

  it('Suggest returns the initial point if it satisfied everything, so that loops end', async () => {
    const { suggestUrl, objective, outputCases } = await makeObjective(send, {
      initialInput: [1, 1],
      initialOutput: linear([1, 1]),
    });
    expect(objective).toMatchObject({ stopReason: 1, optimalInverse: { iteration: 1 } });
    expect(outputCases.length).toBeGreaterThan(0);
    const suggested = await send('POST', suggestUrl, {});
    expect([suggested.status, suggested.body]).toEqual([200, objective.inverses[0]]);
    const loaded = await load(suggested.body.id, linear(suggested.body.input));
    expect([loaded.status, loaded.body]).toEqual([200, suggested.body]);
  });

  it('Suggest is 400 once the client has seen the end', async () => {
    const { suggestUrl } = await makeObjective(send);
    const { id } = (await send('POST', suggestUrl, {})).body;
    expect((await load(id, OBJECTIVES.objectives)).body.satisfiedAt).not.toBeNull();
    const refused = await send('POST', suggestUrl, {});
    expect([refused.status, refused.body.type]).toEqual([400, 'urn:backsolve:problem:objective-ended']);
    expect(refused.body.message).toContain('it is satisfied');
  });

  it('Suggest repeats the inverse with which an objective was stopped, and loading its output changes nothing', async () => {
    const run = ([a, b]: readonly number[]) => [10 * a! + b!];
    const made = await makeTrial(send, run, {
      name: 'Few points',
      inputCount: 2,
      minimums: [0, 0],
      maximums: [1, 1],
      inputTypes: ['boolean', 'boolean'],
    });
    const loaded = await send('POST', `/api/trials/${made.trial.id}/objectives`, {
      objectives: [20],
      objectiveTypes: ['greaterthan'],
      initialInput: made.project.inputCases[0],
      initialOutput: made.outputCases[0],
    });
    const suggestUrl = `/api/objectives/${loaded.body.id}/suggest-inverse`;
    let last = (await send('POST', suggestUrl, {})).body;
    for (let asked = 0; asked < 4 && last.stoppedAt === null; asked++) {
      await load(last.id, run(last.input));
      last = (await send('POST', suggestUrl, {})).body;
    }
    expect(last).toMatchObject({ stoppedAt: expect.any(String), input: [1, 1], output: [11], loadedAt: null });
    expect((await send('POST', suggestUrl, {})).body).toEqual(last);
    for (const output of [[11], [11.0001]]) {
      const answer = await load(last.id, output);
      expect([answer.status, answer.body]).toEqual([200, last]);
    }
  });
});

describe('load-output', () => {
  it('The same output gets the same answer, and another one gets 409 with the objective', async () => {
    const { suggestUrl, url } = await makeObjective(send);
    const { id } = (await send('POST', suggestUrl, {})).body;
    const first = await load(id, [50, 50, 50]);
    const second = await load(id, [50, 50, 50]);
    expect([second.status, second.body]).toEqual([200, first.body]);
    const other = await load(id, [50, 50, 51]);
    expect([other.status, other.body.instance]).toEqual([409, url]);
  });

  it('Load-output repeats its answer even after the next suggestion', async () => {
    const { suggestUrl } = await makeObjective(send);
    const { id } = (await send('POST', suggestUrl, {})).body;
    const first = await load(id, [50, 50, 50]);
    await send('POST', suggestUrl, {});
    expect((await load(id, [50, 50, 50])).body).toEqual(first.body);
  });

  it('A client whose run was in progress learns that the objective was stopped by hand', async () => {
    const made = await makeObjective(send);
    const { id, input } = (await send('POST', made.suggestUrl, {})).body;
    await send('POST', `${nativeUrl(made)}/stop`);
    const loaded = await load(id, linear(input));
    expect(loaded.status).toBe(200);
    const instant = expect.any(String);
    expect(loaded.body).toMatchObject({ id, stoppedAt: instant, loadedAt: instant, output: linear(input) });
    expect((await send('POST', made.suggestUrl, {})).body).toEqual(loaded.body);
  });

  it('Load-output is 404 for an unknown inverse', async () => {
    expect((await load(987_654_321, [1, 2, 3])).status).toBe(404);
  });
});

describe('attempts', () => {
  it('The last attempt ends with exhaustedAt on its inverse', async () => {
    const made = await makeTrial(send);
    const native = `/v1/models/${made.model.id}/projects/${made.project.id}/trials/${made.trial.id}/objectives`;
    const objective = await send('POST', native, {
      ...OBJECTIVES,
      initialInput: made.project.inputCases[0],
      initialOutput: made.outputCases[0],
      maximumAttempts: 1,
    });
    const { id } = (await send('POST', `/api/objectives/${objective.body.id}/suggest-inverse`, {})).body;
    const loaded = await load(id, [900, 900, 900]);
    expect(loaded.body).toMatchObject({ exhaustedAt: expect.any(String), satisfiedAt: null, stoppedAt: null });
    expect((await send('GET', `/api/objectives/${objective.body.id}`)).body.stopReason).toBe(3);
  });
});

describe('under an Idempotency-Key', () => {
  it('With an Idempotency-Key a project is created once, suggest returns one inverse, and a stopped inverse is shown again', async () => {
    const { model, suggestUrl, ...made } = await makeObjective(send);
    const under = (key: string) => ({ 'idempotency-key': key });
    const create = () => send('POST', `/api/models/${model.id}/projects`, SPACE, under('project'));
    const first = await create();
    expect([first.status, (await create()).body]).toEqual([201, first.body]);
    const suggested = (await send('POST', suggestUrl, {}, under('suggest'))).body;
    expect((await send('POST', suggestUrl, {}, under('suggest'))).body).toEqual(suggested);
    expect((await send('POST', suggestUrl, {}, under('suggest again'))).body.id).toBe(suggested.id);
    await send('POST', `${nativeUrl({ model, ...made })}/stop`);
    const url = `/api/inverses/${suggested.id}/load-output`;
    const loads = [1, 2].map(() => send('POST', url, { output: [1, 2, 3] }, under('load')));
    for (const loaded of await Promise.all(loads)) {
      if (loaded.status !== 409) expect(loaded.body).toMatchObject({ id: suggested.id, stoppedAt: expect.any(String) });
    }
    expect((await send('POST', url, { output: [1, 2, 3] }, under('load'))).body.stoppedAt).not.toBeNull();
  });
});
