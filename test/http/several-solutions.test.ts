/** Objectives that look for several solutions, and the lists of solutions of all objectives. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toSuggestRequest } from '../../src/application/search/engine-input.ts';
import { readSnapshotOf } from '../../src/db/search/suggestions.ts';
import { suggest as propose } from '../../src/optimizer/suggest.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
let trialUrl: string;

/** Twice the distance from the centre, and their product: a ring that a hyperbola crosses four times. */
const crossing = ([a, b]: readonly number[]) => [a! * a! + b! * b!, a! * b!];
const INPUTS = [
  [0, 0],
  [1.5, 0.5],
  [-0.5, 1.5],
];

beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
  trialUrl = await newTrial();
});
afterAll(() => service.close());

async function newTrial(): Promise<string> {
  const { send } = service;
  const { body: model } = await send('POST', '/v1/models', { name: crypto.randomUUID() });
  const projects = `/v1/models/${model.id}/projects`;
  const { body: project } = await send('POST', projects, {
    name: 'crossing',
    inputCount: 2,
    minimums: [-3, -3],
    maximums: [3, 3],
    inputTypes: ['float', 'float'],
    inputCases: INPUTS,
  });
  const url = `${projects}/${project.id}`;
  const { body: set } = await send('POST', `${url}/output-cases`, {
    outputCount: 2,
    outputCases: INPUTS.map(crossing),
  });
  return `${url}/trials/${set.trial_id}`;
}

const OBJECTIVE = {
  objectives: [4, 1],
  objectiveTypes: ['value', 'value'],
  minimumBounds: [-0.01, -0.01],
  maximumBounds: [0.01, 0.01],
  initialInput: [1, -1],
  initialOutput: crossing([1, -1]),
};

const load = async (body: object, url = trialUrl) => {
  const answer = await service.send('POST', `${url}/objectives`, { ...OBJECTIVE, ...body });
  return { status: answer.status, body: answer.body, url: `/v1/objectives/${answer.body.id}` };
};
const read = async (url: string) => (await service.send('GET', url)).body;

/** Suggests and reports until the objective ends. */
async function play(url: string, limit = 60): Promise<void> {
  for (let run = 0; run < limit; run++) {
    const { body: inverse, status } = await service.send('POST', `${url}/inverses`);
    if (status !== 201 || inverse.output) return;
    const { body: judged } = await service.send('PUT', `${url}/inverses/${inverse.id}/output`, {
      output: crossing(inverse.input),
    });
    if (judged.status !== undefined && (await read(url)).stopReason !== 0) return;
  }
}

const distance = (a: readonly number[], b: readonly number[]) =>
  Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!) / 6 / Math.SQRT2;

it('goes on after the first solution until as many lie apart as were asked for', async () => {
  const { status, body, url } = await load({ solutions: { count: 4 } });
  expect([status, body.solutions, body.stopReason]).toEqual([201, { count: 4, apart: 0.1 }, 0]);
  await play(url);
  const objective = await read(url);
  expect(objective.stopReason).toBe(1);
  const solutions = objective.inverses.filter((one: { status: string }) => one.status === 'converged');
  expect(solutions).toHaveLength(4);
  for (const [i, a] of solutions.entries()) {
    expect(a.satisfiedAt).not.toBeNull();
    for (const b of solutions.slice(0, i)) expect(distance(a.inputs, b.inputs)).toBeGreaterThanOrEqual(0.1);
  }
  expect(objective.optimalInverse.id).toBe(solutions[0].id);

  const last = solutions.at(-1);
  const [{ account_id: accountId }] = (
    await sql<{ account_id: number }>`select account_id from inverses where id = ${last.id}`.execute(service.db)
  ).rows as [{ account_id: number }];
  const request = toSuggestRequest((await readSnapshotOf(service.db, { accountId, inverseId: last.id }))!, 20_000);
  expect(Array.from(request.solutions!.found)).toEqual(
    solutions.slice(0, -1).flatMap((one: { inputs: number[] }) => one.inputs),
  );
  const repeated = propose(request);
  expect(repeated.kind === 'candidate' && [...repeated.input]).toEqual(last.inputs);

  const { body: listed } = await service.send('GET', `${url}/solutions?count=3`);
  expect(listed.verified).toHaveLength(3);
  for (const { inverseId, input } of listed.verified) {
    expect(solutions.map((one: { id: number }) => one.id)).toContain(inverseId);
    expect(Math.abs(input[0] * input[1] - 1)).toBeLessThanOrEqual(0.01);
  }
});

