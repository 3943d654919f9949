/** Tests what a suggestion learns from, and that it can be repeated from what is stored with it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CAMPAIGN_FORMAT,
  type CampaignHeader,
  type RowLine,
  readLine,
  writeLine,
} from '../../../src/application/exports/campaign-lines.ts';
import { exportSuggestions } from '../../../src/application/exports/export-campaign.ts';
import { CampaignError, replayCampaign } from '../../../src/application/exports/replay-campaign.ts';
import { computeSuggestion } from '../../../src/application/search/compute-suggestion.ts';
import { toSuggestRequest } from '../../../src/application/search/engine-input.ts';
import { loadObjectives } from '../../../src/application/search/load-objectives.ts';
import { recordOutput } from '../../../src/application/search/record-output.ts';
import { requestSuggestion } from '../../../src/application/search/suggest.ts';
import { toSuggested } from '../../../src/application/search/suggested-input.ts';
import { inTransaction, type Trx } from '../../../src/db/connection/transaction.ts';
import { encodeMatrix } from '../../../src/db/matrices.ts';
import { findObjective } from '../../../src/db/search/objectives.ts';
import { readSearch } from '../../../src/db/search/search-ledger.ts';
import { claimJobs } from '../../../src/db/search/suggestion-jobs.ts';
import { readSnapshot, readSnapshotOf } from '../../../src/db/search/suggestions.ts';
import { writeChange } from '../../../src/db/search/write-search.ts';
import { Matrix } from '../../../src/domain/matrix.ts';
import type { NewObjective } from '../../../src/domain/search/objective.ts';
import { StopReason } from '../../../src/domain/search/stop-reason.ts';
import { answerOf } from '../../../src/engine/answer.ts';
import type { Engine } from '../../../src/engine/pool.ts';
import type { History, SuggestRequest } from '../../../src/optimizer/interface/problem.ts';
import { suggest } from '../../../src/optimizer/suggest.ts';
import { explainNothing } from '../../support/explain-nothing.ts';
import {
  LINEAR_OBJECTIVE,
  linear,
  loadLinearObjective,
  openTestAccount,
  readObjective,
  type TestAccount,
} from '../../support/fixtures.ts';

const WORK_LIMIT = 1_000;
const never = new AbortController().signal;

let account: TestAccount;
beforeAll(async () => {
  account = await openTestAccount();
});
afterAll(() => account.close());

/** The real optimizer, in this thread. */
const engine = {
  ...explainNothing,
  suggest: async (request: SuggestRequest) =>
    answerOf(0, () => suggest(request)).answer as Awaited<ReturnType<Engine['suggest']>>,
};

async function suggestNext(objectiveId: number) {
  const { db, accountId } = account;
  const { inverse } = await requestSuggestion(db, accountId, { objectiveId }, { requestId: null });
  const jobs = await claimJobs(db, { limit: 100, leaseMs: 60_000, workerName: 'test' });
  for (const job of jobs) await computeSuggestion({ db, engine, workLimit: WORK_LIMIT }, job, never);
  return inverse.id;
}

async function inverseOf(objectiveId: number, id: number) {
  const { inverses } = await readObjective(account, { objectiveId });
  return inverses.find((inverse) => inverse.id === id)!;
}

/** A curved black box, so that no suggestion hits its target soon. */
const curved = (x: readonly number[]): number[] => [x[0]! * x[1]!, Math.sin(x[0]!) + x[1]!, 2 * x[0]!];

async function run(objectiveId: number, output: (x: readonly number[]) => number[] | null = curved): Promise<number> {
  const id = await suggestNext(objectiveId);
  const measured = output((await inverseOf(objectiveId, id)).input!);
  await recordOutput(
    account.db,
    account.accountId,
    { objectiveId, inverseId: id },
    measured === null ? { kind: 'failed', reason: null } : { kind: 'output', output: measured, computeTimeNs: null },
  );
  return id;
}

/** Raises the revision, as every change of a trial's data does, behind the lock of the trial. */
async function raise(trx: Trx, trialId: number): Promise<number> {
  await sql`select from trials where id = ${trialId} for update`.execute(trx);
  const { rows } = await sql<{ revision: number }>`
    update trials set revision = revision + 1 where id = ${trialId} returning revision`.execute(trx);
  const { revision } = rows[0]!;
  await sql`update objectives set data_revision = ${revision}, version = version + 1, judged_through = null, nearest_iteration = null
    where trial_id = ${trialId}`.execute(trx);
  return revision;
}

