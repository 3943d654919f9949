/** Every call of the SDK dialect: its record field by field, and as read by each client that cannot run here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountSchema } from '../../../src/http/sdk/accounts.wire.ts';
import { inverseSchema } from '../../../src/http/sdk/inverses.wire.ts';
import { modelSchema } from '../../../src/http/sdk/models.wire.ts';
import { objectiveSchema } from '../../../src/http/sdk/objectives.wire.ts';
import { projectSchema } from '../../../src/http/sdk/projects.wire.ts';
import { trialSchema } from '../../../src/http/sdk/trials.wire.ts';
import { problemSchema } from '../../../src/http/wire/problem.ts';
import { type NativeService, openNativeService } from '../native-service.ts';
import { CLIENT_READERS, type ClientReader } from './client-readers.ts';
import { linear, makeObjective, makeTrial, OBJECTIVES, SPACE } from './sdk-client.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const record = {
  id: expect.any(Number),
  createdAt: expect.stringMatching(ISO),
  updatedAt: expect.stringMatching(ISO),
  disabledAt: null,
};

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true, settings: { isRegistrationOpen: true } });
});
afterAll(() => service.close());

const own: ClientReader = {
  account: accountSchema,
  model: modelSchema,
  project: projectSchema,
  trial: trialSchema,
  objective: objectiveSchema,
  inverse: inverseSchema,
  error: problemSchema,
};

/** Reads an answer as documented and as every client does. */
function readAll(kind: keyof ClientReader, body: unknown): void {
  for (const [client, reader] of Object.entries({ own, ...CLIENT_READERS })) {
    const parsed = reader[kind].safeParse(body);
    expect(parsed.error, `${kind} as ${client} reads it`).toBeUndefined();
  }
}

