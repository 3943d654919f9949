/** Lists corrections, exclusions and notes, the names of files, and the runs that failed. */
import type { Correction, Note } from '../../clients/typescript/src/index.ts';
import { factAt, stateOf } from '../presentation/columns.ts';
import { correctionText } from '../presentation/correction-text.ts';
import { grouped } from '../presentation/formats.ts';
import { noteText } from '../presentation/note-text.ts';
import { type Block, type Cell, heading, paragraph } from './document.ts';
import type { Subject } from './source.ts';
import { moment } from './words.ts';

const MOST_ENTRIES = 200;

export function logBlocks(subject: Subject): readonly Block[] {
  const { head, corrections, notes } = subject;
  const changes = [
    // Corrections that only note something are listed with the notes.
    ...corrections.filter(({ isNote }) => !isNote).map((one) => [one.createdAt, changeOf(subject, one)] as const),
    ...notes.map((one) => [one.createdAt, notedIn(one)] as const),
  ]
    .sort(([a], [b]) => Date.parse(a) - Date.parse(b))
    .map(([, cells]) => cells);
  const failures = failuresOf(subject);
  const entries: readonly (readonly Cell[])[] = [
    [moment(head.createdAt), `Objective ${head.number}`, 'was created', '–', '–'],
    ...changes,
    ...failures,
  ];
  const shown = entries.slice(0, MOST_ENTRIES);
  return [
    heading('Log'),
    {
      kind: 'table',
      label: 'Corrections, notes and failures',
      isDense: true,
      columns: [{ title: 'Time' }, { title: 'Run' }, { title: 'What' }, { title: 'By' }, { title: 'Reason' }],
      rows: shown,
    },
    ...(shown.length < entries.length
      ? [paragraph(`The first ${shown.length} of ${grouped(entries.length)} entries.`, 'hint')]
      : []),
    ...(failures.length > 0 ? [paragraph('Failures have no time here; the page of a run has it.', 'hint')] : []),
  ];
}

function notedIn(note: Note): readonly Cell[] {
  const { createdAt, iteration, writtenBy, editedBy } = note;
  const by = editedBy === null || editedBy === writtenBy ? writtenBy : `${writtenBy}, changed by ${editedBy}`;
  return [moment(createdAt), iteration === null ? 'Objective' : `run ${iteration}`, noteText(note), by, '–'];
}

function changeOf({ head }: Subject, one: Correction): readonly Cell[] {
  const { target, createdAt, correctedBy, reason } = one;
  return [moment(createdAt), nameOf(target, head.objectiveId), correctionText(head, one), correctedBy, reason];
}

function nameOf({ caseNumber, objectiveId, iteration }: Correction['target'], ownId: number): string {
  if (caseNumber !== null) return `case ${caseNumber}`;
  return objectiveId === ownId ? `run ${iteration}` : `run ${iteration} of another objective`;
}

function failuresOf({ columns }: Subject): (readonly Cell[])[] {
  return [...columns.iterations.keys()]
    .filter((row) => stateOf(columns, row) === 'failed')
    .map((row) => [
      '–',
      `run ${columns.iterations[row]}`,
      { text: 'failed', look: 'missed' as const },
      factAt(columns, 'loadedBy', row) ?? '–',
      factAt(columns, 'failureReasons', row) ?? '–',
    ]);
}
