/** Lists what happened to the data of a trial, as far as the service records it. Needs no browser. */
import type { Correction, Note } from '../../../../../clients/typescript/src/index.ts';
import { factAt, type Head, stateOf } from '../../../../presentation/columns.ts';
import { correctionText } from '../../../../presentation/correction-text.ts';
import { counted } from '../../../../presentation/formats.ts';
import { noteText } from '../../../../presentation/note-text.ts';
import type { JudgedAll } from '../state/judged.ts';
import { keyAt, nameAt, runKey } from '../state/run-key.ts';

export type EntryKind = 'started' | 'loaded' | 'added' | 'changed';

export interface Entry {
  /** Milliseconds since 1970; NaN where the page is sent no time. */
  readonly at: number;
  readonly kind: EntryKind;
  readonly what: string;
  /** The run in addresses; undefined: none, or several. */
  readonly key?: string;
  readonly name?: string;
  readonly by?: string;
  readonly reason?: string;
  /** The id of a correction that can be taken back: the newest of its run. */
  readonly undoable?: number;
}

/** Newest first; those without a time come last, because cases come before the runs. */
export function entriesOf(
  all: JudgedAll,
  corrections: readonly Correction[],
  notes: readonly Note[],
): readonly Entry[] {
  const head = all.run.head.value;
  const started: Entry = { at: Date.parse(head.createdAt), kind: 'started', what: startText(head) };
  // Corrections that only note something are listed with the notes.
  const results = corrections.filter(({ isNote }) => !isNote);
  const newest = new Map(results.map((one) => [targetOf(one), one.id]));
  const changes = [
    ...results.map((one) => ({
      ...changeOf(all, one),
      ...(newest.get(targetOf(one)) === one.id && { undoable: one.id }),
    })),
    ...notes.map(notedIn),
  ];
  const dated: readonly Entry[] = [started, ...resultsOf(all).toReversed(), ...changes];
  return [
    ...dated.filter(({ at }) => !Number.isNaN(at)).sort((a, b) => b.at - a.at),
    ...failuresOf(all),
    ...casesOf(all),
  ];
}

const targetOf = ({ target }: Correction) => `${target.caseNumber} ${target.inverseId}`;

function startText({ number, continues }: Pick<Head, 'number' | 'continues'>): string {
  return `Objective ${number} was created${continues === null ? '' : ' with changed targets'}`;
}

function resultsOf(all: JudgedAll): readonly Entry[] {
  const columns = all.run.columns.value;
  return Array.from(
    columns.loadedAt,
    (at, row): Entry => ({ at, kind: 'loaded', what: 'outputs loaded', ...runAt(all, row), ...whoLoaded(all, row) }),
  );
}

const runAt = (all: JudgedAll, row: number) => ({ key: keyAt(all, row), name: nameAt(all, row) });

function whoLoaded(all: JudgedAll, row: number): Pick<Entry, 'by'> {
  const by = factAt(all.run.columns.value, 'loadedBy', row);
  return by === undefined ? {} : { by };
}

/** A history has no times of failures. */
function failuresOf(all: JudgedAll): readonly Entry[] {
  const columns = all.run.columns.value;
  const rows = Array.from(columns.loadedAt.keys()).filter(
    (row) =>
      Number.isNaN(columns.loadedAt[row]!) &&
      all.others.value.sources[row]?.objectiveId !== null &&
      stateOf(columns, row) === 'failed',
  );
  return rows.reverse().map((row) => {
    const reason = factAt(columns, 'failureReasons', row);
    return {
      at: Number.NaN,
      kind: 'loaded',
      what: 'failed',
      ...(reason !== undefined && { reason }),
      ...runAt(all, row),
      ...whoLoaded(all, row),
    };
  });
}

/** One entry per source. */
function casesOf(all: JudgedAll): readonly Entry[] {
  const counts = new Map<string, number>();
  for (const { objectiveId, from } of all.others.value.sources) {
    if (objectiveId === null) counts.set(from, (counts.get(from) ?? 0) + 1);
  }
  return [...counts]
    .reverse()
    .map(([from, count]) => ({ at: Number.NaN, kind: 'added', what: `${counted(count, 'case')}: ${from}` }));
}

function notedIn(note: Note): Entry {
  const { iteration, createdAt, writtenBy: by } = note;
  const run = iteration === null ? {} : { key: String(iteration), name: `run ${iteration}` };
  return { at: Date.parse(createdAt), kind: 'changed', what: noteText(note), by, ...run };
}

function changeOf(all: JudgedAll, correction: Correction): Entry {
  const { target, createdAt, correctedBy, reason } = correction;
  const { run, others } = all;
  const isOwn = target.objectiveId === run.objectiveId;
  const source = isOwn
    ? undefined
    : others.value.sources.find(
        ({ objectiveId, number }) =>
          objectiveId === target.objectiveId && number === (target.caseNumber ?? target.iteration),
      );
  const number = target.caseNumber ?? target.iteration!;
  const what = correctionText(run.head.value, correction);
  const entry = {
    at: Date.parse(createdAt),
    kind: 'changed' as const,
    what,
    by: correctedBy,
    reason,
  };
  if (!isOwn && source === undefined) return { ...entry, name: 'a run of a deleted objective' };
  return { ...entry, key: runKey(number, source), name: source?.name ?? `run ${number}` };
}
