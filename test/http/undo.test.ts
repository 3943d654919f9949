/** Undo of corrections: the result from before counts again, and the log tells both. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NativeService, NEVER, OBJECTIVES, openNativeService, prepareObjective } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

/** An objective with a run of its own, loaded with `output`. */
async function playOne(change: object = NEVER, output: readonly number[] = [1, 2, 3]) {
  const { trialUrl, objectiveUrl } = await prepareObjective(service.send, { ...change });
  const { id } = (await service.send('POST', `${objectiveUrl}/inverses`)).body;
  await service.send('PUT', `${objectiveUrl}/inverses/${id}/output`, { output });
  const correct = async (body: object) => {
    const answer = await service.send('POST', `${objectiveUrl}/inverses/${id}/corrections`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.correction.id as number;
  };
  const undo = (correction: number, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    service.send('POST', `${trialUrl}/corrections/${correction}/undo`, body, headers);
  const read = async () => (await service.send('GET', `${objectiveUrl}/inverses/${id}`)).body;
  const log = async () => (await service.send('GET', `${trialUrl}/corrections`)).body;
  return { trialUrl, objectiveUrl, correct, undo, read, log };
}

it('Each kind of correction is taken back, by a correction of its own that names the reason', async () => {
  const { correct, undo, read, log } = await playOne();
  for (const [change, isNow] of [
    [{ output: [7, 8, 9], reason: 'misread' }, { output: [7, 8, 9] }],
    [
      { failed: true, failureReason: 'mesh', reason: 'see log' },
      { output: null, failureReason: 'mesh' },
    ],
    [{ excluded: true, reason: 'sensor off' }, { excludedAt: expect.any(String) }],
  ] as const) {
    const correction = await correct(change);
    expect(await read()).toMatchObject(isNow);
    const undone = await undo(correction);
    expect(undone.status, undone.text).toBe(200);
    expect(undone.body).toMatchObject({ reason: `Undo of: ${change.reason}`, isNote: false });
    expect(undone.body.new).toMatchObject({ output: [1, 2, 3], failed: false, failureReason: null, excluded: false });
    expect(await read()).toMatchObject({ output: [1, 2, 3], failureReason: null, excludedAt: null });
  }
  expect(await log()).toHaveLength(6);
});

it('An undo is itself undone, and a failure gets its reason again', async () => {
  const { correct, undo, read } = await playOne();
  await correct({ failed: true, failureReason: 'mesh', reason: 'see log' });
  const correction = await correct({ output: [4, 5, 6], reason: 'it ran after all' });
  const { body: first } = await undo(correction);
  expect(await read()).toMatchObject({ output: null, failureReason: 'mesh' });
  const { body: second } = await undo(first.id);
  expect(second.reason).toBe('Undo of: Undo of: it ran after all');
  expect(await read()).toMatchObject({ output: [4, 5, 6], failureReason: null });
});

it('What was changed again since is not taken back; the newest correction is', async () => {
  const { correct, undo, read, log } = await playOne();
  const older = await correct({ output: [7, 8, 9], reason: 'misread' });
  const newer = await correct({ output: [10, 11, 12], reason: 'misread again' });
  // The result is that of the older correction once more, by a newer one.
  const back = await correct({ output: [7, 8, 9], reason: 'it was right' });
  for (const correction of [older, newer]) {
    const { status, body } = await undo(correction);
    expect([status, body.type]).toEqual([409, 'urn:backsolve:problem:correction-superseded']);
  }
  expect(await log()).toHaveLength(3);
  expect((await undo(back)).status).toBe(200);
  expect((await undo(back)).status).toBe(409);
  expect(await read()).toMatchObject({ output: [10, 11, 12] });
});

it('Derivatives of an output come back with it', async () => {
  const { objectiveUrl, correct, undo, read } = await playOne();
  const jacobian = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];
  const { id } = await read();
  await correct({ output: [7, 8, 9], jacobian, reason: 'with derivatives' });
  const kept = (await service.send('GET', `${objectiveUrl}/inverses/${id}`)).body.jacobian;
  expect(kept).not.toBeNull();
  const { body } = await undo(await correct({ output: [7, 8, 10], reason: 'misread' }));
  expect([body.old.jacobian, body.new.jacobian]).toEqual([null, kept]);
  expect(await read()).toMatchObject({ output: [7, 8, 9], jacobian: kept });
});

it('A repeated request under an Idempotency-Key undoes once', async () => {
  const { correct, undo, log } = await playOne();
  const correction = await correct({ output: [7, 8, 9], reason: 'misread' });
  const key = { 'idempotency-key': `undo-${correction}` };
  const [first, second] = [await undo(correction, {}, key), await undo(correction, {}, key)];
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body).toEqual(first.body);
  expect(await log()).toHaveLength(2);
});

it('Of two undos at the same moment one is refused', async () => {
  const { correct, undo, log } = await playOne();
  const correction = await correct({ output: [7, 8, 9], reason: 'misread' });
  const statuses = (await Promise.all([undo(correction), undo(correction)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 409]);
  expect(await log()).toHaveLength(2);
});

it('An undo that changes the verdict of an ended objective needs reopen', async () => {
  const { objectiveUrl, correct, undo } = await playOne(OBJECTIVES, [0, 0, 0]);
  const correction = await correct({ output: OBJECTIVES.objectives, reason: 'wrong file', reopen: true });
  const stateOf = async () => (await service.send('GET', objectiveUrl)).body.stopReason;
  expect(await stateOf()).toBe(1);
  const refused = await undo(correction);
  expect([refused.status, refused.body.type]).toEqual([409, 'urn:backsolve:problem:reopening-needed']);
  expect((await undo(correction, { reopen: true })).status).toBe(200);
  expect(await stateOf()).toBe(0);
});

it('Corrections of cases are taken back, and initial points that are copies follow', async () => {
  const { trialUrl, objectiveUrl } = await prepareObjective(service.send, {
    ...NEVER,
    initialInput: [2, 7],
    initialOutput: [9, -5, 4],
  });
  const initial = async () => (await service.send('GET', `${objectiveUrl}/inverses`)).body[0].output;
  const corrected = await service.send('POST', `${trialUrl}/cases/3/corrections`, {
    output: [1, 1, 1],
    reason: 'typo',
  });
  expect(await initial()).toEqual([1, 1, 1]);
  const { status } = await service.send('POST', `${trialUrl}/corrections/${corrected.body.correction.id}/undo`, {});
  expect(status).toBe(200);
  expect(await initial()).toEqual([9, -5, 4]);
  expect((await service.send('GET', `${trialUrl}/cases?after=2&limit=1`)).body[0]).toMatchObject({
    output: [9, -5, 4],
  });
});

it('A note and a correction of another trial are refused with what to do', async () => {
  const { correct, undo } = await playOne();
  const noted = await undo(await correct({ note: 'pump replaced' }));
  expect([noted.status, noted.body.type]).toEqual([400, 'urn:backsolve:problem:nothing-to-correct']);
  const other = await playOne();
  const correction = await correct({ output: [7, 8, 9], reason: 'misread' });
  expect((await other.undo(correction)).status).toBe(404);
});
