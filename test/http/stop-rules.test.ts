/** Tests when an objective ends although inputs are left to try, and what it says about its end. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopOverdue } from '../../src/application/search/maintenance.ts';
import { makeUrlJudge } from '../../src/outside/webhooks/target-guard.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let trialUrl: string;

/** A bowl and a limit: the least cost under it is 1.5, at 3.5 and 2.5. */
const black = ([a, b]: readonly [number, number]) => [(a - 3) ** 2 + (b - 2) ** 2 + 1, a + b];
const CASES = [
  [5, 5],
  [1, 6],
  [8, 2],
] as const;

beforeAll(async () => {
  service = await openNativeService({
    hasWorker: true,
    deps: { judgeWebhookUrl: makeUrlJudge({ allowPrivate: true }) },
  });
  const { send } = service;
  await send('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/' });
  const model = (await send('POST', '/v1/models', { name: 'bowl' })).body;
  const project = (
    await send('POST', `/v1/models/${model.id}/projects`, {
      name: 'bowl',
      inputCount: 2,
      minimums: [0, 0],
      maximums: [10, 10],
      inputTypes: ['float', 'float'],
      outputNames: ['cost', 'size'],
      inputCases: CASES,
    })
  ).body;
  const projectUrl = `/v1/models/${model.id}/projects/${project.id}`;
  const outputCases = project.inputCases.map(black);
  const set = (await send('POST', `${projectUrl}/output-cases`, { outputCount: 2, outputCases })).body;
  trialUrl = `${projectUrl}/trials/${set.trial_id}`;
});
afterAll(() => service.close());

const LEAST_COST = {
  objectives: [0, 6],
  objectiveTypes: ['minimize', 'greaterthan_equal'],
  initialInput: [7, 7],
  initialOutput: black([7, 7]),
  reuse: false,
};

const load = (change: object = {}) => service.send('POST', `${trialUrl}/objectives`, { ...LEAST_COST, ...change });
const read = async (id: number) => (await service.send('GET', `/v1/objectives/${id}`)).body;

/** Runs what is suggested until the objective ends, or `most` runs; returns the runs made. */
async function run(id: number, most: number): Promise<number> {
  for (let runs = 0; runs < most; runs++) {
    const { body: inverse } = await service.send('POST', `/v1/objectives/${id}/inverses`);
    if (inverse.status === 'stopped') return runs;
    await service.send('PUT', `/v1/objectives/${id}/inverses/${inverse.id}/output`, { output: black(inverse.input) });
  }
  return most;
}

