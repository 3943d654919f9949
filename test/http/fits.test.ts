/** Objectives that fit outputs to measured values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let projectUrl: string;
let trialUrl: string;

/** A curve that decays from a height with a rate, at seven times, and a cost that grows with the height. */
const TIMES = [0, 0.5, 1, 1.5, 2, 3, 4];
const decay = ([height, rate]: readonly number[]) => [...TIMES.map((t) => height! * Math.exp(-rate! * t)), 2 * height!];
const ERRORS = [0.02, -0.03, 0.01, 0.02, -0.02, -0.01, 0.01];
const DATA = decay([2, 0.7])
  .slice(0, -1)
  .map((y, i) => y + ERRORS[i]!);
const INPUTS = [
  [1, 0.2],
  [4, 1.5],
  [2.5, 1],
];

beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name: crypto.randomUUID() });
  const projects = `/v1/models/${model.id}/projects`;
  const { body: project } = await send('POST', projects, {
    name: 'decay',
    inputCount: 2,
    minimums: [0.5, 0.05],
    maximums: [5, 3],
    inputTypes: ['float', 'float'],
    inputCases: INPUTS,
    outputNames: [...TIMES.map((t) => `level@${t}`), 'cost'],
  });
  projectUrl = `${projects}/${project.id}`;
  const { body: set } = await send('POST', `${projectUrl}/output-cases`, {
    outputCount: 8,
    outputCases: INPUTS.map(decay),
  });
  trialUrl = `${projectUrl}/trials/${set.trial_id}`;
});
afterAll(() => service.close());

const FIT = {
  objectives: [...DATA, 100],
  objectiveTypes: [...DATA.map(() => 'fit'), 'lessthan_equal'],
  fits: [{ sigma: 0.02 }],
  stop: {},
};

const load = async (body: object) => {
  const answer = await service.send('POST', `${trialUrl}/objectives`, { ...FIT, ...body });
  return { status: answer.status, body: answer.body, url: `/v1/objectives/${answer.body.id}` };
};
const read = async (url: string) => (await service.send('GET', url)).body;

async function play(url: string, limit = 40): Promise<void> {
  for (let run = 0; run < limit; run++) {
    const { body: inverse, status } = await service.send('POST', `${url}/inverses`);
    if (status !== 201 || inverse.output) return;
    await service.send('PUT', `${url}/inverses/${inverse.id}/output`, { output: decay(inverse.input) });
    if ((await read(url)).stopReason !== 0) return;
  }
}

const chiSquare = (output: readonly number[], data = DATA) =>
  data.reduce((sum, value, i) => sum + ((output[i]! - value) / 0.02) ** 2, 0);

it('ends satisfied with the least chi-square once the models expect no noticeable reduction, and says so', async () => {
  const { status, body, url } = await load({});
  expect([status, body.fits]).toEqual([
    201,
    [{ name: null, outputs: [0, 1, 2, 3, 4, 5, 6], sigma: 0.02, weight: 1, loss: 'linear' }],
  ]);
  await play(url);
  const objective = await read(url);
  expect(objective.stopReason).toBe(1);
  const runs = objective.inverses.filter((one: { outputs: number[] }) => one.outputs.length > 0);
  const least = Math.min(...runs.map(({ outputs }: { outputs: number[] }) => chiSquare(outputs)));
  expect(chiSquare(objective.optimalInverse.outputs)).toBe(least);
  expect(objective.attemptCount).toBeLessThan(15);
  expect(objective.fit).toMatchObject({ points: 7, freedom: 5, warnings: [] });
  expect(objective.fit.chiSquare).toBeCloseTo(least, 9);
  const history = await read(`${url}/history`);
  expect(history.fit).toEqual(objective.fit);
  expect(history.misfits.map((misfit: number | null) => misfit?.toPrecision(9))).toEqual(
    history.outputs.map((output: readonly number[] | null) => output && chiSquare(output).toPrecision(9)),
  );
  const [glance] = await read('/v1/objectives?trend=5');
  expect(glance).toMatchObject({ limitCount: 1, limitsMet: 1, metCount: 1, misfit: objective.fit.chiSquare });
  expect(glance.trend.misfits.at(-1)).toBe(objective.fit.chiSquare);
  expect(objective.endReason).toMatch(
    /^Satisfied: run \d+ fits the data best, with chi-square \S+ with 5 degrees of freedom; the models expect at most 0\.\d{2} less\.$/,
  );
  const [height, rate] = objective.optimalInverse.inputs;
  expect([Math.abs(height - 2) < 0.05, Math.abs(rate - 0.7) < 0.05]).toEqual([true, true]);

  const last = objective.inverses.at(-2);
  const accountId = await accountOf(last.id);
  const request = toSuggestRequest((await readSnapshotOf(service.db, { accountId, inverseId: last.id }))!, 20_000);
  const repeated = propose(request);
  expect(repeated.kind === 'candidate' && [...repeated.input]).toEqual(last.inputs);
});

