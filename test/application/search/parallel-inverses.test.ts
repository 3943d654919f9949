/** Plays events while a worker computes one of several inverses: outputs, ends, deletions, crashes, changes of parallelism. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { correctInverse } from '../../../src/application/corrections/correct-run.ts';
import type { ObjectivePath } from '../../../src/application/paths.ts';
import { changeObjective } from '../../../src/application/search/change-objective.ts';
import { type ComputeOutcome, computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { giveUpInverse } from '../../../src/application/search/give-up.ts';
import { failExhaustedJobs } from '../../../src/application/search/maintenance.ts';
import { deleteObjective } from '../../../src/application/search/read-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestions } from '../../../src/application/search/request-suggestions.ts';
import { stopObjective } from '../../../src/application/search/stop-objective.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { inTransaction } from '../../../src/db/connection/transaction.ts';
import { readAsked } from '../../../src/db/search/open-inverses.ts';
import { claimJobs, findJobOf } from '../../../src/db/search/suggestion-jobs.ts';
import type { NewObjective } from '../../../src/domain/search/objective.ts';
import { type LeasedJob, MAXIMUM_JOB_ATTEMPTS } from '../../../src/domain/search/suggestion-job.ts';
import type { Proposal, SuggestRequest } from '../../../src/optimizer/interface/problem.ts';
import { suggest } from '../../../src/optimizer/suggest.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import {
  linear,
  loadLinearObjective,
  openTestAccount,
  readObjective,
  type TestAccount,
} from '../../support/fixtures.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

const FAR = { objectives: [10, -4, 500], parallelism: 4, holdBack: false } satisfies Partial<NewObjective>;
const never = new AbortController().signal;
type Compute = (request: SuggestRequest) => Proposal | Promise<Proposal>;

const engineOf = (compute: Compute) => ({
  ...explainNothing,
  suggest: async (request: SuggestRequest) => ({ ok: true, result: await compute(request), elapsedNs: 1_000 }) as const,
});

async function open(change: Partial<NewObjective> = {}) {
  const { path } = await loadLinearObjective(account, { ...FAR, ...change });
  return { objectiveId: path.objectiveId };
}

const read = (path: ObjectivePath) => readObjective(account, path);
const ask = (path: ObjectivePath, count: number) =>
  requestSuggestions(account.db, account.accountId, path, { count, requestId: null });

async function claim(path: { readonly objectiveId: number }, leaseMs = 60_000): Promise<LeasedJob> {
  const jobs = await claimJobs(account.db, { limit: 100, leaseMs, workerName: 'test' });
  return jobs.find(({ objectiveId }) => objectiveId === path.objectiveId)!;
}

const compute = (job: LeasedJob, how: Compute = suggest) =>
  computeSuggestion({ db: account.db, engine: engineOf(how), workLimit: 1_000 }, job, never);
const nextOf = (outcome: ComputeOutcome) => ('next' in outcome ? outcome.next : null);

/** Computes what was asked for, to the last. */
async function work(path: { readonly objectiveId: number }, how: Compute = suggest): Promise<string[]> {
  const kinds: string[] = [];
  for (let job: LeasedJob | null = await claim(path); job !== null; ) {
    const outcome: ComputeOutcome = await compute(job, how);
    kinds.push(outcome.kind);
    job = nextOf(outcome);
  }
  return kinds;
}

const load = (inverseId: number, output: readonly number[]) =>
  recordOutput(account.db, account.accountId, { inverseId }, { kind: 'output', output, computeTimeNs: null });

async function openIds({ objectiveId }: { readonly objectiveId: number }): Promise<number[]> {
  const { inverses } = await read({ objectiveId });
  return inverses.filter(({ status, output }) => status === 'active' && output === null).map(({ id }) => id);
}

const jobOf = ({ objectiveId }: { readonly objectiveId: number }) => findJobOf(account.db, objectiveId);
const countersOf = async ({ objectiveId }: { readonly objectiveId: number }) => {
  const { rows } = await sql`
    select completed_count, nothing_new_at, attempt_count, stop_reason from objectives where id = ${objectiveId}`.execute(
    account.db,
  );
  return rows[0];
};

