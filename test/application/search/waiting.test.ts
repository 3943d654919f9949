/** Requests that wait for a suggestion are woken by any end of the wait, in any process, at a cost independent of their number. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectTo } from '../../../harness/database-handle.ts';
import { deleteTrial } from '../../../src/application/data/manage-trials.ts';
import { deleteModel } from '../../../src/application/problem/manage-models.ts';
import { deleteProject } from '../../../src/application/problem/manage-projects.ts';
import { ChangeWaiters } from '../../../src/application/search/change-waiters.ts';
import { judgeEarlierObjectives } from '../../../src/application/search/judge-runs.ts';
import { deleteObjective } from '../../../src/application/search/read-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { stopObjective } from '../../../src/application/search/stop-objective.ts';
import { requestSuggestion, suggest as suggestOnce } from '../../../src/application/search/suggest.ts';
import { SuggestionWaiters } from '../../../src/application/search/suggestion-waiters.ts';
import { ANYTHING, Listener, type Notified } from '../../../src/db/connection/listen.ts';
import type { ObjectiveStamp } from '../../../src/db/search/history.ts';
import { findInverse } from '../../../src/db/search/inverses.ts';
import { findObjective } from '../../../src/db/search/objectives.ts';
import { FINISHED_CHANNEL } from '../../../src/db/search/suggestion-jobs.ts';
import { StopReason } from '../../../src/domain/search/stop-reason.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../../support/fixtures.ts';

/** Longer than any test. */
const NEVER_MS = 3_600_000;

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());
afterEach(() => {
  vi.useRealTimers();
});

type Loaded = Awaited<ReturnType<typeof loadLinearObjective>>;

/** Opens what another process waits with: its own LISTEN connection, no poll that would help out. */
async function openProcess() {
  const listener = new Listener({
    url: account.url,
    applicationName: 'backsolve-test-listen',
    heartbeatMs: 5_000,
    reconnectMs: 100,
    onError: () => undefined,
  });
  const listening = Promise.withResolvers<void>();
  listener.subscribe(FINISHED_CHANNEL, () => listening.resolve());
  listener.start();
  await listening.promise;
  const suggestionWaiters = new SuggestionWaiters({ db: account.db, listener, pollIntervalMs: NEVER_MS });
  const changeWaiters = new ChangeWaiters({ db: account.db, listener, pollIntervalMs: NEVER_MS });
  const wait = vi.spyOn(suggestionWaiters, 'wait');
  const close = async () => {
    suggestionWaiters.close();
    changeWaiters.close();
    await listener.stop();
  };
  return { suggestionWaiters, changeWaiters, wait, close };
}

describe('a verdict', () => {
  it('Wakes those who wait for changes of the objective in any process', async () => {
    const process = await openProcess();
    const { objective } = await loadLinearObjective(account);
    await sql`update objectives set judged_through = null where id = ${objective.id}`.execute(account.db);
    const isUnjudged = vi.fn(({ isJudged }: ObjectiveStamp) => !isJudged);
    const woken = process.changeWaiters.objectives.wait(
      { accountId: account.accountId, id: objective.id },
      isUnjudged,
      NEVER_MS,
    );
    await expect.poll(() => isUnjudged.mock.calls.length, { interval: 5 }).toBe(1);
    await judgeEarlierObjectives(account.db, { signal: new AbortController().signal });
    expect(await woken).toMatchObject({ id: objective.id, isJudged: true });
    await process.close();
  });
});

const suggest = ({ suggestionWaiters }: { readonly suggestionWaiters: SuggestionWaiters }, { path }: Loaded) =>
  suggestOnce({ db: account.db, suggestionWaiters }, account.accountId, path, { requestId: null, waitMs: NEVER_MS });

const open = ({ path }: Loaded) => requestSuggestion(account.db, account.accountId, path, { requestId: null });

const DELETIONS: readonly (readonly [string, (loaded: Loaded) => Promise<unknown>])[] = [
  ['objective', ({ path }) => deleteObjective(account.db, account.accountId, path)],
  ['trial', ({ trial }) => deleteTrial(account.db, account.accountId, { trialId: trial.id })],
  ['project', ({ project }) => deleteProject(account.db, account.accountId, { projectId: project.id })],
  ['model', ({ model }) => deleteModel(account.db, account.accountId, model.id)],
];

