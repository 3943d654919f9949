/** Data sets of a fit, as they are typed in the form of a new problem and in "Change targets". */
import { describe, expect, it } from 'vitest';
import { newOutput } from '../../src/dashboard/views/new-problem/draft.ts';
import { readFits, sigmaText, takeMeasured } from '../../src/dashboard/views/new-problem/fits.ts';

const output = (target: string, sigma: string, type: 'fit' | 'lessthan' = 'fit') =>
  newOutput(1, { type, target, sigma });

function read(outputs: readonly ReturnType<typeof output>[], known: Parameters<typeof readFits>[1] = []) {
  const faults: Record<string, string> = {};
  return { fits: readFits(outputs, known, faults), faults };
}

describe('pasted measured values', () => {
  const named = ['a', 'b', 'cost'].map((name, j) =>
    newOutput(j + 1, { name, type: j < 2 ? 'fit' : 'lessthan', target: '9' }),
  );
  const take = (rows: readonly (readonly string[])[]) => {
    const { outputs, said } = takeMeasured(rows, named);
    return { cells: outputs.map(({ type, target, sigma }) => [type, target, sigma]), said };
  };

  it('belong to the fitted outputs in their order; an empty line is a gap', () => {
    expect(take([[''], ['4', '0.2'], ['5', '0.3']])).toEqual({
      cells: [
        ['fit', '', ''],
        ['fit', '4', '0.2'],
        ['lessthan', '9', ''],
      ],
      said: '2 rows taken. 1 row without an output left out.',
    });
  });

  it('belong to the outputs that they name, which are fitted then', () => {
    const { cells, said } = take([['cost', '7'], ['time', '1'], [''], ['a', '3', '0.1']]);
    expect(cells).toEqual([
      ['fit', '3', '0.1'],
      ['fit', '9', ''],
      ['fit', '7', ''],
    ]);
    expect(said).toBe('2 rows taken. 1 row without an output left out.');
  });
});

describe('the data sets of a fit', () => {
  it('are none without an output of type fit', () => {
    expect(read([output('3', '', 'lessthan')])).toEqual({ fits: undefined, faults: {} });
  });

  it('are one set with one standard error, one per value, a share, or an unknown one', () => {
    const limit = output('5', '', 'lessthan');
    expect(read([output('3', '0.1'), limit, output('4', '0,1')]).fits).toEqual([{ outputs: [0, 2], sigma: 0.1 }]);
    expect(read([output('3', '0.1'), output('', ''), output('4', '0.2')]).fits).toEqual([
      { outputs: [0, 1, 2], sigma: [0.1, null, 0.2] },
    ]);
    expect(read([output('3', '2 %'), output('4', '2%')]).fits).toEqual([
      { outputs: [0, 1], sigma: { relative: 0.02 } },
    ]);
    expect(read([output('3', '0.1'), output('-4', '2 %')]).fits).toEqual([{ outputs: [0, 1], sigma: [0.1, 0.08] }]);
    expect(read([output('3', ''), output('4', ' ')]).fits).toEqual([{ outputs: [0, 1], sigma: null }]);
  });

  it('need a standard error for all values or for none, and numbers', () => {
    const { faults } = read([output('3', '0.1'), output('4', ''), output('5', 'small')]);
    expect(Object.keys(faults)).toEqual(['outputs/1/sigma', 'outputs/2/sigma']);
    expect(faults['outputs/1/sigma']).toBe('State a standard error for all fitted outputs, or for none.');
  });

  it('stay what they were where the form does not show it, without outputs that are no longer fitted', () => {
    const known = [
      { name: 'tank', outputs: [0, 1], sigma: { relative: 0.07 }, weight: 2, loss: 'huber' as const },
      { name: null, outputs: [2], sigma: [0.3], weight: 1, loss: 'linear' as const },
    ];
    const typed = ['1', '2', '3'].map((target, j) => output(target, sigmaText(known, j)));
    expect(typed.map(({ sigma }) => sigma)).toEqual(['7 %', '7 %', '0.3']);
    const same = [
      { name: 'tank', outputs: [0, 1], sigma: { relative: 0.07 }, weight: 2, loss: 'huber' },
      { name: null, outputs: [2], sigma: 0.3, weight: 1, loss: 'linear' },
    ];
    expect(read(typed, known)).toEqual({ fits: same, faults: {} });
    const changed = [output('1', '', 'lessthan'), typed[1]!, output('3', '', 'lessthan'), output('4', '0.5')];
    expect(read(changed, known).fits).toEqual([
      { ...same[0], outputs: [1] },
      { outputs: [3], sigma: 0.5 },
    ]);
  });
});