function addCases(trialId: number, firstNumber: number, inputs: number[][], failed: number[] = []): Promise<void> {
  return inTransaction(account.db, async (trx) => {
    const revision = await raise(trx, trialId);
    await trx
      .insertInto('added_cases')
      .values({
        account_id: account.accountId,
        trial_id: trialId,
        revision,
        first_number: firstNumber,
        case_count: inputs.length,
        inputs: encodeMatrix(Matrix.from(inputs)),
        outputs: encodeMatrix(Matrix.from(inputs.map(curved))),
        failed_cases: failed,
      })
      .execute();
  });
}

interface Change {
  readonly output: readonly number[] | null;
  readonly isExcluded?: boolean;
}

/** Corrects a case by its number. */
function correctCase(trialId: number, caseNumber: number, { output, isExcluded = false }: Change): Promise<void> {
  return inTransaction(account.db, async (trx) => {
    const revision = await raise(trx, trialId);
    await sql`
      insert into corrections (account_id, trial_id, revision, case_number, was_excluded, new_output, is_excluded, reason, corrected_by)
      values (${account.accountId}, ${trialId}, ${revision}, ${caseNumber}, false, ${output}::float8[], ${isExcluded}, 'a typo', 'test')`.execute(
      trx,
    );
  });
}

/** Corrects an inverse, which is changed in place. */
function correctInverse(trialId: number, id: number, { output, isExcluded = false }: Change): Promise<void> {
  return inTransaction(account.db, async (trx) => {
    const revision = await raise(trx, trialId);
    await sql`
      insert into corrections (account_id, trial_id, revision, objective_id, inverse_id, iteration, old_output, was_excluded,
        new_output, is_excluded, reason, corrected_by)
      select account_id, ${trialId}, ${revision}, objective_id, id, iteration, output, excluded_at is not null,
        ${output}::float8[], ${isExcluded}, 'a typo', 'test'
      from inverses where id = ${id}`.execute(trx);
    await sql`
      update inverses set output = ${output}::float8[], excluded_at = case when ${isExcluded} then now() end,
        status = case when ${output}::float8[] is null then 'failed' when status = 'failed' then 'active' else status end
      where id = ${id}`.execute(trx);
  });
}

const rows = ({ count, X, Y, failed }: History) =>
  Array.from({ length: count }, (_, row) => [
    ...X.subarray(2 * row, 2 * row + 2),
    ...(failed[row] === 1 ? ['failed'] : Y.subarray(3 * row, 3 * row + 3)),
  ]);

/** The history of the objective's next suggestion. */
async function historyNow(objectiveId: number) {
  const snapshot = (await readSnapshot(account.db, { accountId: account.accountId, objectiveId }))!;
  const { history, firstSuggested } = toSuggestRequest(snapshot, WORK_LIMIT);
  return { rows: rows(history), firstSuggested, snapshot };
}

const row = (x: readonly number[]) => [...x, ...curved(x)];
const loadOnto = (trialId: number, change: Partial<NewObjective> = {}) =>
  loadObjectives(account.db, account.accountId, { trialId }, { ...LINEAR_OBJECTIVE, ...change });

/** Out of reach, so that the objective goes on. */
const FAR = { objectives: [1e6, 1e6, 1e6], initialOutput: curved([5, 5]) };

