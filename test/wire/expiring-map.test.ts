import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExpiringMap } from '../../src/http/fairness/expiring-map.ts';

it('An expiring map keeps entries until they expire, and never more than its capacity', () => {
  const step = fc.record({ name: fc.constantFrom(...'abcdefgh'), elapsed: fc.nat({ max: 60 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
      let instant = 0;
      const map = new ExpiringMap<{ endsAt: number }>(capacity, () => instant);
      const order: { name: string; endsAt: number }[] = [];
      for (const { name, elapsed } of steps) {
        instant += elapsed;
        const entry = { name, endsAt: instant + 100 };
        order.splice(0, order.length, ...order.filter((other) => other.name !== name), entry);
        map.set(name, entry);
        expect(map.size).toBeLessThanOrEqual(capacity);
        const kept = order.slice(-capacity).filter(({ endsAt }) => endsAt > instant);
        for (const one of 'abcdefgh') {
          expect(map.get(one)).toBe(kept.find((each) => each.name === one));
        }
      }
    }),
  );
});

it('An expiring map forgets deleted entries, and entries that expire while none are set', () => {
  let instant = 0;
  const map = new ExpiringMap<{ endsAt: number }>(9, () => instant);
  map.set('a', { endsAt: 10 });
  map.set('b', { endsAt: 10 });
  map.delete('a');
  expect([map.get('a'), map.get('b')]).toEqual([undefined, { endsAt: 10 }]);
  instant = 10;
  expect(map.get('b')).toBeUndefined();
});
