import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Evaluation } from '../../clients/typescript/src/evaluator/evaluation.ts';
import { FinishedRuns, Journal, runsOf, unsettledOf } from '../../clients/typescript/src/evaluator/journal.ts';
import {
  areRetriesNews,
  countRetried,
  markFailures,
  retryRuns,
} from '../../clients/typescript/src/evaluator/retries.ts';
import { nameOf } from '../../clients/typescript/src/evaluator/run-name.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backsolve-journal-'));
  file = path.join(folder, 'runs.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const evaluation = (id: number, more: Partial<Evaluation> = {}) =>
  ({ id, leaseToken: `token ${id}`, kind: 'inverse', input: [id], caseNumber: null, ...more }) as Evaluation;

const output = { kind: 'output', output: [1] } as const;
const failure = { kind: 'failure', reason: 'no mesh', retryable: true } as const;

async function withJournal<T>(work: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await Journal.open(file);
  return work(journal).finally(() => journal.close());
}

it('keeps what is unsettled: results without a report, and leases without a result', async () => {
  await withJournal(async (journal) => {
    for (const id of [1, 2, 3, 4]) await journal.claimed(evaluation(id));
    await journal.finished(evaluation(1), 'inverse', output, 2);
    await journal.reported(evaluation(1), 'done');
    await journal.finished(evaluation(2), 'inverse', output, 2);
    await journal.released(evaluation(3));
  });
  const { unreported, interrupted } = await withJournal(async (journal) => unsettledOf(journal.lines));
  expect(unreported.map((line) => line.evaluation)).toEqual([2]);
  expect(interrupted.map((line) => line.evaluation)).toEqual([4]);
});

it('takes a line that was torn off at the end for never written, and goes on after the last whole one', async () => {
  await withJournal((journal) => journal.finished(evaluation(1), 'inverse', output, 1));
  await appendFile(file, '{"kind":"finished","evaluat');
  await withJournal(async (journal) => {
    expect(runsOf(journal.lines)).toHaveLength(1);
    await journal.finished(evaluation(2), 'inverse', output, 1);
  });
  await withJournal(async (journal) => expect(runsOf(journal.lines).map((run) => run.evaluation)).toEqual([1, 2]));
  expect(await readFile(file, 'utf8')).not.toContain('evaluat{');
});

it('refuses a file that is no journal, with its line', async () => {
  await writeFile(file, 'hello\n');
  await expect(Journal.open(file)).rejects.toThrow(`${file}:1 is not a line of a journal`);
});

it('counts a failure that is tried again as a run only when no try was left', async () => {
  await withJournal(async (journal) => {
    await journal.finished(evaluation(1), 'inverse', failure, 1);
    await journal.reported(evaluation(1), 'waiting');
    expect(runsOf(journal.lines)).toEqual([]);
    const second = evaluation(1, { leaseToken: 'second' });
    await journal.finished(second, 'inverse', failure, 1);
    await journal.reported(second, 'failed');
    expect(runsOf(journal.lines)).toHaveLength(1);
  });
});

it('finds results of the same evaluation, and of the same input only for designed cases', async () => {
  await withJournal(async (journal) => {
    await journal.finished(evaluation(1), 'inverse', output, 1);
    await journal.finished(evaluation(2), 'inverse', failure, 1);
    const finished = new FinishedRuns(journal.lines);
    expect(finished.find(evaluation(1))).toEqual(output);
    expect(finished.find(evaluation(2))).toBeUndefined();
    expect(finished.find(evaluation(3, { kind: 'case', input: [1] }))).toEqual(output);
    expect(finished.find(evaluation(3, { kind: 'inverse', input: [1] }))).toBeUndefined();
  });
});

it('keeps the number of a suggested run, also when it is run again, and reads journals without numbers', async () => {
  const final = { ...failure, retryable: false } as const;
  await withJournal(async (journal) => {
    await journal.finished(evaluation(1, { iteration: 17, batchId: 5 }), 'inverse', final, 1);
    await journal.finished(evaluation(2), 'inverse', output, 1);
    await markFailures(journal);
  });
  await withJournal(async (journal) => {
    const retried = journal.lines.filter((line) => line.kind === 'retried');
    await journal.finishedAgain(retried[0]!, output, 1);
    expect(runsOf(journal.lines)).toMatchObject([{ iteration: 17, batchId: 5, outcome: output }, { evaluation: 2 }]);
    expect(runsOf(journal.lines).map((run) => nameOf(run))).toEqual(['run 17', 'suggested run']);
  });
});

it('writes lines whole, however many are written together', async () => {
  const ids = Array.from({ length: 50 }, (_, i) => i + 1);
  await withJournal(async (journal) => {
    await Promise.all(ids.map((id) => journal.finished(evaluation(id), 'inverse', output, 1)));
  });
  await withJournal(async (journal) => expect(runsOf(journal.lines).map((run) => run.evaluation)).toEqual(ids));
});

it('A failed run that is tried again keeps its number, in another evaluation and more than once', async () => {
  await withJournal(async (journal) => {
    const designed = (id: number) => evaluation(id, { kind: 'case', input: [0] });
    const final = { ...failure, retryable: false } as const;
    await journal.finished(designed(1), 'case', final, 1);
    await journal.finished(evaluation(2), 'inverse', final, 1);
    await markFailures(journal);
    await journal.finished(designed(3), 'case', final, 1);
    await journal.finished(designed(3), 'case', final, 1);
    expect(runsOf(journal.lines).map((run) => run.evaluation)).toEqual([3, 2]);
    expect(new FinishedRuns(journal.lines).find(evaluation(2))).toBeUndefined();
    await markFailures(journal);
    await journal.finished(designed(4), 'case', output, 1);
    await journal.corrected({ id: 4, leaseToken: '' }, { kind: 'output', output: [7] });
    expect(runsOf(journal.lines).map(({ outcome }) => outcome)).toEqual([{ kind: 'output', output: [7] }, final]);
    expect(countRetried(journal.lines)).toBe(4);
    expect(areRetriesNews(journal.lines, 2, true)).toBe(true);
    expect(areRetriesNews(journal.lines, 4, false)).toBe(false);
  });
});

it('What is tried again is run once and told once, whenever it was interrupted', async () => {
  const told: unknown[] = [];
  const client = {
    call: async (operationId: string, { body }: { readonly body?: unknown }) => {
      told.push([operationId, body]);
      if (told.length === 1) throw new Error('away');
      return { body: {}, headers: new Headers() };
    },
  };
  const trial = { modelId: 1, projectId: 2, trialId: 3 };
  let runs = 0;
  const retry = () =>
    withJournal((journal) =>
      retryRuns({ client, journal, trial, jobs: 2, evaluate: async () => (runs++ === 0 ? undefined : output) }),
    );
  await withJournal(async (journal) => {
    await journal.finished(evaluation(1, { inverseId: 8, objectiveId: 9 }), 'inverse', failure, 1);
    await journal.reported(evaluation(1), 'failed');
    await markFailures(journal);
  });
  await retry(); // interrupted
  await expect(retry()).rejects.toThrow('away');
  await retry();
  await retry();
  expect(runs).toBe(2);
  const correction = ['correctInverse', { output: [1], reason: 'tried again after a failure' }];
  expect(told).toEqual([correction, correction]);
  await withJournal(async (journal) => expect(unsettledOf(journal.lines).unreported).toEqual([]));
});