describe('the history of a suggestion', () => {
  it('is the cases, the runs of the other objectives, the initial point and the own runs, each point once', async () => {
    const { trial, objective: first } = await loadLinearObjective(account, FAR);
    await run(first.id);
    await run(first.id, () => null);
    const { inverses } = await readObjective(account, { objectiveId: first.id });
    const [, second, third] = inverses.map(({ input }) => input!);
    const alone = await loadOnto(trial.id, FAR);
    const cases = [
      [0, 0, ...linear([0, 0])],
      [10, 1, ...linear([10, 1])],
    ];
    expect(await historyNow(alone.id)).toMatchObject({ rows: [...cases, row([5, 5])], firstSuggested: 3 });
    const reusing = await loadOnto(trial.id, { ...FAR, reuse: true });
    // The initial points of all three are the same.
    const known = [...cases, row(second!), [...third!, 'failed'], row([5, 5])];
    expect(await historyNow(reusing.id)).toMatchObject({ rows: known, firstSuggested: 5 });
    const own = await run(reusing.id);
    const stored = await inverseOf(reusing.id, own);
    expect(await historyNow(reusing.id)).toMatchObject({ rows: [...known, row(stored.input!)], firstSuggested: 5 });
    expect(stored.learnedFrom).toEqual({
      revision: 0,
      objectives: [
        [first.id, 3, 2],
        [alone.id, 1, 0],
      ],
    });
    expect((await inverseOf(first.id, inverses[1]!.id)).learnedFrom).toBeNull();
  });

  it('takes added cases and corrections, and leaves out what was excluded and what was deleted', async () => {
    const { trial, objective } = await loadLinearObjective(account, { ...FAR, reuse: true });
    const other = await loadOnto(trial.id, { ...FAR, initialInput: [6, 6], initialOutput: curved([6, 6]) });
    const deleted = await loadOnto(trial.id, { ...FAR, initialInput: [7, 7], initialOutput: curved([7, 7]) });
    await sql`update objectives set disabled_at = now() where id = ${deleted.id}`.execute(account.db);
    await addCases(
      trial.id,
      3,
      [
        [1, 2],
        [3, 4],
      ],
      [1],
    );
    await addCases(trial.id, 5, [[8, 9]]);
    await correctCase(trial.id, 1, { output: [1, 2, 3] });
    await correctCase(trial.id, 4, { output: [4, 5, 6] });
    await correctCase(trial.id, 5, { output: curved([8, 9]), isExcluded: true });
    await correctCase(trial.id, 2, { output: null });
    await correctInverse(trial.id, other.inverses[0]!.id, { output: [7, 8, 9] });
    const known = [[0, 0, 1, 2, 3], [10, 1, 'failed'], row([1, 2]), [3, 4, 4, 5, 6], [6, 6, 7, 8, 9]];
    const now = await historyNow(objective.id);
    expect(now).toMatchObject({ rows: [...known, row([5, 5])], firstSuggested: 6 });
    expect(now.snapshot.caseNumbers).toEqual([0, 1, 2, 3]);
    expect(now.snapshot.learnedFrom).toEqual({ revision: 7, objectives: [[other.id, 1, 0]] });
    await correctInverse(trial.id, objective.inverses[0]!.id, { output: curved([5, 5]), isExcluded: true });
    expect(await historyNow(objective.id)).toMatchObject({ rows: known, firstSuggested: 5 });
  });

  it('has the runs of the newest objectives where they are too many', async () => {
    const { db, accountId } = account;
    const { trial, objective: old } = await loadLinearObjective(account, FAR);
    const young = await loadOnto(trial.id, FAR);
    for (const [id, share] of [
      [old.id, 0.25],
      [young.id, 0.75],
    ] as const) {
      await sql`
        insert into inverses (account_id, objective_id, iteration, input, output)
        select ${accountId}, ${id}, n, array[n / 1000.0, ${share}::float8], '{1,2,3}' from generate_series(2, 3000) n`.execute(
        db,
      );
    }
    const objective = await loadOnto(trial.id, { ...FAR, reuse: true });
    const id = await suggestNext(objective.id);
    const { others } = (await readSnapshotOf(db, { accountId, inverseId: id }))!;
    expect(others.iterations).toHaveLength(5_000);
    expect(others.objectiveIds.filter((one) => one === young.id)).toHaveLength(3_000);
    expect([others.objectiveIds[0], others.iterations[0], others.iterations[1_999]]).toEqual([old.id, 1_001, 3_000]);
  });
});

async function repeat(inverseId: number) {
  const snapshot = await readSnapshotOf(account.db, { accountId: account.accountId, inverseId });
  const request = toSuggestRequest(snapshot!, WORK_LIMIT);
  const suggested = toSuggested(snapshot!, request.history, suggest(request));
  return { snapshot: snapshot!, request, suggested };
}

