import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCheapEngine } from '../../harness/cheap-engine.ts';
import { requestSuggestion } from '../../src/application/search/suggest.ts';
import { ensureAccount } from '../../src/db/accounts/accounts.ts';
import { claimJobs } from '../../src/db/search/suggestion-jobs.ts';
import { AccountSlots, LongSlots } from '../../src/worker/account-slots.ts';
import { makeSuggestionLoop } from '../../src/worker/suggestion-loop.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';

describe('the slots of an account', () => {
  const [SLOW, OTHER] = [1, 2];

  it('An account with slow suggestions leaves a slot free while another account is active', () => {
    let now = 0;
    const slots = new AccountSlots(3, () => now);
    slots.note(SLOW, 5_000);
    expect(slots.withoutSlot([SLOW, SLOW])).toEqual([]);
    slots.note(OTHER, 20);
    expect(slots.withoutSlot([SLOW, SLOW])).toEqual([SLOW]);
    expect(slots.withoutSlot([SLOW, OTHER])).toEqual([]);
    now = 120_001;
    slots.note(SLOW, 5_000);
    expect(slots.withoutSlot([SLOW, SLOW])).toEqual([]);
  });

  it('An account with slow suggestions never gets the last slot by one claim of several jobs', () => {
    const slots = new AccountSlots(4, () => 0);
    slots.note(OTHER, 20);
    expect(slots.limitOf(4, [])).toBe(4);
    slots.note(SLOW, 5_000);
    expect(slots.limitOf(4, [])).toBe(3);
    expect(slots.limitOf(3, [SLOW])).toBe(2);
    expect(slots.limitOf(2, [SLOW, OTHER])).toBe(2);
    // The account is passed over, so that others may use the last slot.
    expect(slots.limitOf(1, [SLOW, SLOW, SLOW])).toBe(1);
  });

  it('An account with fast suggestions leaves a slot free for a shorter time than one with slow suggestions', () => {
    let now = 0;
    const slots = new AccountSlots(2, () => now);
    slots.note(OTHER, 20);
    slots.note(SLOW, 70);
    expect(slots.withoutSlot([SLOW])).toEqual([SLOW]);
    now = 20_001;
    slots.note(SLOW, 70);
    expect(slots.withoutSlot([SLOW])).toEqual([SLOW]);
    for (let i = 0; i < 15; i++) slots.note(SLOW, 10);
    expect(slots.withoutSlot([SLOW])).toEqual([]);
    slots.note(OTHER, 10);
    expect(slots.withoutSlot([SLOW])).toEqual([SLOW]);
  });

  it('An account with slow suggestions may use the only slot of a worker that has one', () => {
    const slots = new AccountSlots(1, () => 0);
    slots.note(OTHER, 20);
    slots.note(SLOW, 1_000);
    expect(slots.withoutSlot([SLOW])).toEqual([]);
  });
});

describe('the slots for long work', () => {
  const [SILENT, SECOND, THIRD] = [1, 2, 3];
  /** Accounts in turn claim all that they may; the accounts of the items in hand. */
  const fill = (slots: LongSlots, concurrency: number, accounts: readonly number[]) => {
    const running: number[] = [];
    for (const account of accounts) {
      while (running.length < concurrency && !slots.withoutSlot(running).includes(account)) {
        const limit = slots.limitOf(concurrency - running.length, running);
        running.push(...new Array<number>(limit).fill(account));
      }
    }
    return running;
  };
  const held = (running: readonly number[], account: number) => running.filter((one) => one === account).length;

  it('An account holds half of what the others leave, and there is a slot for the next however many came before', () => {
    const slots = new LongSlots(16);
    const alone = fill(slots, 16, [SILENT]);
    expect(held(alone, SILENT)).toBe(8);
    const all = fill(slots, 16, [SILENT, SECOND, THIRD, SILENT]);
    expect([SILENT, SECOND, THIRD].map((account) => held(all, account))).toEqual([8, 4, 2]);
    expect(slots.limitOf(2, all)).toBe(1);
    expect(slots.withoutSlot(all)).toEqual([SILENT, SECOND, THIRD]);
  });

  it('A worker with one slot or two gives each account one', () => {
    expect(fill(new LongSlots(1), 1, [SILENT])).toEqual([SILENT]);
    expect(fill(new LongSlots(2), 2, [SILENT, SECOND])).toEqual([SILENT, SECOND]);
  });
});

describe('a worker', () => {
  let t: TestAccount;
  beforeAll(async () => {
    t = await openTestAccount();
  });
  afterAll(() => t.close());

  async function ask(accountId: number): Promise<number> {
    const { path } = await loadLinearObjective({ db: t.db, accountId });
    await requestSuggestion(t.db, accountId, path, { requestId: null });
    return path.objectiveId;
  }

  it('claims from the next account when one is passed over', async () => {
    const accounts = [];
    for (let i = 0; i < 3; i++) accounts.push(await ensureAccount(t.db, `claim ${i}`));
    for (const accountId of accounts) for (let i = 0; i < 3; i++) await ask(accountId);
    const claim = (passedOver: readonly number[]) =>
      claimJobs(t.db, { limit: 1, leaseMs: 60_000, workerName: 'test', afterAccountId: 0, passedOver });
    const [first, second, third] = accounts as [number, number, number];
    expect((await claim([first])).map((job) => job.accountId)).toEqual([second]);
    expect((await claim([first, second])).map((job) => job.accountId)).toEqual([third]);
    expect(await claim(accounts)).toEqual([]);
    const rest = await claimJobs(t.db, { limit: 9, leaseMs: 60_000, workerName: 'test', afterAccountId: 0 });
    expect(rest).toHaveLength(7);
  });

  it('computes the suggestion of another account while slow ones are in hand', async () => {
    const [slow, other] = [await ensureAccount(t.db, 'slow'), await ensureAccount(t.db, 'other')];
    const gates: (() => void)[] = [];
    const cheap = makeCheapEngine();
    let isGated = false;
    const computed: number[] = [];
    const loop = makeSuggestionLoop({
      db: t.db,
      listener: { subscribe: () => () => undefined },
      engine: {
        ...cheap,
        async suggest(request, signal) {
          const answer = await cheap.suggest(request, signal);
          if (isGated) await new Promise<void>((resolve) => gates.push(resolve));
          return { ...answer, elapsedNs: 1e9 };
        },
      },
      log: {
        info: (facts, event) => {
          if (event === 'suggestion.computed') computed.push((facts as { objectiveId: number }).objectiveId);
        },
        warn: () => undefined,
        error: () => undefined,
      },
      workerName: 'test',
      workLimit: 1,
      concurrency: 2,
      leaseMs: 60_000,
      pollIntervalMs: 10,
    });
    const known = [await ask(slow), await ask(other)];
    loop.start();
    await expect.poll(() => computed.length).toBe(2);
    expect(new Set(computed)).toEqual(new Set(known));
    isGated = true;
    for (let i = 0; i < 4; i++) await ask(slow);
    await expect.poll(() => gates.length).toBe(1);
    isGated = false;
    const quick = await ask(other);
    await expect.poll(() => computed).toContain(quick);
    expect(gates).toHaveLength(1);
    gates[0]!();
    await expect.poll(() => computed.length).toBe(7);
    await loop.stop(5_000);
  });
});
