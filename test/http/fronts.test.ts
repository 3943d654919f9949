/** Objectives with outputs without target, which look for a front. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let trialUrl: string;

/** Cost, quality, and load, which is to be at least 0.3. */
const machine = ([a, b]: readonly number[]) => [a! + b! * b!, a! + Math.sin(2.6 * b!), a! + b!];
const INPUTS = [
  [0.5, 0.5],
  [0.8, 0.2],
  [0.05, 0.1],
];
const START = { initialInput: [0.2, 0.8], initialOutput: machine([0.2, 0.8]) };
const OBJECTIVE = {
  objectives: [null, null, 0.3],
  objectiveTypes: ['minimize', 'maximize', 'greaterthan_equal'],
  ...START,
};

beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name: 'machine' });
  const { body: project } = await send('POST', `/v1/models/${model.id}/projects`, {
    name: 'machine',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [1, 1],
    inputTypes: ['float', 'float'],
    inputCases: INPUTS,
    outputNames: ['Cost', 'Quality', 'Load'],
  });
  const url = `/v1/models/${model.id}/projects/${project.id}`;
  const { body: set } = await send('POST', `${url}/output-cases`, { outputCount: 3, outputCases: INPUTS.map(machine) });
  trialUrl = `${url}/trials/${set.trial_id}`;
});
afterAll(() => service.close());

const load = async (body: object = {}) => {
  const answer = await service.send('POST', `${trialUrl}/objectives`, { ...OBJECTIVE, ...body });
  return { status: answer.status, body: answer.body, url: `/v1/objectives/${answer.body.id}` };
};
const read = async (url: string) => (await service.send('GET', url)).body;

async function play(url: string, runs: number): Promise<{ id: number; input: number[]; output: number[] }[]> {
  const played = [];
  for (let run = 0; run < runs; run++) {
    const { body: inverse } = await service.send('POST', `${url}/inverses`);
    if (!inverse.input || inverse.output) break;
    const output = machine(inverse.input);
    await service.send('PUT', `${url}/inverses/${inverse.id}/output`, { output });
    played.push({ id: inverse.id, input: inverse.input, output });
  }
  return played;
}