describe('a request that waits for a suggestion', () => {
  it.each(DELETIONS)(
    'A waiting request of any process learns immediately that the %s was deleted',
    async (_, deleteIt) => {
      const loaded = await loadLinearObjective(account);
      const processes = [await openProcess(), await openProcess()];
      const waiting = processes.map((each) =>
        expect(suggest(each, loaded)).rejects.toMatchObject({ code: 'NOT_FOUND' }),
      );
      for (const { wait } of processes) await expect.poll(() => wait.mock.calls.length).toBe(1);
      await deleteIt(loaded);
      await Promise.all(waiting);
      await expect(suggest(processes[0]!, loaded)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      for (const each of processes) await each.close();
    },
  );

  it.each([
    ['while its job waits', async () => undefined],
    ['when its job is gone', () => sql`delete from suggestion_jobs`.execute(account.db)],
  ])('gets the stopped inverse immediately when the objective is stopped %s', async (_, prepare) => {
    const loaded = await loadLinearObjective(account);
    const processes = [await openProcess(), await openProcess()];
    const waiting = processes.map((each) => suggest(each, loaded));
    for (const { wait } of processes) await expect.poll(() => wait.mock.calls.length).toBe(1);
    await prepare();
    await stopObjective(account.db, account.accountId, loaded.path);
    for (const { inverse } of await Promise.all(waiting)) {
      expect(inverse).toMatchObject({ iteration: 2, status: 'stopped', input: null, stoppedAt: expect.any(Date) });
    }
    await expect(suggest(processes[0]!, loaded)).rejects.toMatchObject({ code: 'OBJECTIVE_ENDED' });
    for (const each of processes) await each.close();
  });
});

describe('a deletion', () => {
  it.each(DELETIONS)('Deleting the %s stops running objectives and leaves no iteration open', async (_, deleteIt) => {
    const { db, accountId } = account;
    const loaded = await loadLinearObjective(account);
    const { inverse } = await open(loaded);
    await deleteIt(loaded);
    const objective = await findObjective(db, accountId, loaded.objective.id);
    expect(objective).toMatchObject({ stopReason: StopReason.stopped, disabledAt: expect.any(Date) });
    expect(await findInverse(db, accountId, inverse.id)).toMatchObject({
      status: 'stopped',
      stoppedAt: objective!.disabledAt,
      disabledAt: objective!.disabledAt,
    });
    expect((await sql`select from suggestion_jobs where inverse_id = ${inverse.id}`.execute(db)).rows).toEqual([]);
  });

  it('A deletion stops an inverse that awaits its output and keeps the state of completed ones', async () => {
    const { db, accountId } = account;
    const loaded = await loadLinearObjective(account);
    const { inverse } = await open(loaded);
    await sql`update inverses set input = '{5,5}', suggested_at = now() where id = ${inverse.id}`.execute(db);
    await deleteProject(db, accountId, { projectId: loaded.project.id });
    expect(await findInverse(db, accountId, inverse.id)).toMatchObject({ status: 'stopped', output: null });
    const [first] = loaded.objective.inverses;
    expect(await findInverse(db, accountId, first!.id)).toMatchObject({ status: 'active', stoppedAt: null });
    const output = { kind: 'output', output: [1, 2, 3], computeTimeNs: null } as const;
    await expect(recordOutput(db, accountId, loaded.path, output)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('A deletion keeps the instants of records that were deleted or had ended before', async () => {
    const { db, accountId } = account;
    const loaded = await loadLinearObjective(account);
    const { inverse } = await open(loaded);
    await stopObjective(db, accountId, loaded.path);
    await deleteObjective(db, accountId, loaded.path);
    const before = [
      await findObjective(db, accountId, loaded.objective.id),
      await findInverse(db, accountId, inverse.id),
    ];
    await deleteModel(db, accountId, loaded.model.id);
    const after = [
      await findObjective(db, accountId, loaded.objective.id),
      await findInverse(db, accountId, inverse.id),
    ];
    expect(after).toEqual(before);
  });
});

/** So many inverses being computed, and a process that waits for all of them and counts its statements. */
async function openCrowd(size: number, pollIntervalMs: number) {
  const loaded = await loadLinearObjective(account);
  const { rows } = await sql<{ id: number }>`
    insert into inverses (account_id, objective_id, iteration)
    select ${account.accountId}, ${loaded.objective.id}, n from generate_series(2, ${size + 1}) n
    returning id`.execute(account.db);
  let statements = 0;
  const db = connectTo(account.url, {
    poolSize: 10,
    statementTimeoutMs: 60_000,
    applicationName: 'backsolve-test-crowd',
    aroundStatement: (_, run) => {
      statements += 1;
      return run();
    },
  });
  let tell: Notified = () => undefined;
  const subscribe = (_: string, notified: Notified) => {
    tell = notified;
    return () => undefined;
  };
  const suggestionWaiters = new SuggestionWaiters({ db, listener: { subscribe }, pollIntervalMs });
  return {
    tell: (payload: string) => tell(payload),
    statements: () => statements,
    waits: rows.map(({ id }) => suggestionWaiters.wait(account.accountId, id, NEVER_MS)),
    finishAll: () =>
      sql`update inverses set input = '{1,2}' where objective_id = ${loaded.objective.id} and iteration > 1`.execute(
        account.db,
      ),
    suggestionWaiters,
    ids: rows.map(({ id }) => id),
    close: () => db.destroy(),
  };
}

describe('a thousand waiting requests', () => {
  it('A thousand waiting requests are woken together by two statements when anything may have happened', async () => {
    const crowd = await openCrowd(1_000, NEVER_MS);
    await crowd.finishAll();
    crowd.tell(ANYTHING);
    const finished = await Promise.all(crowd.waits);
    expect(finished.map((inverse) => inverse?.id)).toEqual(crowd.ids);
    expect(finished[0]!.input).toEqual([1, 2]);
    expect(crowd.statements()).toBe(2);
    await crowd.close();
  });

  it('A thousand waiting requests are woken by two statements when each is notified separately', async () => {
    const crowd = await openCrowd(1_000, NEVER_MS);
    await crowd.finishAll();
    for (const id of crowd.ids) crowd.tell(String(id));
    await Promise.all(crowd.waits);
    expect(crowd.statements()).toBe(2);
    await crowd.close();
  });

  it('A thousand waiting requests cost two statements per poll while nothing happens, and none once no request waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const crowd = await openCrowd(1_000, 1_000);
    for (let poll = 1; poll <= 3; poll++) {
      vi.advanceTimersByTime(1_000);
      await expect.poll(crowd.statements).toBe(2 * poll);
    }
    await crowd.finishAll();
    vi.advanceTimersByTime(1_000);
    await Promise.all(crowd.waits);
    expect(crowd.statements()).toBe(8);
    expect(vi.getTimerCount()).toBe(0);
    await crowd.close();
  });
});

it('A wait ends with NOT_FOUND when the row of the inverse is gone, and with the error of a failed read', async () => {
  const crowd = await openCrowd(2, NEVER_MS);
  const gone = expect(crowd.waits[0]).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await sql`delete from inverses where id = ${crowd.ids[0]!}`.execute(account.db);
  crowd.tell(String(crowd.ids[0]));
  await gone;
  const failed = expect(crowd.waits[1]).rejects.toThrow();
  await crowd.close();
  crowd.tell(ANYTHING);
  await failed;
});

it('A wait for an inverse that was finished before ends immediately', async () => {
  const crowd = await openCrowd(2, NEVER_MS);
  await crowd.finishAll();
  for (const id of crowd.ids) crowd.tell(String(id));
  await Promise.all(crowd.waits);
  const late = await crowd.suggestionWaiters.wait(account.accountId, crowd.ids[0]!, NEVER_MS);
  expect(late?.input).toEqual([1, 2]);
  await crowd.close();
});

it('A wait that times out leaves no poll behind', async () => {
  const crowd = await openCrowd(0, NEVER_MS);
  expect(await crowd.suggestionWaiters.wait(account.accountId, 1, 0)).toBeUndefined();
  const unanswered = crowd.suggestionWaiters.wait(account.accountId, 1, NEVER_MS);
  crowd.suggestionWaiters.close();
  expect(await unanswered).toBeUndefined();
  expect(crowd.statements()).toBe(0);
  await crowd.close();
});
