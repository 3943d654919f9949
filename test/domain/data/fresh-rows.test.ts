import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CaseRows, FreshRows } from '../../../src/domain/data/fresh-rows.ts';
import { Matrix } from '../../../src/domain/matrix.ts';

type Case = readonly [input: readonly number[], output: readonly number[] | null];

function rowsOf(cases: readonly Case[]): CaseRows {
  return {
    inputs: new Matrix(cases.length, 2, Float64Array.from(cases.flatMap(([input]) => input))),
    outputs: new Matrix(cases.length, 1, Float64Array.from(cases.flatMap(([, output]) => output ?? [0]))),
    failed: cases.flatMap(([, output], row) => (output === null ? [row] : [])),
  };
}

/** Few values, so that cases repeat often. */
const value = fc.constantFrom(0, 1, -1, 5e-324, 1e300);
const oneCase: fc.Arbitrary<Case> = fc.tuple(
  fc.tuple(value, value),
  fc.option(fc.tuple(value), { nil: null, freq: 3 }),
);

describe('fresh rows', () => {
  it('Fresh are exactly the first rows of their kind that no known case equals', () => {
    fc.assert(
      fc.property(fc.array(oneCase, { maxLength: 60 }), fc.array(oneCase, { maxLength: 30 }), (sent, known) => {
        const fresh = new FreshRows(rowsOf(sent));
        fresh.removeKnown(rowsOf(known));
        const texts = known.map((one) => JSON.stringify(one));
        const expected = sent.flatMap((one, row) => {
          const text = JSON.stringify(one);
          if (texts.includes(text)) return [];
          texts.push(text);
          return [row];
        });
        expect(fresh.rows).toEqual(expected);
      }),
    );
  });

  it('A known case counts as it was and as corrections made it', () => {
    const fresh = new FreshRows(
      rowsOf([
        [[1, 2], [3]],
        [[1, 2], [30]],
        [[1, 2], null],
        [[1, 2], [4]],
      ]),
    );
    fresh.removeKnown(rowsOf([[[1, 2], [3]]]), new Map([[0, [[30], null]]]));
    expect(fresh.rows).toEqual([3]);
  });
});
