import { expect, it } from 'vitest';
import { SharedLookups } from '../../src/application/shared-lookups.ts';

it('Callers that arrive during a look-up share the next one, and none gets the older answer', async () => {
  const lookups = new SharedLookups<number>();
  const pending: ((value: number) => void)[] = [];
  const look = () => new Promise<number>((resolve) => pending.push(resolve));
  const first = lookups.find('key', look);
  const later = Array.from({ length: 100 }, () => lookups.find('key', look));
  expect(pending).toHaveLength(1);
  pending[0]!(1);
  expect(await first).toBe(1);
  await expect.poll(() => pending.length).toBe(2);
  pending[1]!(2);
  expect(new Set(await Promise.all(later))).toEqual(new Set([2]));
  const fresh = lookups.find('key', look);
  expect(pending).toHaveLength(3);
  pending[2]!(3);
  expect(await fresh).toBe(3);
});

it('A failed look-up does not affect the next one', async () => {
  const lookups = new SharedLookups<number>();
  const failing = lookups.find('key', () => Promise.reject(new Error('away')));
  const next = lookups.find('key', async () => 5);
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe(5);
});
