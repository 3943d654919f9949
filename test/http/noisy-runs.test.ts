/** Objectives whose runs differ at one input: repeats, what ends them, and what corrections and late outputs do. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { blackBox, type NativeService, openNativeService, prepareTrial } from './native-service.ts';

let service: NativeService;
let trialUrl: string;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  ({ trialUrl } = await prepareTrial(service.send));
});
afterAll(() => service.close());

const SD = 0.3;
const OBJECTIVE = {
  objectives: [10, -4, 7],
  objectiveTypes: ['value', 'value', 'lessthan_equal'],
  minimumBounds: [-1, -1, null],
  maximumBounds: [1, 1, null],
  initialInput: [5, 5],
  initialOutput: blackBox([5, 5]),
  reuse: false,
};

type Json = Record<string, unknown> & { id: number };

interface Played {
  readonly url: string;
  readonly inverses: readonly (Json & { input: number[]; isRepeat: boolean; repeatOf: number | null })[];
  readonly objective: Json & { standing: { inverseId: number | null; runs: number } & Record<string, unknown> };
}

async function load(options: object): Promise<string> {
  const { status, body } = await service.send('POST', `${trialUrl}/objectives`, { ...OBJECTIVE, ...options });
  expect([status, body.errors]).toEqual([201, undefined]);
  return `/v1/objectives/${body.id}`;
}

const noisy = (random: ReturnType<typeof makeRandom>, [a, b]: readonly number[], sd = SD) =>
  blackBox([a!, b!]).map((y) => y + sd * random.normal());

/** Runs what is suggested, several at a time where they may be open, until the objective has ended. */
async function play(url: string, { seed = 1, sd = SD, limit = 60 } = {}): Promise<Played> {
  const random = makeRandom(seed);
  for (let round = 0; round < limit; round++) {
    const { body } = await service.send('POST', `${url}/suggestions`, {});
    const open = (body.inverses as Json[]).filter(({ output, status }) => output == null && status === 'active');
    if (open.length === 0) break;
    for (const { id, input } of open) {
      const output = noisy(random, input as number[], sd);
      await service.send('PUT', `${url}/inverses/${id}/output`, { output });
    }
  }
  return shown(url);
}

async function shown(url: string): Promise<Played> {
  const { body: objective } = await service.send('GET', url);
  const inverses = [];
  for (const { id } of objective.inverses) inverses.push((await service.send('GET', `${url}/inverses/${id}`)).body);
  return { url, objective, inverses };
}

/** Whether every stored suggestion follows from what is stored. */
async function expectRepeatable({ inverses }: Played): Promise<void> {
  for (const { id, input, isRepeat, output, status } of inverses.slice(1)) {
    if (status === 'stopped' && output !== null) continue;
    const { rows } = await sql<{ account_id: number }>`select account_id from inverses where id = ${id}`.execute(
      service.db,
    );
    const snapshot = (await readSnapshotOf(service.db, { accountId: rows[0]!.account_id, inverseId: id }))!;
    const again = propose(toSuggestRequest(snapshot, 20_000));
    expect(again.kind === 'candidate' && [[...again.input], again.repeatOf !== undefined]).toEqual([input, isRepeat]);
  }
}

it('One run that meets the targets ends nothing: its input is run again until it holds', async () => {
  const url = await load({ confidence: 0.9 });
  const played = await play(url);
  const { objective, inverses } = played;
  expect(objective).toMatchObject({ stopReason: 1, noise: 'estimate', confidence: 0.9, confidenceOf: 'run' });
  const { standing } = objective as unknown as { standing: Record<'run' | 'mean', Record<string, number>> };
  expect(standing.run.low).toBeGreaterThanOrEqual(0.9);
  expect(standing.run.value).toBeGreaterThanOrEqual(standing.run.low!);
  const repeats = inverses.filter(({ isRepeat }) => isRepeat);
  expect(repeats.length).toBeGreaterThan(0);
  for (const { input, repeatOf } of repeats) {
    if (repeatOf !== null) expect(inverses.find(({ id }) => id === repeatOf)!.input).toEqual(input);
  }
  const { body: history } = await service.send('GET', `${url}/history`);
  expect(history.repeatOf).toEqual(Object.fromEntries(repeats.map((one) => [one['iteration'], one.repeatOf])));
  const held = inverses.find(({ id }) => id === (objective['optimalInverse'] as Json).id)!;
  expect(held).toMatchObject({
    status: 'stopped',
    input: inverses.find(({ id }) => id === objective.standing.inverseId)!.input,
  });
  await expectRepeatable(played);
});