describe('a model', () => {
  it('A model is created, read, and listed in a bare array with everything in it', async () => {
    const { model, project, trial, objective } = await makeObjective(service.send);
    const read = await service.send('GET', `/api/models/${model.id}`);
    expect(read.status).toBe(200);
    readAll('model', read.body);
    expect(read.body).toEqual({
      ...record,
      name: model.name,
      description: null,
      projects: [
        {
          ...project,
          developedAt: expect.stringMatching(ISO),
          updatedAt: expect.stringMatching(ISO),
          trials: [{ ...trial, objectives: [objective] }],
        },
      ],
    });
    const listed = await service.send('GET', '/api/models');
    expect(listed.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(listed.body.find((one: { id: number }) => one.id === model.id)).toEqual(read.body);
  });

  it('A model has a Location and the form that clients require', async () => {
    const made = await service.send('POST', '/api/models', { name: 'With description', description: 'long enough' });
    expect([made.status, made.headers.location]).toEqual([201, `/api/models/${made.body.id}`]);
    readAll('model', made.body);
    expect(made.body).toEqual({ ...record, name: 'With description', description: 'long enough', projects: [] });
  });

  it('All models are listed however many there are, and none to another account', async () => {
    const sender = service.sendAs(await service.makeKey('many models'));
    expect((await sender('GET', '/api/models')).body).toEqual([]);
    const names = Array.from({ length: 45 }, (_, i) => `model number ${i}`);
    for (const name of names) await sender('POST', '/api/models', { name });
    const listed = (await sender('GET', '/api/models')).body;
    expect(listed.map((one: { name: string }) => one.name)).toEqual(names);
  });
});

describe('a project', () => {
  it('A project is created with designed cases', async () => {
    const model = (await service.send('POST', '/api/models', { name: 'For a project' })).body;
    const made = await service.send('POST', `/api/models/${model.id}/projects`, SPACE);
    expect(made.status).toBe(201);
    readAll('project', made.body);
    expect(made.body).toEqual({
      ...record,
      ...SPACE,
      developedAt: null,
      inputCases: expect.any(Array),
      caseCount: made.body.inputCases.length,
      trials: [],
    });
    expect(made.body.caseCount).toBeGreaterThan(0);
  });
});

describe('a trial', () => {
  it('Loading output cases creates a trial, which can be read', async () => {
    const { trial, outputCases } = await makeTrial(service.send);
    readAll('trial', trial);
    expect(trial).toEqual({
      ...record,
      number: 1,
      outputCount: 3,
      outputCases,
      caseCount: outputCases.length,
      objectives: [],
    });
    const read = await service.send('GET', `/api/trials/${trial.id}`);
    expect([read.status, read.body]).toEqual([200, trial]);
  });
});

describe('an objective', () => {
  it('An objective is loaded with its initial point as the first inverse, and can be read', async () => {
    const { loaded, url, project, outputCases } = await makeObjective(service.send);
    expect([loaded.status, loaded.headers.location]).toEqual([201, url]);
    readAll('objective', loaded.body);
    expect(loaded.body).toEqual({
      ...record,
      ...OBJECTIVES,
      number: 1,
      optimalInverse: null,
      attemptCount: 0,
      stopReason: 0,
      inverses: [
        expect.objectContaining({ iteration: 1, input: project.inputCases[0], output: outputCases[0], suggestTime: 0 }),
      ],
    });
    expect((await service.send('GET', url)).body).toEqual(loaded.body);
  });

  it('An objective has one bound per target, 0 if none was given', async () => {
    const { objective } = await makeObjective(service.send, {
      objectiveTypes: ['lessthan', 'minimize', 'greaterthan'],
      minimumBounds: null,
      maximumBounds: undefined,
    });
    expect(objective).toMatchObject({ minimumBounds: [0, 0, 0], maximumBounds: [0, 0, 0] });
    for (const result of objective.inverses[0].results)
      expect(result).toMatchObject({ minimumBound: 0, maximumBound: 0 });
  });

  it('An objective does not show an inverse that is still being computed', async () => {
    const idle = await openNativeService({ settings: { suggestWaitMs: 10 } });
    const { url, suggestUrl } = await makeObjective(idle.send);
    await idle.send('POST', suggestUrl, {});
    expect((await idle.send('GET', url)).body.inverses).toHaveLength(1);
    await idle.close();
  });
});

describe('an inverse', () => {
  it('An inverse is suggested without output and results, loaded with both, and finally satisfied', async () => {
    const { url, suggestUrl, objective } = await makeObjective(service.send);
    let [last] = objective.inverses;
    for (let iteration = 2; iteration <= 11 && last.satisfiedAt === null; iteration++) {
      const suggested = await service.send('POST', suggestUrl, {});
      expect(suggested.status).toBe(201);
      readAll('inverse', suggested.body);
      expect(suggested.body).toEqual({
        ...record,
        loadedAt: null,
        satisfiedAt: null,
        stoppedAt: null,
        exhaustedAt: null,
        iteration,
        l1Norm: last.l1Norm,
        errors: last.errors,
        suggestTime: expect.any(Number),
        computeTime: 0,
        input: [expect.any(Number), expect.any(Number)],
        output: [],
        results: [],
      });
      const output = linear(suggested.body.input);
      const loaded = await service.send('POST', `/api/inverses/${suggested.body.id}/load-output`, { output });
      expect(loaded.status).toBe(200);
      readAll('inverse', loaded.body);
      expect(loaded.body).toMatchObject({ id: suggested.body.id, loadedAt: expect.stringMatching(ISO), output });
      expect(loaded.body.computeTime).toBeGreaterThan(0);
      last = loaded.body;
    }
    expect(last.satisfiedAt).toMatch(ISO);
    expect(last.results[1]).toEqual({
      ...record,
      number: 1,
      objective: 3,
      objectiveType: 'percent',
      minimumBound: -1,
      maximumBound: 1,
      output: last.output[1],
      error: last.errors[1],
      detail: expect.stringContaining('is satisfied'),
      satisfied: true,
    });
    const ended = (await service.send('GET', url)).body;
    readAll('objective', ended);
    expect(ended).toMatchObject({ stopReason: 1, attemptCount: ended.inverses.length - 1, optimalInverse: last });
    expect(ended.inverses.at(-1)).toEqual(last);
  });

  it('The ids of results stay the same and differ within an inverse', async () => {
    const { objective, url } = await makeObjective(service.send);
    const idsOf = (inverse: { results: { id: number }[] }) => inverse.results.map((result) => result.id);
    const ids = idsOf(objective.inverses[0]);
    expect(new Set(ids).size).toBe(3);
    expect(idsOf((await service.send('GET', url)).body.inverses[0])).toEqual(ids);
  });
});

describe('an account', () => {
  it('A registered account has a key that works immediately', async () => {
    const made = await service.sendAs('')('POST', '/api/accounts/register', {
      company: 'Example Works',
      firstName: 'Ada',
      lastName: 'Byron',
      email: 'ada@example.org',
      password: 'correct horse',
      timeZone: 'Europe/London',
      agreement: true,
    });
    expect(made.status).toBe(201);
    readAll('account', made.body);
    const listed = await service.sendAs(made.body.apiKey)('GET', '/v1/models');
    expect([listed.status, listed.body]).toEqual([200, []]);
  });
});

describe('records made in one dialect', () => {
  it('A record made in one dialect is read in the other with exactly the same numbers', async () => {
    const { model, project, trial, objective, suggestUrl } = await makeObjective(service.send);
    const native = `/v1/models/${model.id}/projects/${project.id}/trials/${trial.id}/objectives/${objective.id}`;
    const suggested = (await service.send('POST', suggestUrl, {})).body;
    const seen = (await service.send('GET', `${native}/inverses/${suggested.id}`)).body;
    expect(seen).toMatchObject({ input: suggested.input, output: null, status: 'active' });
    const output = [1 / 3, -1e-300, 2e17];
    await service.send('PUT', `${native}/inverses/${suggested.id}/output`, { output });
    const read = (await service.send('GET', `/api/objectives/${objective.id}`)).body;
    expect(read.inverses[1]).toMatchObject({ id: suggested.id, output, errors: expect.any(Array) });
    const next = (await service.send('POST', `${native}/inverses`)).body;
    expect((await service.send('POST', suggestUrl, {})).body.id).toBe(next.id);
  });
});

describe('a refusal', () => {
  it.each([
    ['GET', '/api/models/987654321', undefined, 404],
    ['GET', '/api/trials/first', undefined, 400],
    ['POST', '/api/models', { name: 'abc' }, 400],
    ['POST', '/api/models', '{', 400],
    ['DELETE', '/api/models', undefined, 405],
    ['GET', '/api/nothing', undefined, 404],
  ] as const)('The refusal of %s %s can be read by every client', async (method, url, body, status) => {
    const refused = await service.send(method, url, body);
    expect(refused.status).toBe(status);
    readAll('error', refused.body);
    expect(refused.body.status).toBe(status);
  });

  it('A key that may only read gets 403 for changes only', async () => {
    const { objective, suggestUrl } = await makeObjective(service.send);
    const reader = service.sendAs(await service.makeKey('test', ['read']));
    expect((await reader('GET', `/api/objectives/${objective.id}`)).status).toBe(200);
    const refused = await reader('POST', suggestUrl, {});
    expect(refused.status).toBe(403);
    readAll('error', refused.body);
  });

  it('A refused key gets 401 with the usual body, and nothing of another account is shown', async () => {
    const { objective } = await makeObjective(service.send);
    const refused = await service.sendAs('bks_no_key')('GET', '/api/models');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    readAll('error', refused.body);
    const stranger = service.sendAs(await service.makeKey('stranger'));
    expect((await stranger('GET', `/api/objectives/${objective.id}`)).status).toBe(404);
    expect((await stranger('POST', `/api/objectives/${objective.id}/suggest-inverse`, {})).status).toBe(404);
  });
});