describe('a stored suggestion', () => {
  it('is repeated bit for bit whatever was added, run, corrected or deleted since', async () => {
    const { trial, objective: first } = await loadLinearObjective(account, { ...FAR, reuse: true });
    const suggested: number[] = [await run(first.id), await run(first.id)];
    const second = await loadOnto(trial.id, { ...FAR, objectives: [-1e3, 40, 9], reuse: true });
    suggested.push(await run(second.id), await run(first.id));
    await addCases(
      trial.id,
      3,
      [
        [1, 2],
        [3, 4],
      ],
      [1],
    );
    suggested.push(await run(second.id));
    await correctInverse(trial.id, suggested[0]!, { output: [9, 9, 9] });
    suggested.push(await run(first.id), await run(second.id, () => null));
    await correctCase(trial.id, 2, { output: [1, 1, 1] });
    await correctInverse(trial.id, suggested[0]!, { output: [8, 8, 8], isExcluded: true });
    await correctInverse(trial.id, suggested[6]!, { output: curved([1, 1]) });
    suggested.push(await run(second.id), await run(first.id));
    await correctInverse(trial.id, first.inverses[0]!.id, { output: curved([5, 5]), isExcluded: true });
    await correctInverse(trial.id, suggested[4]!, { output: null });
    await addCases(trial.id, 5, [[8, 2]]);
    const stopped = await loadOnto(trial.id, { ...FAR, objectives: [2, 3, 4], reuse: false, continues: first.id });
    suggested.push(await run(stopped.id), await run(second.id), await run(stopped.id));
    await sql`update objectives set disabled_at = now() where id = ${first.id}`.execute(account.db);

    const histories = new Set<string>();
    for (const id of suggested) {
      const { request, snapshot, suggested: again } = await repeat(id);
      const { rows: found } = await sql<{
        input: number[];
        expected: number[] | null;
        chance: number | null;
        learned: unknown;
      }>`
        select input, expected, chance, learned_from as learned from inverses where id = ${id}`.execute(account.db);
      const { input, expected, chance, learned } = found[0]!;
      expect([again, snapshot.learnedFrom]).toEqual([
        { input, source: null, isRepeat: false, expected, chance, output: null, ended: null, surestIteration: null },
        learned,
      ]);
      histories.add(JSON.stringify(rows(request.history)));
    }
    // Each one knew something else, and none of them what is known now.
    expect(histories.size).toBe(suggested.length);
    const { rows: now } = await historyNow(second.id);
    expect(histories.has(JSON.stringify(now))).toBe(false);
  });

  it('cannot be repeated once something that it learned from has been purged, nor before it is suggested', async () => {
    const { db, accountId } = account;
    const { trial, objective: other } = await loadLinearObjective(account, FAR);
    const objective = await loadOnto(trial.id, { ...FAR, initialInput: [4, 4], reuse: true });
    const id = await run(objective.id);
    expect(await readSnapshotOf(db, { accountId, inverseId: id })).toBeDefined();
    expect(await readSnapshotOf(db, { accountId, inverseId: objective.inverses[0]!.id })).toBeUndefined();
    expect(await readSnapshotOf(db, { accountId: accountId + 1, inverseId: id })).toBeUndefined();
    await sql`update objectives set optimal_inverse_id = null where id = ${other.id}`.execute(db);
    await sql`delete from inverses where objective_id = ${other.id}`.execute(db);
    expect(await readSnapshotOf(db, { accountId, inverseId: id })).toBeUndefined();
  });
});