async function accountOf(inverseId: number): Promise<number> {
  const row = await service.db
    .selectFrom('inverses')
    .select('account_id as accountId')
    .where('id', '=', inverseId)
    .executeTakeFirstOrThrow();
  return row.accountId;
}

it('keeps to the limits of other outputs, and fits among the runs that meet them', async () => {
  const { url } = await load({ objectives: [...DATA, 3.6] });
  await play(url);
  const objective = await read(url);
  expect(objective.stopReason).toBe(1);
  const best = objective.optimalInverse;
  expect(best.outputs.at(-1)).toBeLessThanOrEqual(3.6);
  expect(best.inputs[0]).toBeGreaterThan(1.75);
  expect(objective.fit.warnings.join(' ')).toContain('larger than the standard errors explain');
});

it('leaves out gaps, estimates an unknown error and says what it is', async () => {
  const { url, status } = await load({
    objectives: [...DATA.with(2, null as unknown as number), 100],
    fits: undefined,
  });
  expect(status).toBe(201);
  await play(url);
  const objective = await read(url);
  expect([objective.stopReason, objective.objectives[2]]).toEqual([1, null]);
  expect(objective.fit).toMatchObject({ points: 6, freedom: 4, chiSquare: null });
  expect(objective.fit.sets[0].scale).toBeGreaterThan(0.01);
  expect(objective.fit.sets[0].scale).toBeLessThan(0.04);
  expect(objective.endReason).toContain('residuals of standard deviation 0.0');
});

it('takes data sets by the names of their outputs, and gives every violation a sentence', async () => {
  const names = TIMES.map((t) => `level@${t}`);
  const sets = [
    { name: 'early', outputs: names.slice(0, 3), sigma: [0.02, 0.02, 0.03], weight: 2 },
    { name: 'late', outputs: names.slice(3), sigma: { relative: 0.05 }, loss: 'soft_l1' },
  ];
  const { status, body } = await load({ fits: sets });
  expect(status).toBe(201);
  expect(body.fits.map(({ outputs }: { outputs: number[] }) => outputs)).toEqual([
    [0, 1, 2],
    [3, 4, 5, 6],
  ]);
  const wrong = [{ outputs: ['level@0', 'level@9', 'cost'], sigma: 0, loss: 'cauchy' }];
  const refused = await load({ fits: wrong, objectiveTypes: [...DATA.map(() => 'fit'), 'minimize'], confirm: 3 });
  expect(refused.status).toBe(400);
  const again = await load({ fits: [{ outputs: [0, 0, 7], loss: 'cauchy' }], confirm: 3, noise: 'estimate' });
  const told = [...refused.body.errors, ...again.body.errors].map(
    ({ property, message }: { property: string; message: string }) => `${property}: ${message}`,
  );
  expect(told.join('\n')).toMatch(/level@9/);
  expect(told).toContain('fits[0].outputs[2]: must be the number of an output of type fit, is 7.');
  expect(told).toContain('fits: must name each output once, has 0 more than once.');
  expect(told).toContain('fits: must name every output of type fit, lacks 1, 2, 3, 4, 5, ....');
  expect(told.join('\n')).toMatch(/sigma: is required with the loss cauchy/);
  expect(told.join('\n')).toMatch(/confirm: must be left out with a fit/);
  expect(told.join('\n')).toMatch(/noise: must be left out with a fit/);
});

