import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Tally } from '../../src/domain/tally.ts';

test('a tally counts each key apart and keeps the sum', () => {
  const tally = new Tally<string>();
  tally.add('a');
  tally.add('a', 4);
  tally.add('b');
  tally.remove('a', 2);
  expect([tally.of('a'), tally.of('b'), tally.of('c'), tally.total]).toEqual([3, 1, 0, 4]);
});

test('a tally is back at zero after everything added has been removed, in any order', () => {
  const amounts = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), amount: fc.nat(5) }));
  const twoOrders = amounts.chain((added) =>
    fc.tuple(fc.constant(added), fc.shuffledSubarray(added, { minLength: added.length })),
  );
  fc.assert(
    fc.property(twoOrders, ([added, removed]) => {
      const tally = new Tally<string>();
      for (const { key, amount } of added) tally.add(key, amount);
      expect(tally.total).toBe(added.reduce((sum, { amount }) => sum + amount, 0));
      for (const { key, amount } of removed) tally.remove(key, amount);
      expect([tally.total, tally.of('a'), tally.of('b'), tally.of('c')]).toEqual([0, 0, 0, 0]);
    }),
  );
});