async function eventsOf(id: number): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from events where resource_id = ${id} and name like 'objective.%' order by id`.execute(service.db);
  return rows.map(({ name }) => name);
}

describe('the stop rules of an objective', () => {
  it('By evidence it ends at the least cost, which it shows as optimal with the reason in figures', async () => {
    const { body } = await load({ stop: {} });
    expect(body.stop).toEqual({ patience: null, improvementBelow: 0.005, until: null, maximumRuns: null });
    expect(await run(body.id, 40)).toBeLessThan(30);
    const ended = await read(body.id);
    expect(ended.stopReason).toBe(2);
    const { output } = (await service.send('GET', `/v1/objectives/${body.id}/inverses/${ended.optimalInverse.id}`))
      .body;
    expect(output[0]).toBeGreaterThanOrEqual(1.5);
    expect(output[0]).toBeLessThan(1.515);
    expect(ended.endReason).toMatch(
      /^Stopped: the best output cost = 1\.5\d* of run \d+ has not improved by more than 0\.5 % in the last \d+ runs(; the models expect at most [\d.]+ % more)?\.$/,
    );
    expect(await eventsOf(body.id)).toEqual(['objective.stopped']);
  });

  it('More attempts let an objective run on that ended by evidence, and switch off its rule', async () => {
    const { body } = await load({ stop: {} });
    await run(body.id, 40);
    const ended = await read(body.id);
    expect(ended).toMatchObject({ stopReason: 2, endingKind: 'standstill', isResumable: true });
    const url = `${trialUrl}/objectives/${body.id}`;
    const refused = await service.send('PATCH', url, { maximumAttempts: ended.attemptCount });
    expect(refused.status).toBe(400);
    const { body: reopened } = await service.send('PATCH', url, { maximumAttempts: ended.attemptCount + 2 });
    expect(reopened).toMatchObject({ stopReason: 0, endingKind: null, isResumable: false, stop: null });
    expect(await run(body.id, 2)).toBe(2);
    expect(await read(body.id)).toMatchObject({ stopReason: 3, isResumable: true });
    await service.send('PATCH', url, { maximumAttempts: ended.attemptCount + 3 });
    expect(await run(body.id, 1)).toBe(1);
    expect(await eventsOf(body.id)).toEqual([
      'objective.stopped',
      'objective.reopened',
      'objective.exhausted',
      'objective.reopened',
      'objective.exhausted',
    ]);
  });

  it('A stated patience counts runs, whatever the models expect', async () => {
    const { body } = await load({ stop: { patience: 2, improvementBelow: 1 } });
    expect(await run(body.id, 10)).toBeLessThan(5);
    const { stopReason, endReason } = await read(body.id);
    expect(stopReason).toBe(2);
    expect(endReason).toMatch(/has not improved by more than 100 % in the last \d runs\.$/);
  });

  it('There is no rule unless asked, and patience is one without minimize or maximize as well', async () => {
    for (const stop of [undefined, null, false]) expect((await load({ stop })).body.stop).toBeNull();
    const limits = { objectives: [1, 6], objectiveTypes: ['lessthan_equal', 'greaterthan_equal'] };
    expect((await load(limits)).body.stop).toBeNull();
    const { body } = await load({ ...limits, stop: { patience: 4 } });
    expect(body.stop).toMatchObject({ patience: 4 });
    await run(body.id, 40);
    const ended = await read(body.id);
    expect(ended.stopReason).toBe(2);
    expect(ended.endReason).toMatch(
      /^Stopped: the last \d+ runs came no more than 0\.5 % nearer to the targets; the nearest run, run \d+, misses \w+ by .*\.$/,
    );
  });

  it('maximumRuns counts the cases and the initial point', async () => {
    const { body } = await load({ stop: { maximumRuns: 6, patience: 100 } });
    expect(body.maximumAttempts).toBe(2);
    expect(await run(body.id, 2)).toBe(2);
    const { stopReason, endReason } = await read(body.id);
    expect(stopReason).toBe(3);
    expect(endReason).toMatch(
      /^Exhausted: all 2 suggested inputs of the 6 runs allowed in total are used and none meets every target; the best output is cost = /,
    );
    const refused = await load({ stop: { maximumRuns: 4 } });
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [
        {
          pointer: '/stop/maximumRuns',
          property: 'stop.maximumRuns',
          message: 'must be more than 4, is 4: the cases of the trial and the initial point count.',
        },
      ],
    ]);
  });

  it('At its time an objective is stopped by the next request, or by the schedule', async () => {
    const until = '2020-01-01T00:00:00.000Z';
    const [asked, waiting] = [(await load({ stop: { until } })).body, (await load({ stop: { until } })).body];
    const later = (await load({ stop: { until: '2999-01-01T00:00:00Z' } })).body;
    const suggestion = await service.send('POST', `/v1/objectives/${asked.id}/inverses`);
    expect(suggestion.body).toMatchObject({ status: 'stopped', input: null });
    expect(await stopOverdue(service.db)).toEqual({ stopped: 1 });
    for (const { id } of [asked, waiting]) {
      const { stopReason, endReason } = await read(id);
      expect([stopReason, endReason]).toEqual([
        2,
        expect.stringMatching(`^Stopped: its time limit, ${until}, was reached after `),
      ]);
      expect(await eventsOf(id)).toEqual(['objective.stopped']);
    }
    expect((await read(later.id)).stopReason).toBe(0);
  });

  it('Histories and exports say why an objective ended, lists in a word', async () => {
    const stop = { until: '2020-01-01T00:00:00Z' };
    const [ended, running] = [(await load({ stop })).body, (await load()).body];
    await stopOverdue(service.db);
    const lines = (await service.send('GET', '/v1/export')).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { body: glances } = await service.send('GET', '/v1/objectives');
    for (const [id, kind] of [
      [ended.id, 'until'],
      [running.id, null],
    ]) {
      const { endReason } = await read(id);
      expect(endReason === null).toBe(kind === null);
      expect((await service.send('GET', `/v1/objectives/${id}/history`)).body.endReason).toBe(endReason);
      expect(lines.find((line) => line.type === 'objective' && line.id === id).endReason).toBe(endReason);
      expect(glances.find((glance: { id: number }) => glance.id === id).endingKind).toBe(kind);
    }
  });

  it('A correction may bring it back, and the reason goes with the end', async () => {
    const { body } = await load({ stop: { patience: 1, improvementBelow: 1 } });
    await run(body.id, 10);
    const stopped = await read(body.id);
    expect(stopped.stopReason).toBe(2);
    const { id } = stopped.inverses.find(({ iteration }: { iteration: number }) => iteration === 2);
    const wrong = (await service.send('GET', `/v1/objectives/${body.id}/inverses/${id}`)).body;
    const corrected = await service.send('POST', `/v1/objectives/${body.id}/inverses/${id}/corrections`, {
      output: wrong.output.map((value: number) => value + 0.25),
      reason: 'scale read too low',
      reopen: true,
    });
    expect(corrected.status, corrected.text).toBe(200);
    expect(await read(body.id)).toMatchObject({ stopReason: 0, endReason: null });
  });

  it('What is wrong with a rule is named', async () => {
    const messages = async (stop: unknown) =>
      (await load({ stop })).body.errors.map(({ pointer, message }: Record<string, string>) => `${pointer} ${message}`);
    expect(await messages({ patience: 0 })).toEqual(['/stop/patience must be at least 1, is 0.']);
    expect(await messages({ waitFor: 3 })).toEqual([
      '/stop/waitFor is not a field; the fields are patience, improvementBelow, until, maximumRuns.',
    ]);
    expect(await messages({ patience: 1.5, improvementBelow: 2 })).toEqual([
      '/stop/patience must be a whole number, is 1.5.',
      '/stop/improvementBelow must be at most 1, is 2.',
    ]);
    for (const wrong of [true, 'soon']) {
      expect(await messages(wrong)).toEqual([
        expect.stringMatching('^/stop must be false, or an object with patience '),
      ]);
    }
  });

  it('Stopped by hand it says so', async () => {
    const { body } = await load();
    await service.send('POST', `/v1/objectives/${body.id}/stop`);
    expect((await read(body.id)).endReason).toMatch(
      /^Stopped by hand after 0 suggested inputs; the best output is cost = /,
    );
  });
});