describe('an objective with outputs without target', () => {
  it('shows null for them, and judges them as never satisfied', async () => {
    const { status, body, url } = await load();
    expect([status, body.objectives, body.stopReason]).toEqual([201, [null, null, 0.3], 0]);
    const judged = body.results.map((one: { objective: number; satisfied: boolean }) => [one.objective, one.satisfied]);
    expect(judged).toEqual([
      [null, false],
      [null, false],
      [0.3, true],
    ]);
    expect(body.results[0].detail).toBe(
      'Output 0.8400000000000001 has no target: it is to be as small as the other outputs allow.',
    );
    const history = await read(`${url}/history`);
    expect([history.objectives, history.intervals[0]]).toEqual([
      [null, null, 0.3],
      { lower: null, upper: null, lowerOpen: false, upperOpen: false },
    ]);
  });

  it('searches their front, whose knee is the optimal inverse, and repeats its suggestions', async () => {
    const { url } = await load({ reuse: false });
    const runs = await play(url, 12);
    const { body: front } = await service.send('GET', `${url}/front`);
    expect([front.outputs, front.points.length > 4]).toEqual([[0, 1], true]);
    const beats = (a: readonly number[], b: readonly number[]) =>
      a[0]! <= b[0]! && a[1]! >= b[1]! && (a[0]! < b[0]! || a[1]! > b[1]!);
    for (const { output } of front.points) {
      expect(output[2]).toBeGreaterThanOrEqual(0.3);
      expect(runs.some((run) => run.output[2]! >= 0.3 && beats(run.output, output))).toBe(false);
    }
    expect(front.hypervolume).toBeGreaterThan(0);
    expect(front.points).toContainEqual(front.knee);
    for (const { input, output } of front.predicted) expect(Math.abs(machine(input)[0]! - output[0])).toBeLessThan(0.1);
    const objective = await read(url);
    expect(objective.stopReason).toBe(0);
    expect(objective.optimalInverse.id).toBe(front.knee.inverseId);

    const last = runs.at(-1)!;
    const [{ account_id: accountId }] = (
      await sql<{ account_id: number }>`select account_id from inverses where id = ${last.id}`.execute(service.db)
    ).rows as [{ account_id: number }];
    const request = toSuggestRequest((await readSnapshotOf(service.db, { accountId, inverseId: last.id }))!, 20_000);
    const repeated = propose(request);
    expect(repeated.kind === 'candidate' && [...repeated.input]).toEqual(last.input);
  });

  it('is measured from a stated reference, run by run', async () => {
    const { url, body } = await load({ front: { reference: { Cost: 1.5, Quality: 0.5 } }, reuse: false });
    expect(body.front).toEqual({ reference: [1.5, 0.5] });
    const front = async () => (await service.send('GET', `${url}/front`)).body;
    const first = await front();
    const runs = await play(url, 5);
    const last = await front();
    for (const { reference } of [first, last]) expect(reference).toEqual([1.5, 0.5]);
    expect(last.hypervolumes.map((one: { iteration: number }) => one.iteration)).toEqual([1, 2, 3, 4, 5, 6]);
    const volumes = last.hypervolumes.map((one: { hypervolume: number }) => one.hypervolume);
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => a - b));
    expect([volumes[0], volumes.at(-1)]).toEqual([first.hypervolume, last.hypervolume]);
    expect(volumes.at(-1)).toBeGreaterThan(volumes[0]);
    expect(runs).toHaveLength(5);
    // By lists, as the answer shows it; unless stated it follows from the runs.
    expect((await load({ front: { reference: first.reference } })).status).toBe(201);
    expect((await load()).body.front).toBeNull();
    const pointersOf = async (sent: object) =>
      (await load(sent)).body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(await pointersOf({ front: { reference: [1] } })).toEqual(['/front/reference']);
    expect(await pointersOf({ front: { reference: { Cost: 1 } } })).toEqual(['/front/reference/Quality']);
    expect(await pointersOf({ front: { reference: { Cost: 1, Quality: 0, Load: 2 } } })).toEqual([
      '/front/reference/Load',
    ]);
    expect(await pointersOf({ objectives: [0, 5, 0.3], front: { reference: [1, 2] } })).toEqual(['/front']);
  });

  it('moves its optimal inverse when a correction excludes it', async () => {
    const { url } = await load({ reuse: false });
    await play(url, 6);
    const knee = (await read(url)).optimalInverse;
    const excluded = await service.send('POST', `${url}/inverses/${knee.id}/corrections`, {
      excluded: true,
      reason: 'wrong scale',
    });
    expect(excluded.status).toBe(200);
    const next = (await read(url)).optimalInverse;
    expect(next.id).not.toBe(knee.id);
    const { body: front } = await service.send('GET', `${url}/front`);
    expect(front.points.map((point: { inverseId: number }) => point.inverseId)).not.toContain(knee.id);
  });

  it('has the answer as its best compromise, though a known case is better in everything', async () => {
    // The case [0.5, 0.5] is better than the initial point, the only run of the objective.
    const { url } = await load({ reuse: false });
    const [{ answer }, { knee, points }] = [await read(url), await read(`${url}/front`)];
    expect(answer).toMatchObject({ kind: 'knee', input: START.initialInput });
    expect([knee.input, knee.output]).toEqual([answer.input, answer.output]);
    expect(points.map(({ input }: { input: number[] }) => input)).toContainEqual([0.5, 0.5]);
    expect(points.map(({ input }: { input: number[] }) => input)).not.toContainEqual(START.initialInput);
  });

  it('ends with the attempts, at the knee', async () => {
    const { url } = await load({ maximumAttempts: 2 });
    await play(url, 2);
    const { stopReason, optimalInverse } = await read(url);
    expect([stopReason, optimalInverse === null]).toEqual([3, false]);
  });

  it('ends when 30 suggestions raised the hypervolume by next to nothing', async () => {
    const { url } = await load({ convergence: 0.5, reuse: false });
    const runs = await play(url, 60);
    expect(runs.length).toBeLessThan(40);
    expect((await read(url)).stopReason).toBe(2);
  });

  it('may be stated by the names of the outputs', async () => {
    const { status, body } = await load({
      objectives: { Cost: null, Quality: null, Load: 0.3 },
      objectiveTypes: { Cost: 'minimize', Quality: 'maximize', Load: 'greaterthan_equal' },
    });
    expect([status, body.objectives]).toEqual([201, [null, null, 0.3]]);
    const wrong = await load({
      objectives: { Cost: 1, Quality: 2, Load: null },
      objectiveTypes: OBJECTIVE.objectiveTypes,
    });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/objectives/Load']);
  });

  it('is refused with null for other types, and with several solutions', async () => {
    const missing = await load({ objectives: [null, null, null] });
    expect([missing.status, missing.body.errors[0].pointer]).toEqual([400, '/objectives/2']);
    const several = await load({ solutions: { count: 3 } });
    expect([several.status, several.body.errors[0].pointer]).toEqual([400, '/solutions']);
  });

  it('has no front with a target for every output', async () => {
    const { url } = await load({ objectives: [0, 5, 0.3] });
    expect((await service.send('GET', `${url}/front`)).status).toBe(400);
  });

  it('is nearest to no case that breaks its limits', async () => {
    const targets = { objectives: [0.06, 0.31, 0.15], objectiveTypes: ['value', 'value', 'value'] };
    const bounds = { minimumBounds: [-0.01, -0.01, -0.01], maximumBounds: [0.01, 0.01, 0.01] };
    const free = await load({ ...targets, ...bounds, reuse: false });
    expect((await read(free.url)).best).toMatchObject({ caseNumber: 3, input: [0.05, 0.1] });
    for (const limits of [{ constraints: ['x1 >= 0.1'] }, { fixedInputs: [0.2, null] }]) {
      const { status, url } = await load({ ...targets, ...bounds, ...limits, reuse: false });
      expect([status, (await read(url)).best.input]).toEqual([201, START.initialInput]);
    }
  });
});