it('chooses the best run again after a correction', async () => {
  const { url } = await load({});
  await play(url);
  const before = await read(url);
  const best = before.optimalInverse;
  const corrected = await service.send('POST', `${url}/inverses/${best.id}/corrections`, {
    reason: 'the clock was wrong',
    excluded: true,
    reopen: true,
  });
  expect(corrected.status).toBeLessThan(300);
  const after = await read(url);
  expect(after.stopReason).toBe(0);
  expect(after.optimalInverse.id).not.toBe(best.id);
  const others = after.inverses.filter(
    (one: { id: number; outputs: number[] }) => one.outputs.length > 0 && one.id !== best.id,
  );
  const least = Math.min(...others.map(({ outputs }: { outputs: number[] }) => chiSquare(outputs)));
  expect(chiSquare(after.optimalInverse.outputs)).toBe(least);
});

it('says what the data tell about the inputs: intervals that hold the truth, their correlation, and the curve with its band', async () => {
  const { url } = await load({});
  await play(url);
  const { status, body } = await service.send('GET', `${url}/fit?confidence=99`);
  expect([status, body.confidence]).toEqual([200, 0.99]);
  const { parameters, correlations, outputs, sentences, run, best } = body.fit;
  for (const [i, truth] of [2, 0.7].entries()) {
    const { low, high, estimate, standardError, kind, profile } = parameters[i];
    expect(kind).toBe('identifiable');
    expect([low < truth, truth < high, low < estimate, estimate < high]).toEqual([true, true, true, true]);
    expect((high - low) / standardError).toBeGreaterThan(4.5);
    expect((high - low) / standardError).toBeLessThan(6);
    expect(profile.at(0).increase).toBeGreaterThan(5);
  }
  const objective = await read(url);
  expect([run.inverseId, best]).toEqual([objective.optimalInverse.id, objective.optimalInverse.inputs]);
  expect(correlations[0][1]).toBeGreaterThan(0.3);
  expect(outputs).toHaveLength(8);
  const cost = outputs[7];
  expect([cost.name, cost.low < 4, 4 < cost.high]).toEqual(['cost', true, true]);
  expect(sentences[0]).toMatch(/^x1: 2\S*, standard error 0\.0\S+; 99 % interval 1\.\S+ to 2\.\S+\.$/);
});

it('answers questions about a fit and about targets each where they belong', async () => {
  const { url } = await load({});
  for (const question of ['identifiability', 'solutions', 'robustness?tolerances=1,1']) {
    const { status, body } = await service.send('GET', `${url}/${question}`);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('has a fit')]);
  }
  const { body: plain } = await service.send('POST', `${trialUrl}/objectives`, {
    objectives: [...DATA, 100],
    objectiveTypes: [...DATA, 100].map(() => 'lessthan_equal'),
  });
  const { status, body } = await service.send('GET', `/v1/objectives/${plain.id}/fit`);
  expect([status, body.detail]).toEqual([400, expect.stringContaining('has no output of type fit')]);
});

it('goes on from a fit that was found to a more exact one', async () => {
  const { url } = await load({ reuse: false, stop: { improvementBelow: 1 } });
  await play(url);
  const before = await read(url);
  expect([before.stopReason, before.isResumable]).toEqual([1, true]);
  const { status, body } = await service.send('PATCH', url, { stop: { improvementBelow: 1e-4 }, maximumAttempts: 60 });
  expect([status, body.stopReason, body.stop.improvementBelow]).toEqual([200, 0, 1e-4]);
  await play(url);
  const after = await read(url);
  expect(after.stopReason).toBe(1);
  expect(after.attemptCount).toBeGreaterThan(before.attemptCount);
  expect(after.fit.chiSquare).toBeLessThanOrEqual(before.fit.chiSquare);
});