describe('a worker that computes several', () => {
  it('A worker that dies between two leaves the next to another, which knows the first', async () => {
    const path = await open();
    await ask(path, 3);
    const first = await compute(await claim(path, 1));
    expect(nextOf(first)).not.toBeNull();
    const [suggested, waiting] = (await read(path)).inverses.slice(1);
    expect([suggested!.input, waiting!.input]).toEqual([expect.anything(), null]);
    await sql`update suggestion_jobs set visible_at = now() - interval '1 second' where objective_id = ${path.objectiveId}`.execute(
      account.db,
    );
    const job = await claim(path);
    expect(job).toMatchObject({ inverseId: waiting!.id, attempt: 2 });
    // The first worker wakes up again.
    expect((await compute(nextOf(first)!)).kind).toBe('lost');
    let seen: SuggestRequest | undefined;
    const second = await compute(job, (request) => {
      seen = request;
      return suggest(request);
    });
    expect(Array.from(seen!.pending!)).toEqual(suggested!.input);
    expect((await compute(nextOf(second)!)).kind).toBe('suggested');
    expect(await openIds(path)).toHaveLength(3);
    expect(await jobOf(path)).toBeUndefined();
  });

  it('An output during a computation is not known to it, and the next one knows it', async () => {
    const path = await open();
    await ask(path, 2);
    await work(path);
    const [a] = await openIds(path);
    await ask(path, 2);
    const requests: SuggestRequest[] = [];
    await work(path, async (request) => {
      requests.push(request);
      if (requests.length === 1) await load(a!, [1, 2, 3]);
      return suggest(request);
    });
    expect(requests.map(({ pending, history }) => [pending!.length / 2, history.count])).toEqual([
      [2, 3],
      [2, 4],
    ]);
    const { inverses } = await read(path);
    expect(inverses.map(({ basis, completedOrder }) => [basis, completedOrder])).toEqual([
      [null, null],
      [0, 1],
      [0, null],
      [0, null],
      [1, null],
    ]);
  });

  it.each([
    ['an output that satisfies everything', async (_: ObjectivePath, id: number) => load(id, linear([3, 7]))],
    ['a stop', async (path: ObjectivePath) => stopObjective(account.db, account.accountId, path)],
    ['a deletion', async (path: ObjectivePath) => deleteObjective(account.db, account.accountId, path)],
  ])('After %s the computation under way is lost, with those that were to follow', async (_, end) => {
    const path = await open({ objectives: linear([3, 7]) });
    await ask(path, 1);
    await work(path);
    const [a] = await openIds(path);
    await ask(path, 3);
    const kinds = await work(path, async (request) => {
      await end(path, a!);
      return suggest(request);
    });
    expect(kinds).toEqual(['lost']);
    expect(await jobOf(path)).toBeUndefined();
    const { rows } = await sql<{ status: string; input: unknown }>`
      select status, input from inverses where objective_id = ${path.objectiveId} and iteration > 2`.execute(
      account.db,
    );
    expect(rows).toEqual([{ status: 'stopped', input: null }]);
  });

  it('A lower parallelism ends the row of askers; a higher one during a computation is noticed', async () => {
    const path = await open();
    await ask(path, 4);
    const kinds = await work(path, async (request) => {
      await changeObjective(account.db, account.accountId, path, { parallelism: 2 });
      return suggest(request);
    });
    expect(kinds).toEqual(['suggested', 'suggested']);
    expect(await openIds(path)).toHaveLength(2);

    const sequential = await open({ parallelism: 1 });
    await requestSuggestion(account.db, account.accountId, sequential, { requestId: null });
    const requests: SuggestRequest[] = [];
    await work(sequential, async (request) => {
      requests.push(request);
      if (requests.length === 1) {
        await changeObjective(account.db, account.accountId, sequential, { parallelism: 3 });
        expect((await ask(sequential, 9)).granted).toBe(2);
      }
      return suggest(request);
    });
    expect(requests.map(({ pending }) => (pending?.length ?? 0) / 2)).toEqual([0, 1, 2]);
    expect(await openIds(sequential)).toHaveLength(3);
  });
});

const nothingNew: Proposal = { kind: 'nothing-new', reason: 'duplicate', bestIndex: 0 };

describe('an inverse that is not computed after all', () => {
  const askedFor = ({ objectiveId, asker, after }: Awaited<ReturnType<typeof ask>>) =>
    readAsked(account.db, account.accountId, { objectiveId, asker, after });

  it('When it is stopped by hand, those that were to follow it are computed all the same', async () => {
    const path = await open();
    const first = await ask(path, 2);
    const second = await ask(path, 1);
    const lost = await claim(path);
    await giveUpInverse(account.db, account.accountId, { inverseId: lost.inverseId });
    expect((await compute(lost)).kind).toBe('lost');
    expect(await work(path)).toEqual(['suggested', 'suggested']);
    const [ofFirst, ofSecond] = await Promise.all([first, second].map(askedFor));
    expect(ofFirst!.inverses.map(({ status, input }) => [status, input !== null])).toEqual([
      ['stopped', false],
      ['active', true],
    ]);
    expect(ofSecond).toMatchObject({ inverses: [{ status: 'active', input: expect.anything() }], awaitedId: null });
  });

  it('When it cannot be computed, its request ends with it, and the others go on', async () => {
    const path = await open();
    const first = await ask(path, 3);
    const second = await ask(path, 1);
    await sql`
      update suggestion_jobs set attempts = ${MAXIMUM_JOB_ATTEMPTS}, visible_at = now() - interval '1 second'
      where objective_id = ${path.objectiveId}`.execute(account.db);
    await failExhaustedJobs(account.db);
    expect(await askedFor(first)).toMatchObject({ inverses: [{ status: 'failed', input: null }], awaitedId: null });
    expect(await work(path)).toEqual(['suggested']);
    expect((await askedFor(second)).inverses).toMatchObject([{ status: 'active', input: expect.anything() }]);
    expect(await jobOf(path)).toBeUndefined();
  });
});

