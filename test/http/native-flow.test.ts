/** The native dialect from the first model to a satisfied objective, and every field of every record on the way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadedSetSchema, outputCaseSetSchema } from '../../src/http/native/data/output-cases.wire.ts';
import { trialSchema } from '../../src/http/native/data/trials.wire.ts';
import { modelSchema } from '../../src/http/native/problem/models.wire.ts';
import { projectSchema } from '../../src/http/native/problem/projects.wire.ts';
import { embeddedInverseSchema, inverseSchema, suggestionSchema } from '../../src/http/native/search/inverses.wire.ts';
import { explainedObjectiveSchema, loadedObjectivesSchema } from '../../src/http/native/search/objectives.wire.ts';
import {
  blackBox,
  type NativeService,
  NO_OPTIONS,
  OBJECTIVES,
  openNativeService,
  prepareObjective,
  prepareTrial,
} from './native-service.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const result = (change: object) => ({
  minimumBound: null,
  maximumBound: null,
  detail: expect.any(String),
  name: null,
  ...change,
});

describe('a model', () => {
  it('A model is created with 201, Location and the fields of the interface', async () => {
    const made = await service.send('POST', '/v1/models', { name: 'Heat exchanger' });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`/v1/models/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(Number),
      name: 'Heat exchanger',
      description: null,
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
      disabled_at: null,
    });
    const read = await service.send('GET', `/v1/models/${made.body.id}`);
    expect(read).toMatchObject({ status: 200, body: made.body });
  });

  it('A model is changed by PATCH, which takes only name and description', async () => {
    const made = await service.send('POST', '/v1/models', { name: 'Before', description: 'a description' });
    const url = `/v1/models/${made.body.id}`;
    const changed = await service.send('PATCH', url, { name: 'After' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'After', description: 'a description' } });
    expect((await service.send('PATCH', url, { description: null })).body.description).toBeNull();
    const refused = await service.send('PATCH', url, { id: 7, nme: 'x' });
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map((error: { property: string }) => error.property)).toEqual(['id', 'nme']);
  });

  it('A model is disabled by DELETE with 204, and its name can be used again', async () => {
    const made = await service.send('POST', '/v1/models', { name: 'Reused name' });
    const url = `/v1/models/${made.body.id}`;
    const gone = await service.send('DELETE', url);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await service.send('GET', url)).body.disabled_at).toMatch(ISO);
    expect((await service.send('POST', '/v1/models', { name: 'Reused name' })).status).toBe(201);
  });
});

describe('a project', () => {
  it('A project without cases has them designed', async () => {
    const model = (await service.send('POST', '/v1/models', { name: 'With designed cases' })).body;
    const made = await service.send('POST', `/v1/models/${model.id}/projects`, {
      name: 'mixed',
      inputCount: 4,
      minimums: [0.5, 1, 0, 0],
      maximums: [2.5, 8, 1, 2],
      inputTypes: ['CONTINUOUS', 'Integer', 'logical', 'categorical'],
      categories: ['oil', 'water', 'air'],
    });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`/v1/models/${model.id}/projects/${made.body.id}`);
    expect(made.body).toMatchObject({
      modelId: model.id,
      inputTypes: ['float', 'integer', 'boolean', 'category'],
      categories: [[], [], [], ['oil', 'water', 'air']],
      outputCount: null,
      developedAt: null,
      caseCount: made.body.inputCases.length,
    });
    expect(made.body.caseCount).toBeGreaterThan(0);
    for (const row of made.body.inputCases) {
      expect(row[0]).toBeGreaterThanOrEqual(0.5);
      expect(Number.isInteger(row[1]) && Number.isInteger(row[2]) && Number.isInteger(row[3])).toBe(true);
    }
  });

  it('A project is renamed by PATCH and disabled by DELETE', async () => {
    const { projectUrl } = await prepareTrial(service.send);
    expect((await service.send('PATCH', projectUrl, { name: 'renamed' })).body.name).toBe('renamed');
    expect((await service.send('PATCH', projectUrl, { inputCount: 3 })).status).toBe(400);
    expect((await service.send('DELETE', projectUrl)).status).toBe(204);
    expect((await service.send('GET', projectUrl)).body.disabledAt).toMatch(ISO);
  });
});

describe('output cases', () => {
  it('Output cases are answered with the set of the interface and the trial', async () => {
    const { model, project, projectUrl, set } = await prepareTrial(service.send);
    expect(set).toEqual({
      id: expect.any(Number),
      model_id: model.id,
      project_id: project.id,
      output_count: 3,
      output_cases: project.inputCases.map(blackBox),
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
      trial_id: expect.any(Number),
    });
    const read = await service.send('GET', `${projectUrl}/output-cases/${set.id}`);
    const { output_cases, ...rest } = { ...set, case_count: 3, failed_cases: [], disabled_at: null };
    expect(read.body).toEqual({ ...rest, output_cases });
    expect((await service.send('GET', `${projectUrl}/output-cases`)).body).toEqual([rest]);
    expect((await service.send('GET', projectUrl)).body.developedAt).toMatch(ISO);
  });

  it('Output cases may be fewer than the input cases, and rows of failed runs may contain anything', async () => {
    const { projectUrl } = await prepareTrial(service.send);
    const loaded = await service.send('POST', `${projectUrl}/output-cases`, {
      outputCount: 2,
      outputCases: [
        [1, 2],
        ['diverged', null],
      ],
      failedCases: [1],
    });
    expect(loaded.status).toBe(201);
    expect(loaded.headers.location).toBe(`${projectUrl}/output-cases/${loaded.body.id}`);
    expect(loaded.body.output_cases).toEqual([
      [1, 2],
      [0, 0],
    ]);
    const read = await service.send('GET', String(loaded.headers.location));
    expect(read.body.failed_cases).toEqual([1]);
  });
});

describe('a trial', () => {
  it('Another trial starts on the newest or a named set', async () => {
    const { projectUrl, project, model, set, trialUrl } = await prepareTrial(service.send);
    const newest = await service.send('POST', `${projectUrl}/trials`);
    expect(newest.status).toBe(201);
    expect(newest.headers.location).toBe(`${projectUrl}/trials/${newest.body.id}`);
    expect(newest.body).toEqual({
      id: expect.any(Number),
      modelId: model.id,
      projectId: project.id,
      outputCaseSetId: set.id,
      number: 2,
      revision: 0,
      status: 'active',
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      disabledAt: null,
    });
    const named = await service.send('POST', `${projectUrl}/trials`, { output_case_set_id: set.id });
    expect(named.body.number).toBe(3);
    expect((await service.send('GET', `${projectUrl}/trials`)).body).toHaveLength(3);
    expect((await service.send('GET', trialUrl)).body.number).toBe(1);
    expect((await service.send('DELETE', trialUrl)).status).toBe(204);
  });

  it('A trial moves only from active to completed', async () => {
    const { trialUrl } = await prepareTrial(service.send);
    expect((await service.send('PATCH', trialUrl, { status: 'completed' })).body.status).toBe('completed');
    const back = await service.send('PATCH', trialUrl, { status: 'active' });
    expect([back.status, back.body.errors[0].property]).toEqual([400, 'status']);
    expect((await service.send('PATCH', trialUrl, { status: 'open' })).status).toBe(400);
    expect((await service.send('PATCH', trialUrl, {})).status).toBe(400);
  });
});

describe('objectives', () => {
  it('Objectives are loaded with the fields of the interface and null bounds in the results', async () => {
    const { loaded, trialId, trialUrl } = await prepareObjective(service.send);
    expect(loaded.status).toBe(201);
    expect(loaded.headers.location).toBe(`${trialUrl}/objectives/${loaded.body.id}`);
    const { desiredL1Norm, ...echo } = OBJECTIVES;
    expect(loaded.body).toEqual({
      id: expect.any(Number),
      trialId,
      ...echo,
      l1Norm: desiredL1Norm,
      stopReason: 0,
      attemptCount: 0,
      maximumAttempts: 500,
      convergence: 1e-6,
      reuse: true,
      continues: null,
      fixedInputs: null,
      constraints: null,
      ...NO_OPTIONS,
      fits: null,
      parallelism: 1,
      holdBack: true,
      openCount: 0,
      completedCount: 0,
      batchId: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      results: [
        result({ number: 0, type: 'percent', objective: 10, output: 10, error: 0, satisfied: true }),
        result({ number: 1, type: 'percent', objective: -4, output: 0, error: 100, satisfied: false }),
        result({
          number: 2,
          type: 'percent',
          objective: 6,
          output: 10,
          error: expect.closeTo(200 / 3),
          satisfied: false,
        }),
      ],
    });
  });

  it('Objectives show empty bounds if none were needed or given', async () => {
    const change = { objectiveTypes: ['minimize', 'lessthan', 'greaterthan_equal'], minimumBounds: null };
    const { loaded } = await prepareObjective(service.send, { ...change, maximumBounds: undefined });
    expect(loaded.body).toMatchObject({ minimumBounds: [], maximumBounds: [] });
  });

  it('Objectives are read with all inverses, of which iteration 1 is the initial point', async () => {
    const { objectiveUrl, trialId, trialUrl } = await prepareObjective(service.send, { maximumAttempts: 7 });
    const read = await service.send('GET', objectiveUrl);
    expect(read.body).toEqual({
      ...OBJECTIVES,
      id: expect.any(Number),
      trialId,
      number: 1,
      stopReason: 0,
      endingKind: null,
      isResumable: false,
      label: null,
      isArchived: false,
      advice: [],
      attemptCount: 0,
      maximumAttempts: 7,
      convergence: 1e-6,
      reuse: true,
      continues: null,
      fixedInputs: null,
      constraints: null,
      ...NO_OPTIONS,
      fit: null,
      fits: null,
      parallelism: 1,
      holdBack: true,
      openCount: 0,
      completedCount: 0,
      batchId: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
      disabledAt: null,
      optimalInverse: null,
      endReason: null,
      answer: expect.objectContaining({ kind: 'nearest', name: 'case 3', runs: 1 }),
      best: {
        caseNumber: 3,
        inverseId: null,
        iteration: null,
        input: [2, 7],
        output: [9, -5, 4],
        misses: [expect.closeTo(9), expect.closeTo(24), expect.closeTo(97 / 3)],
        missedBy: [expect.closeTo(-0.9), expect.closeTo(-0.96), expect.closeTo(-1.94)],
        worstMiss: expect.closeTo(97 / 3),
      },
      inverses: [
        expect.objectContaining({ inputs: [5, 5], outputs: [10, 0, 10], l1Norm: 8, disabledAt: null, iteration: 1 }),
      ],
      standing: null,
      insight: null,
      diagnosis: null,
    });
    expect(z.strictObject(explainedObjectiveSchema.shape).safeParse(read.body).error).toBeUndefined();
    const { standing: _standing, advice: _advice, insight: _insight, diagnosis: _diagnosis, ...listed } = read.body;
    expect((await service.send('GET', `${trialUrl}/objectives`)).body).toEqual([listed]);
    expect((await service.send('DELETE', objectiveUrl)).status).toBe(204);
    expect((await service.send('GET', objectiveUrl)).body.disabledAt).toMatch(ISO);
  });

  it('Objectives are satisfied immediately by a satisfying initial point', async () => {
    const { loaded, objectiveUrl } = await prepareObjective(service.send, {
      initialInput: [3, 7],
      initialOutput: blackBox([3, 7]),
    });
    expect(loaded.body.stopReason).toBe(1);
    const read = (await service.send('GET', objectiveUrl)).body;
    expect(read.optimalInverse).toEqual(read.inverses[0]);
    expect(read.best).toMatchObject({ inverseId: read.inverses[0].id, iteration: 1, misses: [0, 0, 0], worstMiss: 0 });
    expect(read.inverses[0]).toMatchObject({ status: 'converged', satisfiedAt: expect.stringMatching(ISO) });
    const refused = await service.send('POST', `${objectiveUrl}/inverses`);
    expect([refused.status, refused.body.type]).toEqual([400, 'urn:backsolve:problem:objective-ended']);
  });
});

describe('initialize-inverse', () => {
  it('Initialize-inverse answers with the inverse of the interface, and with the same one when repeated', async () => {
    const { trialId, trialUrl } = await prepareTrial(service.send);
    const url = `/v1/trials/${trialId}/initialize-inverse`;
    const body = { ...OBJECTIVES, convergence: 0.001 };
    const made = await service.send('POST', url, body);
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`${trialUrl}/objectives/${made.body.objectiveId}/inverses/${made.body.id}`);
    expect(made.body).toMatchObject({
      trialId,
      status: 'active',
      convergence: 0.001,
      iteration: 1,
      input: [5, 5],
      output: [10, 0, 10],
      suggestTime: 0,
      computeTime: 0,
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    });
    expect(made.body.results).toHaveLength(3);
    expect(made.body.results[0]).toMatchObject({ minimumBound: -1, maximumBound: 1 });
    expect((await service.send('POST', url, body)).body.id).toBe(made.body.id);
    expect((await service.send('GET', String(made.headers.location))).body).toEqual(made.body);
  });
});

describe('the loop of suggestions', () => {
  it('The loop suggests, refuses to suggest while an iteration is open, takes outputs and ends satisfied', async () => {
    const { objectiveUrl, trialId } = await prepareObjective(service.send);
    let completed = (await service.send('GET', objectiveUrl)).body.inverses[0];
    for (let attempt = 1; attempt <= 40; attempt++) {
      const suggested = await service.send('POST', `${objectiveUrl}/inverses`);
      expect(suggested.status).toBe(201);
      expect(z.strictObject(suggestionSchema.shape).safeParse(suggested.body).error).toBeUndefined();
      expect(suggested.headers.location).toBe(`${objectiveUrl}/inverses/${suggested.body.id}`);
      expect(suggested.body).toMatchObject({ status: 'active', iteration: attempt + 1, computeTime: 0 });
      expect(suggested.body.suggestTime).toBeGreaterThan(0);
      expect(suggested.body).not.toHaveProperty('trialId');
      expect(suggested.body).not.toHaveProperty('output');
      expect(suggested.body.l1Norm).toBe(completed.l1Norm);

      const again = await service.send('POST', `${objectiveUrl}/inverses`, {});
      expect(again.status).toBe(409);
      expect(again.body.instance).toBe(suggested.headers.location);
      const open = (await service.send('GET', String(suggested.headers.location))).body;
      expect(open).toMatchObject({ trialId, output: null, input: suggested.body.input, loadedAt: null });
      expect(z.strictObject(inverseSchema.shape).safeParse(open).error).toBeUndefined();

      const output = blackBox(suggested.body.input);
      const isByPut = attempt % 2 === 0;
      const loaded = isByPut
        ? await service.send('PUT', `${suggested.headers.location}/output`, { output })
        : await service.send('POST', `${objectiveUrl}/inverse-output`, { output, computeTime: 1234.4 });
      expect(loaded.status).toBe(200);
      expect(loaded.body).toMatchObject({ id: open.id, output, loadedAt: expect.stringMatching(ISO) });
      if (!isByPut) expect(loaded.body.computeTime).toBe(1234);
      completed = loaded.body;
      if (completed.status === 'converged') break;
    }
    expect(completed).toMatchObject({ status: 'converged', satisfiedAt: expect.stringMatching(ISO) });
    const ended = (await service.send('GET', objectiveUrl)).body;
    expect(ended.stopReason).toBe(1);
    expect(ended.attemptCount).toBe(ended.inverses.length - 1);
    expect(ended.optimalInverse).toEqual(ended.inverses.at(-1));
    expect(ended.best).toMatchObject({ inverseId: ended.optimalInverse.id, caseNumber: null, worstMiss: 0 });
    expect(z.strictObject(embeddedInverseSchema.shape).safeParse(ended.optimalInverse).error).toBeUndefined();

    const listed = await service.send('GET', `${objectiveUrl}/inverses?limit=200`);
    expect(listed.body.map((inverse: { id: number }) => inverse.id)).toEqual(
      ended.inverses.map((inverse: { id: number }) => inverse.id),
    );
  });

  it('The same output gets the same answer, and a different one is refused with the inverse as instance', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    const suggested = await service.send('POST', `${objectiveUrl}/inverses`);
    const url = `${suggested.headers.location}/output`;
    const first = await service.send('PUT', url, { output: [1, 1, 1] });
    expect(await service.send('PUT', url, { output: [1, 1, 1] })).toMatchObject({ status: 200, body: first.body });
    const other = await service.send('PUT', url, { output: [1, 1, 2] });
    expect(other).toMatchObject({ status: 409, body: { instance: suggested.headers.location } });
  });

  it('The loop continues after a failed run', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    await service.send('POST', `${objectiveUrl}/inverses`);
    const failed = await service.send('POST', `${objectiveUrl}/inverse-output`, { failed: true, reason: 'diverged' });
    expect(failed).toMatchObject({
      status: 200,
      body: { status: 'failed', failureReason: 'diverged', failedAt: expect.stringMatching(ISO), output: null },
    });
    const embedded = (await service.send('GET', objectiveUrl)).body.inverses[1];
    expect(embedded.outputs).toEqual([]);
    expect((await service.send('POST', `${objectiveUrl}/inverses`)).status).toBe(201);
  });

  it('The loop is stopped by hand', async () => {
    const { objectiveUrl } = await prepareObjective(service.send);
    await service.send('POST', `${objectiveUrl}/inverses`);
    const stopped = await service.send('POST', `${objectiveUrl}/stop`);
    expect(stopped).toMatchObject({ status: 200, body: { stopReason: 2 } });
    expect(stopped.body.inverses[1]).toMatchObject({ status: 'stopped', stoppedAt: expect.stringMatching(ISO) });
    expect((await service.send('POST', `${objectiveUrl}/stop`, {})).body).toEqual(stopped.body);
  });
});

describe('every record', () => {
  it('Every record has exactly the documented fields', async () => {
    const { model, project, projectUrl, set, trialUrl, loaded } = await prepareObjective(service.send);
    const read = await service.send('GET', `${projectUrl}/output-cases/${set.id}`);
    const trial = await service.send('GET', trialUrl);
    for (const [schema, body] of [
      [modelSchema, model],
      [projectSchema, project],
      [loadedSetSchema, set],
      [outputCaseSetSchema, read.body],
      [trialSchema, trial.body],
      [loadedObjectivesSchema, loaded.body],
    ] as const) {
      expect(z.strictObject(schema.shape).safeParse(body).error).toBeUndefined();
    }
  });
});