describe('while the data of a trial change', () => {
  it('a suggestion is stored, but not what it judged of the older data', async () => {
    const { db, accountId } = account;
    const { trial, objective } = await loadLinearObjective(account, FAR);
    await requestSuggestion(db, accountId, { objectiveId: objective.id }, { requestId: null });
    const [job] = await claimJobs(db, { limit: 1, leaseMs: 60_000, workerName: 'test' });
    const changing = {
      ...engine,
      suggest: async (request: SuggestRequest) => {
        await addCases(trial.id, 3, [[1, 2]]);
        return engine.suggest(request);
      },
    };
    expect(await computeSuggestion({ db, engine: changing, workLimit: WORK_LIMIT }, job!, never)).toMatchObject({
      kind: 'suggested',
    });
    expect(await findObjective(db, accountId, objective.id)).toMatchObject({
      attemptCount: 1,
      judgedThrough: null,
      dataRevision: 1,
      nearestCase: objective.nearestCase,
    });
    await recordOutput(
      db,
      accountId,
      { objectiveId: objective.id },
      { kind: 'output', output: [1e6, 1e6, 9e5], computeTimeNs: null },
    );
    // The next one judges everything known now.
    await suggestNext(objective.id);
    expect(await findObjective(db, accountId, objective.id)).toMatchObject({
      judgedThrough: 2,
      nearestIteration: 2,
    });
  });

  it('an output that another client waited with is judged by the data as they are then', async () => {
    const { db, accountId } = account;
    const { trial, objective } = await loadLinearObjective(account, FAR);
    const inverseId = await suggestNext(objective.id);
    const path = { objectiveId: objective.id, inverseId };
    let loaded: ReturnType<typeof recordOutput> | undefined;
    await inTransaction(db, async (trx) => {
      await raise(trx, trial.id);
      loaded = recordOutput(db, accountId, path, { kind: 'output', output: [1, 2, 3], computeTimeNs: null });
      await expect
        .poll(async () => {
          const { rows: waiting } = await sql`
            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
          return waiting.length;
        })
        .toBe(1);
    });
    expect((await loaded!).objective).toMatchObject({ dataRevision: 1 });
    expect((await inverseOf(objective.id, inverseId)).output).toEqual([1, 2, 3]);
  });

  it('a verdict on older data is not written', async () => {
    const { db, accountId } = account;
    const { trial, objective } = await loadLinearObjective(account, FAR);
    const inverseId = await suggestNext(objective.id);
    const change = {
      objective: { optimalInverseId: inverseId, stopReason: StopReason.satisfied },
      events: [{ name: 'objective.satisfied', resourceId: objective.id }],
    } as const;
    const before = (await readSearch(db, accountId, objective.id))!;
    await inTransaction(db, (trx) => raise(trx, trial.id));
    expect(await writeChange(db, accountId, before, change)).toEqual({ kind: 'outdated' });
    const now = (await readSearch(db, accountId, objective.id))!;
    expect(now.objective).toMatchObject({ optimalInverseId: null, stopReason: 0, dataRevision: 1 });
    expect(await writeChange(db, accountId, now, change)).toMatchObject({
      kind: 'written',
      objective: { stopReason: 1 },
    });
  });
});

describe('a campaign', () => {
  const header: CampaignHeader = {
    type: 'campaign',
    format: CAMPAIGN_FORMAT,
    versions: { backsolve: '0.1.0', node: '24.0.0', v8: '13', platform: 'linux-x64' },
    exportedAt: '2027-01-31T00:00:00.000Z',
    problem: null,
  };
  const END = '{"type":"end"}';
  let lines: readonly string[];

  beforeAll(async () => {
    const { trial, objective } = await loadLinearObjective(account, { ...FAR, reuse: true });
    for (const output of [curved, () => null, curved]) await run(objective.id, output);
    await addCases(trial.id, 3, [[1, 2]]);
    await correctCase(trial.id, 1, { output: [1, 2, 3] });
    await run(objective.id);
    const { accountId, db } = account;
    const text = await collect(exportSuggestions(db, accountId, trial.modelId, WORK_LIMIT));
    lines = text.map((line) => line.trimEnd());
  });

  async function replay(texts: readonly string[]): Promise<readonly (string | null)[]> {
    const replayed = replayCampaign(toStream(texts), engine, { threads: 2, signal: never });
    return (await collect(replayed)).flatMap((one) => ('difference' in one ? [one.difference] : []));
  }
  async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
    const found: T[] = [];
    for await (const item of items) found.push(item);
    return found;
  }
  async function* toStream(texts: readonly string[]): AsyncGenerator<string> {
    yield* texts;
  }

  it('repeats every suggestion bit for bit, with what was failed, added and corrected meanwhile', async () => {
    expect(await replay([writeLine(header), ...lines, END])).toEqual([null, null, null, null]);
  });

  it('repeats suggestions that learned from derivatives, of some runs only', async () => {
    const { trial, objective } = await loadLinearObjective(account, FAR);
    const { accountId, db } = account;
    for (const isDerived of [true, false, true]) {
      const id = await suggestNext(objective.id);
      const [a, b] = (await inverseOf(objective.id, id)).input!;
      const sentJacobian = isDerived ? [[b, a], [Math.cos(a!), null], null] : null;
      const measured = { kind: 'output', output: curved([a!, b!]), computeTimeNs: null, sentJacobian } as const;
      await recordOutput(db, accountId, { objectiveId: objective.id, inverseId: id }, measured);
    }
    await suggestNext(objective.id);
    const texts = await collect(exportSuggestions(db, accountId, trial.modelId, WORK_LIMIT));
    expect(await replay([writeLine(header), ...texts, END])).toEqual([null, null, null, null]);
    const without = texts.map((line) => line.replace(/,"jacobian":\[[^\]]*\]/, ''));
    expect((await replay([writeLine(header), ...without, END])).slice(0, 2)).toEqual([null, expect.any(String)]);
  });

  it('names what differs, and what is no longer stored', async () => {
    const suggestions = lines.filter((line) => line.includes('"type":"suggestion"'));
    const [first, second] = suggestions.map((line) => JSON.parse(line));
    const changed = (line: object) => JSON.stringify(line);
    const other = lines.map((line) => {
      if (line === suggestions[0]) return changed({ ...first, input: [first.input[0], first.input[1] + 1e-12] });
      return line === suggestions[1] ? changed({ ...second, from: null }) : line;
    });
    expect(await replay([writeLine(header), ...other, END])).toEqual([
      expect.stringMatching(/^input 2 is \S+ instead of \S+$/),
      expect.stringContaining('no longer stored'),
      null,
      null,
    ]);
  });

  it('is refused when it is none, a part of one, or of a later format', async () => {
    const whole = [writeLine(header), ...lines, END];
    await expect(replay([END])).rejects.toThrow('The file is not a campaign');
    await expect(replay(['inputs: {}'])).rejects.toThrow('or its first line is damaged');
    await expect(replay(whole.slice(0, -1))).rejects.toThrow('a part is missing');
    await expect(replay(whole.filter((line) => !line.includes('"type":"row"')))).rejects.toThrow(
      'Line 3 names rows that the campaign lacks',
    );
    await expect(replay([writeLine({ ...header, format: 2 }), END])).rejects.toThrow('use Backsolve 0.1.0');
  });

  it('names the line that is damaged, and says in one line where the optimizer cannot read what is left', async () => {
    const whole = [writeLine(header), ...lines, END];
    const cut = whole.map((line, at) => (at === 3 ? line.slice(0, -5) : line));
    await expect(replay(cut)).rejects.toThrow('Line 4 is damaged');
    for (const type of ['row', 'search', 'suggestion']) {
      const at = whole.findIndex((line) => line.includes(`"type":"${type}"`));
      for (const damaged of damages(JSON.parse(whole[at]!), 3)) {
        const texts = whole.map((line, i) => (i === at ? JSON.stringify(damaged) : line));
        const ended = await replay(texts).catch((error: unknown) => error);
        if (Array.isArray(ended)) expect(ended.join('')).not.toContain('\n');
        else {
          expect(ended).toBeInstanceOf(CampaignError);
          expect((ended as Error).message).toMatch(/^Line \d+ |a part is missing/);
        }
      }
    }
  });

  /** The same with one thing missing or of another kind, `depth` levels down. */
  function* damages(value: unknown, depth: number): Generator<unknown> {
    if (depth === 0 || typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const [key, part] of Object.entries(value)) {
      if (isList && key !== '0') continue;
      const without = ([...others]: [string, unknown][], ...given: unknown[]) => {
        const entries = others.flatMap(([name, one]): [string, unknown][] =>
          name !== key ? [[name, one]] : given.map((other) => [name, other]),
        );
        return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
      };
      const entries = Object.entries(value);
      if (key !== 'type') {
        yield without(entries);
        for (const other of [null, 'x', -1, [], {}]) yield without(entries, other);
      }
      for (const damaged of damages(part, depth - 1)) yield without(entries, damaged);
    }
  }

  it('keeps infinities and the sign of zero', () => {
    const input = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 5e-324];
    const line = writeLine({ type: 'row', row: 0, input, output: null });
    expect((readLine(line) as RowLine).input).toEqual(input);
  });
});
