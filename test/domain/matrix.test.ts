import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/domain/matrix.ts';

describe('a matrix', () => {
  it('A matrix stores its rows one after another', () => {
    const matrix = Matrix.from([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect([matrix.rows, matrix.columns, [...matrix.values]]).toEqual([3, 2, [1, 2, 3, 4, 5, 6]]);
    expect(matrix.row(1)).toEqual([3, 4]);
    expect(matrix.toRows(1, 5)).toEqual([
      [3, 4],
      [5, 6],
    ]);
    expect(JSON.stringify(matrix)).toBe('[[1,2],[3,4],[5,6]]');
  });

  it('Rows are picked in the order given', () => {
    const matrix = Matrix.from([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(matrix.pick([2, 0]).toRows()).toEqual([
      [5, 6],
      [1, 2],
    ]);
    expect(matrix.pick([]).rows).toBe(0);
  });

  it('A matrix refuses a wrong number of values and rows of different lengths', () => {
    expect(() => new Matrix(2, 2, new Float64Array(3))).toThrow('2 x 2');
    expect(() => Matrix.from([[1], [1, 2]])).toThrow('row 1');
  });

  it('A matrix of sent rows has no -0, and reports rows of another length', () => {
    const { matrix, uneven } = Matrix.fromSent([[-0, 1], [1], [2, 3, 4]], 2);
    expect(matrix.toRows()).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
    expect(Object.is(matrix.values[0], 0)).toBe(true);
    expect(uneven).toEqual([1, 2]);
  });
});