it('tells of each solution, the first of which stays the optimal inverse', async () => {
  const url = await newTrial();
  const { body: hook } = await service.send('POST', '/v1/webhooks', {
    url: 'https://receiver.example/solutions',
    events: ['objective.solution_found', 'objective.satisfied'],
  });
  const root = [1.9318516525781366, 0.5176380902050415];
  const started = await load({ solutions: { count: 2 }, initialInput: root, initialOutput: crossing(root) }, url);
  expect(started.body.stopReason).toBe(0);
  const { body: inverse } = await service.send('POST', `${started.url}/inverses`);
  expect(distance(inverse.input, root)).toBeGreaterThanOrEqual(0.1);
  // Whatever the input, this output would satisfy everything: it lies apart and is the second solution.
  await service.send('PUT', `${started.url}/inverses/${inverse.id}/output`, { output: [4, 1] });
  const ended = await read(started.url);
  expect([ended.stopReason, ended.inverses.map((one: { status: string }) => one.status)]).toEqual([
    1,
    ['converged', 'converged'],
  ]);
  expect(ended.optimalInverse.iteration).toBe(1);
  const { rows } = await sql<{ name: string }>`
    select e.name from events e join webhook_deliveries d on d.event_id = e.id
    where d.webhook_id = ${hook.id} and e.resource_id = ${started.body.id} order by e.id`.execute(service.db);
  expect(rows.map(({ name }) => name)).toEqual([
    'objective.solution_found',
    'objective.solution_found',
    'objective.satisfied',
  ]);
});

it('follows corrections: an excluded solution is sought again', async () => {
  const root = [1.9318516525781366, 0.5176380902050415];
  const started = await load(
    { solutions: { count: 2 }, initialInput: root, initialOutput: crossing(root) },
    await newTrial(),
  );
  const { body: inverse } = await service.send('POST', `${started.url}/inverses`);
  const inverseUrl = `${started.url}/inverses/${inverse.id}`;
  await service.send('PUT', `${inverseUrl}/output`, { output: [4, 1] });
  const refused = await service.send('POST', `${inverseUrl}/corrections`, { excluded: true, reason: 'wrong rig' });
  expect(refused.status).toBe(409);
  const excluded = await service.send('POST', `${inverseUrl}/corrections`, {
    excluded: true,
    reason: 'wrong rig',
    reopen: true,
  });
  expect(excluded.status).toBe(200);
  const reopened = await read(started.url);
  expect([reopened.stopReason, reopened.inverses[0].status, reopened.inverses[1].status]).toEqual([
    0,
    'converged',
    'active',
  ]);
  const again = await service.send('POST', `${inverseUrl}/corrections`, { excluded: false, reason: 'it was right' });
  expect(again.status).toBe(200);
  expect((await read(started.url)).stopReason).toBe(1);
});

it('does not count a run that satisfies everything too near to a solution, until that one turns out to be wrong', async () => {
  const started = await load({ solutions: { count: 2 }, parallelism: 2 }, await newTrial());
  const ask = async () => (await service.send('POST', `${started.url}/inverses`)).body;
  const report = (id: number) => service.send('PUT', `${started.url}/inverses/${id}/output`, { output: [4, 1] });
  // An input that was given up is suggested again; then both are run after all.
  const first = await ask();
  await service.send('POST', `${started.url}/inverses/${first.id}/stop`);
  const near = await ask();
  expect(distance(first.input, near.input)).toBeLessThan(0.1);
  expect((await report(first.id)).body.status).toBe('converged');
  const { body: reported } = await report(near.id);
  expect([reported.status, reported.satisfiedAt]).toEqual(['active', null]);
  expect(reported.results.every(({ satisfied }: { satisfied: boolean }) => satisfied)).toBe(true);
  const states = async () => {
    const { stopReason, optimalInverse, inverses } = await read(started.url);
    return [stopReason, optimalInverse.id, inverses.slice(1).map(({ status }: { status: string }) => status)];
  };
  expect(await states()).toEqual([0, first.id, ['converged', 'active']]);
  const corrected = await service.send('POST', `${started.url}/inverses/${first.id}/corrections`, {
    output: [3, 1],
    reason: 'wrong file',
  });
  expect(corrected.status).toBe(200);
  expect(await states()).toEqual([0, near.id, ['active', 'converged']]);
  // The next one is apart from the one that counts now, and the second solution.
  const next = await ask();
  expect(distance(near.input, next.input)).toBeGreaterThanOrEqual(0.1);
  expect((await report(next.id)).body.status).toBe('converged');
  expect((await read(started.url)).stopReason).toBe(1);
});

