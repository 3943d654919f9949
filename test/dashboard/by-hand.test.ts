import { describe, expect, test } from 'vitest';
import { BacksolveError } from '../../clients/typescript/src/index.ts';
import { faultsByPointer, withoutShown } from '../../src/dashboard/parts/violations.ts';
import { draftsOf } from '../../src/dashboard/shell/drafts.ts';
import { findOvertaken } from '../../src/dashboard/views/objective/by-hand/overtaken.ts';
import { openTyped } from '../../src/dashboard/views/objective/by-hand/typed.ts';
import { readCorrection } from '../../src/dashboard/views/objective/corrections/correction.ts';
import { outputAt, readOutputs } from '../../src/dashboard/views/objective/corrections/read-outputs.ts';
import { emptyColumns, replaceRows } from '../../src/presentation/columns.ts';
import { Store } from './store.ts';

describe('outputs that were typed', () => {
  const open = (store: Store) => openTyped(draftsOf('ann', store), 3, 2);

  test('are kept per inverse, and gone once they are empty', () => {
    const store = new Store();
    open(store).set(7, ['1,5', '']);
    open(store).set(8, ['', '2']);
    expect(open(store).of(7)).toEqual(['1,5', '']);
    expect([...open(store).all.value.keys()]).toEqual([7, 8]);
    open(store).set(7, ['', '']);
    open(store).remove(8);
    expect(store.length).toBe(0);
    expect(open(store).of(7)).toEqual(['', '']);
  });

  test.each(['{', '[1,2]', '["1"]', '{"length":2}', 'null'])('stored as %s are none', (text) => {
    const store = new Store();
    draftsOf('ann', store).write('outputs/3/7', text);
    expect(open(store).of(7)).toEqual(['', '']);
  });

  test('stay where the storage is full, as long as the page is open', () => {
    const store = new Store();
    store.setItem = () => {
      throw new Error('full');
    };
    const typed = open(store);
    typed.set(7, ['1', '']);
    expect(typed.of(7)).toEqual(['1', '']);
  });

  test('follow what another tab writes and removes', () => {
    const store = new Store();
    const [here, there] = [open(store), open(store)];
    there.set(7, ['1', '2']);
    here.readAgain('outputs/3/7');
    here.readAgain('outputs/30/7');
    expect(here.of(7)).toEqual(['1', '2']);
    there.remove(7);
    here.readAgain('outputs/3/7');
    expect(here.all.value.size).toBe(0);
  });
});

describe('outputs', () => {
  test('are read, or each has its fault', () => {
    expect(readOutputs(['1,5', '2e3'])).toEqual({ output: [1.5, 2000] });
    const { faults } = readOutputs(['1,5', '', 'x']);
    expect([...faults!.keys()]).toEqual([1, 2]);
  });

  test('with a comma before three digits are refused, unless another one has a decimal comma', () => {
    expect(readOutputs(['1,250', '7']).faults?.get(0)).toContain('1.250 or 1250');
    expect(readOutputs(['1,250', '7.5']).faults?.get(0)).toContain('1.250 or 1250');
    expect(readOutputs(['1,250', '7,5'])).toEqual({ output: [1.25, 7.5] });
  });

  test('are found by the pointers of the service', () => {
    expect(outputAt('/output/12')).toBe(12);
    expect(outputAt('/output')).toBeUndefined();
    expect(outputAt('/reason')).toBeUndefined();
  });
});

describe('what the service refuses', () => {
  const violation = (pointer: string, message: string) => ({ property: pointer, pointer, message });
  const refusal = (...violations: readonly ReturnType<typeof violation>[]) =>
    new BacksolveError({ code: 'VALIDATION_FAILED', status: 400, detail: 'Not valid.', violations });

  test('stands at its fields, and nowhere else', () => {
    const error = refusal(violation('/output/1', 'must be finite.'), violation('/output/1', 'must be small.'));
    expect([...faultsByPointer(error)]).toEqual([['/output/1', 'Must be finite.']]);
    expect(withoutShown(error, (pointer) => pointer === '/output/1')).toBeUndefined();
    expect(withoutShown(error, (pointer) => pointer === '/output/2')).toBe(error);
  });

  test('without a field is shown as it is', () => {
    const error = new Error('away');
    expect(faultsByPointer(error).size).toBe(0);
    expect(withoutShown(error, () => true)).toBe(error);
    expect(withoutShown(undefined, () => true)).toBeUndefined();
    expect(withoutShown(refusal(), () => true)).toBeInstanceOf(BacksolveError);
  });
});

describe('a correction', () => {
  const draft = {
    kind: 'output',
    texts: ['1,5', '2'],
    failure: ' ',
    reason: ' misread ',
    reopens: false,
  } as const;

  test('sends one change and its reason', () => {
    expect(readCorrection(draft).body).toEqual({ output: [1.5, 2], reason: 'misread' });
    expect(readCorrection({ ...draft, kind: 'failed' }).body).toEqual({ failed: true, reason: 'misread' });
    const failed = { ...draft, kind: 'failed', failure: 'leak' } as const;
    expect(readCorrection(failed).body).toEqual({ failed: true, failureReason: 'leak', reason: 'misread' });
    expect(readCorrection({ ...draft, kind: 'exclude' }).body).toEqual({ excluded: true, reason: 'misread' });
    const again = { ...draft, kind: 'include', reopens: true } as const;
    expect(readCorrection(again).body).toEqual({ excluded: false, reason: 'misread', reopen: true });
  });

  test('needs numbers and a reason', () => {
    const read = readCorrection({ ...draft, texts: ['', '2'], reason: '  ' });
    expect(read.body).toBeUndefined();
    expect(read.reasonFault).toMatch(/^Enter a reason/);
    expect([...read.outputFaults.keys()]).toEqual([0]);
  });
});

describe('outputs of an input that is no longer open', () => {
  const columns = replaceRows(emptyColumns(1, 2), 0, {
    iterations: [1, 2, 3, 4],
    inverseIds: [10, 20, 30, 40],
    statuses: ['active', 'active', 'stopped', 'active'],
    loadedAt: ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', null, null],
    computeTimes: [0, 0, 0, 0],
    inputs: [[1], [2], [3], [4]],
    outputs: [[1, 2], [1.5, 2], null, null],
    misses: [],
    missedBy: [],
    failureReasons: {},
    repeatOf: {},
    excluded: [],
    corrected: [],
    withJacobian: [],
  } as never);
  const typed = new Map([
    [40, ['5', '']],
    [30, ['7', '8']],
    [20, ['1,5', '2']],
    [10, ['1', '3']],
    [99, ['1', '3']],
  ]);
  const found = (takesLate: boolean) =>
    findOvertaken(columns, typed, { takesLate }).map(({ inverseId, kind }) => [inverseId, kind]);

  test('are those that differ from what is stored, and those of inputs that were given up', () => {
    expect(found(false)).toEqual([
      [10, 'reported'],
      [30, 'given up'],
    ]);
  });

  test('stay in their form where late outputs are taken', () => {
    expect(found(true)).toEqual([[10, 'reported']]);
  });
});
