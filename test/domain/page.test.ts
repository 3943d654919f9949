import { describe, expect, test } from 'vitest';
import { toPage } from '../../src/domain/page.ts';

const rows = (count: number): { id: number }[] => Array.from({ length: count }, (_, i) => ({ id: 10 * (i + 1) }));

describe('a page of at most 3', () => {
  test.each([
    [0, 0, null],
    [2, 2, null],
    [3, 3, null],
    [4, 3, 30],
  ])('A page of at most 3 made of %i rows shows %i and continues after %s', (read, shown, nextAfter) => {
    expect(toPage(rows(read), { limit: 3, after: null })).toEqual({ items: rows(shown), nextAfter });
  });
});
