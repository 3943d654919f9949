/** The parts of an objective, the addresses of runs, margins, and the log of the data. */
import { signal } from '@preact/signals';
import { describe, expect, test } from 'vitest';
import type { Correction, Note, TrialRun } from '../../clients/typescript/src/index.ts';
import { entriesOf } from '../../src/dashboard/views/objective/log/entries.ts';
import type { JudgedAll } from '../../src/dashboard/views/objective/state/judged.ts';
import { keyAt, nameAt, rowOfKey } from '../../src/dashboard/views/objective/state/run-key.ts';
import { addressOf, firstTab, readPart, tabsOf } from '../../src/dashboard/views/objective/state/tabs.ts';
import { columnsOfRuns, type Head } from '../../src/presentation/columns.ts';
import { correctionText } from '../../src/presentation/correction-text.ts';
import { marginText } from '../../src/presentation/margin.ts';
import { toOthers } from '../../src/presentation/others.ts';

const run = (facts: object) =>
  ({ status: 'completed', input: [1], output: [10], misses: [0], missedBy: [0], loadedAt: null, ...facts }) as TrialRun;

const elsewhere = [
  run({ source: 'designed', sourceName: null, number: 1, iteration: null, objectiveId: null }),
  run({ source: 'added', sourceName: 'rig', number: 2, iteration: null, objectiveId: null }),
  run({ source: 'objective', number: null, iteration: 4, objectiveId: 12, objectiveNumber: 1, inverseId: 90 }),
];
const own = [
  run({ iteration: 1, inverseId: 101, loadedAt: '2026-01-01T10:00:00.000Z' }),
  run({ iteration: 2, inverseId: 102, status: 'failed', output: null, failureReason: 'leak' }),
  run({ iteration: 5, inverseId: 105, loadedAt: '2026-01-01T12:00:00.000Z' }),
];
const head = {
  number: 2,
  continues: 12,
  createdAt: '2026-01-01T09:00:00.000Z',
  objectives: [1],
  outputNames: ['Power'],
  outputUnits: ['kW'],
} as unknown as Head;
const all = {
  run: { objectiveId: 20, head: signal(head), columns: signal(columnsOfRuns([...elsewhere, ...own], 1, 1)) },
  others: signal(toOthers(elsewhere, 1, 1)),
} as unknown as JudgedAll;

const KEYS = ['case-1', 'case-2', 'objective-12-run-4', '1', '2', '5'];

test('Every run of a trial has a name and an address, which leads back to it', () => {
  expect(KEYS.map((_, row) => keyAt(all, row))).toEqual(KEYS);
  expect(KEYS.map((key) => rowOfKey(all, key))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(KEYS.map((_, row) => nameAt(all, row))).toEqual([
    'case 1',
    'case 2',
    'run 4 of objective 1',
    'run 1',
    'run 2',
    'run 5',
  ]);
  expect(['3', '99', 'case-3', 'objective-12-run-5', 'x', ''].map((key) => rowOfKey(all, key))).toEqual(
    Array(6).fill(-1),
  );
});

describe('the parts of an objective', () => {
  const part = (change: Partial<Head>) =>
    ({ objectives: [1, 2], objectiveTypes: ['minimize', 'minimize'], fits: null, ...change }) as Head;
  const results = (count: number) => columnsOfRuns(Array(count).fill(own[0]), 1, 1);

  test('has a front where one is sought, and a fit where outputs are fitted', () => {
    expect(tabsOf(part({}))).toEqual(['runs', 'charts', 'insight', 'notes', 'log']);
    expect(tabsOf(part({ objectives: [null, null] }))).toContain('front');
    const fit = { objectives: [null, 3], objectiveTypes: ['fit', 'fit'], fits: [] } as unknown as Partial<Head>;
    expect(tabsOf(part(fit))).toEqual(['runs', 'charts', 'fit', 'insight', 'notes', 'log']);
  });

  test('begins with the picture that answers the question, once there are three results', () => {
    expect(firstTab(part({ objectives: [null, null] }), results(2))).toBe('runs');
    expect(firstTab(part({}), results(3))).toBe('charts');
    expect(firstTab(part({ objectives: [null, null] }), results(3))).toBe('front');
    expect(firstTab(part({ fits: [] as never }), results(3))).toBe('fit');
  });

  test('are told by their addresses', () => {
    expect(readPart('runs/case-3')).toEqual({ tab: 'runs', rest: 'case-3' });
    expect(readPart('')).toEqual({ tab: '', rest: '' });
    expect([addressOf(7), addressOf(7, 'log')]).toEqual(['/page/objectives/7', '/page/objectives/7/log']);
  });
});

test('A margin says how far a value is from the nearest end of what is wanted', () => {
  const closed = { lower: 9, upper: 11, lowerOpen: false, upperOpen: false };
  const below = { lower: null, upper: 20, lowerOpen: false, upperOpen: true };
  expect([8.5, 9, 9.25, 10.5, 12].map((value) => marginText(closed, value, 'kW'))).toEqual([
    '0.5 kW below',
    'at the limit',
    '0.25 kW inside',
    '0.5 kW inside',
    '1 kW above',
  ]);
  expect([18, 20, 23].map((value) => marginText(below, value, null))).toEqual([
    '2 inside',
    'just at the limit, which does not count',
    '3 above',
  ]);
  expect(marginText({ ...closed, lower: null, upper: null }, 1, 'kW')).toBe('');
});

const result = (change: object) => ({
  output: [16.25],
  failed: false,
  failureReason: null,
  excluded: false,
  ...change,
});
const correction = (old: object, next: object, change: object = {}) =>
  ({ old: result(old), new: result(next), isNote: false, reason: 'misread', ...change }) as Correction;

test('A correction is told by what it changed', () => {
  const texts = [
    correction({}, { output: [1.625] }),
    correction({}, { excluded: true }),
    correction({ excluded: true }, {}),
    correction({}, { output: null, failed: true, failureReason: 'leak' }),
    correction({ output: null, failed: true }, {}),
  ].map((one) => correctionText(head, one));
  expect(texts).toEqual([
    'Power 16.25 → 1.625 kW',
    'left out',
    'counts again',
    'marked as failed: leak',
    'not failed: outputs entered',
  ]);
});

const photo = { name: 'weld.jpg', mediaType: 'image/jpeg', bytes: 2_400_000, hasThumbnail: true };
const note = { text: '', file: null, writtenBy: 'Ada' } as Note;

test('The log has the newest first, then what has no time: failures and cases', () => {
  const target = { caseNumber: 2, objectiveId: null, inverseId: null, iteration: null };
  const changed = correction(
    {},
    { excluded: true },
    { target, createdAt: '2026-01-01T11:00:00.000Z', correctedBy: 'Ada' },
  );
  // Its text is among the notes.
  const notedByCorrection = { ...changed, isNote: true };
  const notes = [
    { ...note, iteration: 5, text: 'new pump', createdAt: '2026-01-01T11:30:00.000Z' },
    { ...note, iteration: null, file: photo, createdAt: '2026-01-01T11:20:00.000Z' },
  ];
  const told = entriesOf(all, [changed, notedByCorrection], notes).map(({ name = '', what, reason = '' }) =>
    `${name} ${what} ${reason}`.trim(),
  );
  expect(told).toEqual([
    'run 5 outputs loaded',
    'run 5 note: new pump',
    'file: weld.jpg, 2.4 MB',
    'case 2 left out misread',
    'run 1 outputs loaded',
    'Objective 2 was created with changed targets',
    'run 2 failed leak',
    '1 case: added: rig',
    '1 case: first cases',
  ]);
});