it('stopped by hand it ends with what is there', async () => {
  const root = [1.9318516525781366, 0.5176380902050415];
  const started = await load(
    { solutions: { count: 3 }, initialInput: root, initialOutput: crossing(root) },
    await newTrial(),
  );
  const { body } = await service.send('POST', `${started.url}/stop`);
  expect([body.stopReason, body.optimalInverse.iteration, body.inverses[0].status]).toEqual([2, 1, 'converged']);
});

it('used-up attempts end it as exhausted, with the solutions found', async () => {
  const root = [1.9318516525781366, 0.5176380902050415];
  const sent = { solutions: { count: 3 }, initialInput: root, initialOutput: crossing(root), maximumAttempts: 1 };
  const started = await load(sent, await newTrial());
  const { body: inverse } = await service.send('POST', `${started.url}/inverses`);
  await service.send('PUT', `${started.url}/inverses/${inverse.id}/output`, { output: [4, 1] });
  const ended = await read(started.url);
  expect([ended.stopReason, ended.inverses[1].status, ended.optimalInverse.iteration]).toEqual([3, 'converged', 1]);
});

it('counts solutions of parallel inverses and late outputs alike', async () => {
  const root = [1.9318516525781366, 0.5176380902050415];
  const sent = { solutions: { count: 3 }, initialInput: root, initialOutput: crossing(root), parallelism: 3 };
  const started = await load(sent, await newTrial());
  const ids: number[] = [];
  for (let k = 0; k < 3; k++) ids.push((await service.send('POST', `${started.url}/inverses`)).body.id);
  await service.send('POST', `${started.url}/inverses/${ids[0]}/stop`);
  const report = (id: number) => service.send('PUT', `${started.url}/inverses/${id}/output`, { output: [4, 1] });
  await report(ids[2]!);
  expect((await read(started.url)).stopReason).toBe(0);
  await report(ids[0]!);
  const ended = await read(started.url);
  expect(ended.stopReason).toBe(1);
  expect(ended.inverses.map((one: { status: string }) => one.status)).toEqual([
    'converged',
    'converged',
    'stopped',
    'converged',
  ]);
});

it('names what is wrong with the option', async () => {
  for (const [solutions, pointer] of [
    [{ count: 1 }, '/solutions/count'],
    [{ apart: 0.6 }, '/solutions/apart'],
    [{ number: 3 }, '/solutions/number'],
  ] as const) {
    const { status, body } = await load({ solutions });
    expect([status, body.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([400, [pointer]]);
  }
});

it('lists predicted solutions of any objective apart from verified ones', async () => {
  const url = await newTrial();
  const { url: objectiveUrl } = await load(
    { objectives: [2.5, 0], minimumBounds: [-0.3, -3], maximumBounds: [0.3, 3] },
    url,
  );
  const { body } = await service.send('GET', `${objectiveUrl}/solutions`);
  expect(body.verified).toEqual(
    expect.arrayContaining([
      {
        caseNumber: 2,
        objectiveId: null,
        objectiveNumber: null,
        inverseId: null,
        iteration: null,
        input: [1.5, 0.5],
        output: [2.5, 0.75],
      },
    ]),
  );
  expect(body.predicted.length).toBeGreaterThan(1);
  const points = [...body.verified, ...body.predicted];
  for (const [i, a] of points.entries()) {
    for (const b of points.slice(Math.max(0, body.verified.length - i), i)) {
      if (i >= body.verified.length) expect(distance(a.input, b.input)).toBeGreaterThanOrEqual(0.05);
    }
  }
  expect((await service.send('GET', `${objectiveUrl}/solutions`)).body).toEqual(body);
  expect((await service.send('GET', `${objectiveUrl}/solutions?count=21`)).status).toBe(400);
  expect((await service.send('GET', '/v1/objectives/999999999/solutions')).status).toBe(404);
});