describe('nothing new', () => {
  it('While others are open it removes the inverse, and nothing is computed before the next output or correction', async () => {
    const path = await open();
    // The lot of the fourth iteration is counted with its row.
    await ask(path, 2);
    await work(path);
    const [a, b] = await openIds(path);
    await ask(path, 2);
    expect(await work(path, () => nothingNew)).toEqual(['nothing-new']);
    expect((await read(path)).inverses).toHaveLength(3);
    expect(await countersOf(path)).toEqual({ completed_count: 0, nothing_new_at: 0, attempt_count: 2, stop_reason: 0 });
    expect(await ask(path, 2)).toMatchObject({ granted: 0, whyNone: 'nothing-new' });
    await load(a!, [1, 2, 3]);
    expect(await ask(path, 1)).toMatchObject({ granted: 1 });
    expect(await work(path, () => nothingNew)).toEqual(['nothing-new']);
    expect(await ask(path, 1)).toMatchObject({ granted: 0, whyNone: 'nothing-new' });
    const context = { accountId: account.accountId, actor: 'test' };
    const change = { kind: 'output', output: [1, 2, 4] } as const;
    await correctInverse(account.db, context, { inverseId: a! }, { change, reason: 'misread', mayReopen: false });
    expect(await ask(path, 1)).toMatchObject({ granted: 1 });
    // An output during the computation makes what was found outdated.
    expect(
      await work(path, async () => {
        await load(b!, [1, 2, 3]);
        return nothingNew;
      }),
    ).toEqual(['nothing-new']);
    expect(await countersOf(path)).toMatchObject({ completed_count: 2, nothing_new_at: 1, stop_reason: 0 });
    expect(await ask(path, 1)).toMatchObject({ granted: 1 });
    expect(await work(path, () => nothingNew)).toEqual(['stopped']);
    expect(await countersOf(path)).toMatchObject({ stop_reason: 2, attempt_count: 2 });
  });
});

describe('giving up', () => {
  it('A late output of an inverse given up by hand is learned from, and one that satisfies everything ends the objective', async () => {
    const path = await open({ objectives: linear([3, 7]) });
    await ask(path, 3);
    await work(path);
    const [a, b, c] = await openIds(path);
    // On the caller's transaction, as a batch does it.
    await inTransaction(account.db, async (trx) => {
      await giveUpInverse(trx, account.accountId, { inverseId: a! });
      await giveUpInverse(trx, account.accountId, { inverseId: b! });
    });
    expect(await giveUpInverse(account.db, account.accountId, { inverseId: a! })).toMatchObject({
      inverse: { status: 'stopped', completedOrder: 1 },
    });
    await load(a!, [1, 2, 3]);
    expect((await read(path)).inverses[1]).toMatchObject({ status: 'stopped', completedOrder: 3, output: [1, 2, 3] });
    await ask(path, 1);
    let seen: SuggestRequest | undefined;
    await work(path, (request) => {
      seen = request;
      return suggest(request);
    });
    expect([seen!.history.count, seen!.pending!.length / 2]).toEqual([4, 1]);
    await load(b!, linear([3, 7]));
    const { stopReason, optimalInverseId, inverses } = await read(path);
    expect([stopReason, optimalInverseId]).toEqual([1, b]);
    expect(inverses.map(({ status }) => status)).toEqual(['active', 'stopped', 'converged', 'stopped', 'stopped']);
    await expect(giveUpInverse(account.db, account.accountId, { inverseId: b! })).rejects.toMatchObject({
      code: 'NO_OPEN_ITERATION',
    });
    expect(c).toBe(inverses[3]!.id);
  });

  it('Simultaneous outputs of all open inverses exhaust the objective exactly once, with the one that is stored last', async () => {
    const path = await open({ maximumAttempts: 8, parallelism: 8 });
    await ask(path, 8);
    await work(path);
    const ids = await openIds(path);
    await Promise.all(ids.map((id) => load(id, [1, 2, 3])));
    const { stopReason, inverses } = await read(path);
    const exhausted = inverses.filter(({ exhaustedAt }) => exhaustedAt !== null);
    expect([stopReason, exhausted.map(({ status, completedOrder }) => [status, completedOrder])]).toEqual([
      3,
      [['max_iterations', 8]],
    ]);
  });
});