it('The initial point is one run, too', async () => {
  const url = await load({ confidence: 0.9, initialInput: [3, 7], initialOutput: blackBox([3, 7]) });
  expect((await service.send('GET', url)).body).toMatchObject({ stopReason: 0, standing: null });
});

it('The mean of as many runs as asked for ends an objective', async () => {
  const { objective, inverses } = await play(await load({ confirm: 3, noise: { standardDeviations: [SD, SD, SD] } }));
  expect(objective).toMatchObject({ stopReason: 1, confirm: 3, confidence: null, standing: { runs: 3 } });
  const held = inverses.find(({ id }) => id === (objective['optimalInverse'] as Json).id)!;
  const runs = inverses.filter(({ input, id }) => id !== held.id && input.join() === held.input.join());
  expect(runs.length).toBe(3);
  const mean = (j: number) => runs.reduce((sum, { output }) => sum + (output as number[])[j]! / 3, 0);
  expect((held['output'] as number[])[0]).toBeCloseTo(mean(0), 9);
});

it('Several inverses may be open, repeats among them, and are given up at the end', async () => {
  const url = await load({ confidence: 0.9, confidenceOf: 'mean', parallelism: 3 });
  const played = await play(url);
  expect(played.objective).toMatchObject({ stopReason: 1, openCount: 0 });
  await expectRepeatable(played);
});

it('Used up attempts end it once all outputs are there, with what is known of the best input', async () => {
  const { objective, inverses } = await play(await load({ confidence: 0.99, maximumAttempts: 4 }), { sd: 1 });
  expect(objective).toMatchObject({ stopReason: 3, attemptCount: 4 });
  expect(objective.standing).toMatchObject({ caseCount: 8, run: { value: expect.any(Number) } });
  expect(inverses.length).toBe(6);
});

it('A correction of a run at the input that holds needs reopen; another one does not', async () => {
  const { url, objective, inverses } = await play(await load({ confidence: 0.9 }));
  const { inverseId } = objective.standing;
  const elsewhere = inverses.find(
    ({ input }) => input.join() !== inverses.find(({ id }) => id === inverseId)!.input.join(),
  )!;
  const correct = (id: number, body: object) => service.send('POST', `${url}/inverses/${id}/corrections`, body);
  const exclude = { excluded: true, reason: 'wrong valve' };
  expect((await correct(elsewhere.id, exclude)).status).toBe(200);
  expect((await service.send('GET', url)).body).toMatchObject({ stopReason: 1 });
  const refused = await correct(inverseId!, exclude);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringContaining('rests on all runs at this input'),
  ]);
  expect((await correct(inverseId!, { ...exclude, reopen: true })).status).toBe(200);
  expect((await service.send('GET', url)).body).toMatchObject({ stopReason: 0 });
  expect((await play(url, { seed: 9 })).objective).toMatchObject({ stopReason: 1 });
});

it('A late output changes no verdict and is learned from', async () => {
  const url = await load({ confidence: 0.9, parallelism: 2 });
  const { body } = await service.send('POST', `${url}/suggestions`, {});
  const [late] = body.inverses;
  await service.send('POST', `${url}/inverses/${late.id}/stop`);
  const { status } = await service.send('PUT', `${url}/inverses/${late.id}/output`, { output: blackBox([3, 7]) });
  expect(status).toBe(200);
  expect((await service.send('GET', url)).body).toMatchObject({ stopReason: 0 });
});

it('Wrong options are named', async () => {
  const send = (options: object) => service.send('POST', `${trialUrl}/objectives`, { ...OBJECTIVE, ...options });
  const pointers = async (options: object) => {
    const { status, body } = await send(options);
    return [status, (body.errors as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer).sort()];
  };
  expect(await pointers({ noise: { standardDeviations: [1, 2] } })).toEqual([400, ['/noise/standardDeviations']]);
  expect(await pointers({ noise: { standardDeviations: [1, 2, -3] } })).toEqual([400, ['/noise/standardDeviations/2']]);
  expect(await pointers({ confirm: 3, confidence: 0.9 })).toEqual([400, ['/confirm']]);
  expect(await pointers({ confirm: 21 })).toEqual([400, ['/confirm']]);
  expect(await pointers({ confidence: 1 })).toEqual([400, ['/confidence']]);
  expect(await pointers({ confidenceOf: 'run' })).toEqual([400, ['/confidenceOf']]);
});
