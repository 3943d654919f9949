/** Runs, failures, corrections and notes name whoever asked, loaded and corrected, in both dialects. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountIdOf, insertBatch, insertEvaluations } from '../support/evaluations.ts';
import { makePeople } from '../support/people.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const { join } = makePeople(() => service);

let rigs = 0;

async function prepare() {
  const account = `rig ${++rigs}`;
  const send = service.sendAs(await service.makeKey(account));
  const { loaded, model, project, trialId } = await prepareObjective(send);
  const parents = { modelId: model.id, projectId: project.id, trialId };
  const objectiveId: number = loaded.body.id;
  return { account, send, parents, objectiveId, flat: `/v1/objectives/${objectiveId}` };
}

const suggest = async (send: Send, flat: string) => (await send('POST', `${flat}/inverses`)).body.id as number;
const output = { output: [7, 8, 9] };

it('A run names who asked for it and who loaded its output, everywhere it is shown', async () => {
  const { send, flat } = await prepare();
  const [ada, bob] = [await join(send, 'member', 'Ada'), await join(send, 'member', 'Bob')];
  const id = await suggest(ada.send, flat);
  const url = `${flat}/inverses/${id}`;
  expect((await send('GET', url)).body).toMatchObject({ askedBy: 'Ada', loadedBy: null });
  await bob.send('PUT', `${url}/output`, output);
  const run = (await send('GET', url)).body;
  expect(run).toMatchObject({ askedBy: 'Ada', loadedBy: 'Bob' });
  expect((await send('GET', `${flat}/history`)).body.loadedBy).toEqual({ 2: 'Bob' });
  expect((await send('GET', `${flat}/runs`)).body.at(-1)).toMatchObject({ iteration: 2, loadedBy: 'Bob' });
  const exported = (await send('GET', '/v1/export', undefined, { accept: 'application/x-ndjson' })).text;
  const line = exported.split('\n').find((one) => one.includes(`"id":${id},`) && one.includes('"inverse"'))!;
  expect(JSON.parse(line)).toMatchObject({ askedBy: 'Ada', loadedBy: 'Bob' });
  // A new name changes nothing that was done.
  await bob.send('PATCH', '/v1/me', { name: 'Robert' });
  expect((await send('GET', url)).body.loadedBy).toBe('Bob');
  const corrected = await bob.send('POST', `${url}/corrections`, { excluded: true, reason: 'leak' });
  expect(corrected.body.correction.correctedBy).toBe('Robert');
});

it('Programs are named by the label of their key, or by its person, and whoever reports a failure as well', async () => {
  const { send, flat } = await prepare();
  const ada = await join(send, 'member', 'Ada');
  const labelled = (await send('POST', '/v1/keys', { scopes: ['read', 'write'], label: 'the test rig' })).body;
  const personal = (await ada.send('POST', '/v1/me/keys', { scopes: ['write'], label: 'her script' })).body;
  const id = await suggest(service.sendAs(labelled.key), flat);
  await service.sendAs(personal.key)('PUT', `${flat}/inverses/${id}/output`, { failed: true, reason: 'stalled' });
  const run = (await send('GET', `${flat}/inverses/${id}`)).body;
  expect(run).toMatchObject({ askedBy: 'the test rig', loadedBy: 'Ada', status: 'failed' });
  const nameless = (await send('POST', '/v1/keys', { scopes: ['read', 'write'] })).body;
  const sdk = service.sendAs(nameless.key);
  const { body } = await sdk('POST', `/api${flat.slice(3)}/suggest-inverse`, {});
  await sdk('POST', `/api/inverses/${body.id}/load-output`, output);
  const next = (await send('GET', `${flat}/inverses/${body.id}`)).body;
  expect(next).toMatchObject({ askedBy: nameless.keyId, loadedBy: nameless.keyId });
});

it('Runs that are opened one behind the other for two people name each', async () => {
  const { send, flat } = await prepare();
  await send('PATCH', flat, { parallelism: 4 });
  const [ada, bob] = [await join(send, 'member', 'Ada'), await join(send, 'member', 'Bob')];
  const [ofAda, ofBob] = await Promise.all(
    [ada, bob].map((each) => each.send('POST', `${flat}/suggestions`, { count: 2 })),
  );
  for (const [name, answer] of [
    ['Ada', ofAda!],
    ['Bob', ofBob!],
  ] as const) {
    expect(answer.body.inverses.length, answer.text).toBeGreaterThan(0);
    for (const { id } of answer.body.inverses) {
      expect((await send('GET', `${flat}/inverses/${id}`)).body.askedBy).toBe(name);
    }
  }
});

it('A run of a batch names the evaluator that reported it', async () => {
  const { account, send, parents, objectiveId, flat } = await prepare();
  const { id: inverseId, input } = (await send('POST', `${flat}/inverses`)).body;
  const accountId = await accountIdOf(service.db, account);
  const batchId = await insertBatch(service.db, { accountId, ...parents });
  await insertEvaluations(service.db, batchId, [{ objectiveId, inverseId, input }]);
  const rig = await join(send, 'evaluator', 'Rig operator');
  const claimed = await rig.send('POST', '/v1/evaluations/claim', { evaluator: 'rig' });
  const [{ id, leaseToken }] = claimed.body.evaluations;
  const reported = await rig.send('PUT', `/v1/evaluations/${id}/output`, { leaseToken, ...output });
  expect(reported.status, reported.text).toBe(200);
  expect((await send('GET', `${flat}/inverses/${inverseId}`)).body.loadedBy).toBe('Rig operator');
});
