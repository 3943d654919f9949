import { describe, expect, test } from 'vitest';
import { BacksolveError } from '../../clients/typescript/src/index.ts';
import { faultsByPointer, withoutShown } from '../../src/dashboard/parts/violations.ts';
import { readCorrection } from '../../src/dashboard/views/objective/actions/correction.ts';
import { readDraft, writeDraft } from '../../src/dashboard/views/objective/by-hand/draft.ts';
import { outputAt, readOutputs } from '../../src/dashboard/views/objective/by-hand/read-outputs.ts';

class Store implements Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  readonly kept = new Map<string, string>();
  getItem = (name: string) => this.kept.get(name) ?? null;
  setItem = (name: string, text: string) => void this.kept.set(name, text);
  removeItem = (name: string) => void this.kept.delete(name);
}

describe('a draft', () => {
  test('is kept per inverse, and gone once it is empty', () => {
    const store = new Store();
    writeDraft(store, 7, ['1,5', '']);
    writeDraft(store, 8, ['', '2']);
    expect(readDraft(store, 7, 2)).toEqual(['1,5', '']);
    expect(readDraft(store, 8, 2)).toEqual(['', '2']);
    writeDraft(store, 7, ['', '']);
    writeDraft(store, 8, []);
    expect(store.kept.size).toBe(0);
    expect(readDraft(store, 7, 2)).toEqual(['', '']);
  });

  test.each(['{', '[1,2]', '["1"]', '{"length":2}', 'null'])('stored as %s is none', (text) => {
    const store = new Store();
    store.setItem('backsolve-outputs-7', text);
    expect(readDraft(store, 7, 2)).toEqual(['', '']);
  });

  test('does without storage', () => {
    const full = {
      ...new Store(),
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(() => writeDraft(full, 7, ['1'])).not.toThrow();
    expect(() => writeDraft(undefined, 7, ['1'])).not.toThrow();
    expect(readDraft(undefined, 7, 1)).toEqual(['']);
  });
});

describe('outputs', () => {
  test('are read, or each has its fault', () => {
    expect(readOutputs(['1,5', '2e3'])).toEqual({ output: [1.5, 2000] });
    const { faults } = readOutputs(['1,5', '', 'x']);
    expect([...faults!.keys()]).toEqual([1, 2]);
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
    failureReason: ' ',
    reason: ' misread ',
    reopens: false,
  } as const;

  test('sends one change and its reason', () => {
    expect(readCorrection(draft).body).toEqual({ output: [1.5, 2], reason: 'misread' });
    expect(readCorrection({ ...draft, kind: 'failed' }).body).toEqual({ failed: true, reason: 'misread' });
    const failed = { ...draft, kind: 'failed', failureReason: 'leak' } as const;
    expect(readCorrection(failed).body).toEqual({ failed: true, failureReason: 'leak', reason: 'misread' });
    expect(readCorrection({ ...draft, kind: 'exclude' }).body).toEqual({ excluded: true, reason: 'misread' });
    const again = { ...draft, kind: 'include', reopens: true } as const;
    expect(readCorrection(again).body).toEqual({ excluded: false, reason: 'misread', reopen: true });
  });

  test('needs numbers and a reason', () => {
    const read = readCorrection({ ...draft, texts: ['', '2'], reason: '  ' });
    expect(read.body).toBeUndefined();
    expect(read.reasonFault).toMatch(/why/);
    expect([...read.outputFaults.keys()]).toEqual([0]);
  });
});
