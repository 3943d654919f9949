import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingBytes } from '../../src/http/body/growing-bytes.ts';
import { ByteBudget, type CountedBody } from '../../src/http/fairness/byte-budget.ts';
import { Pace } from '../../src/http/fairness/pace.ts';

const MEBIBYTE = 1024 * 1024;

describe('growing bytes', () => {
  it('Growing bytes equal what was appended, however it was split', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 50 }), fc.nat(100), (chunks, maximum) => {
        const growing = new GrowingBytes(maximum);
        for (const chunk of chunks) growing.append(chunk);
        expect(Buffer.from(growing.take())).toEqual(Buffer.concat(chunks));
        expect(growing.length).toBe(0);
      }),
    );
  });

  it('Bytes that are announced and never arrive take no memory', () => {
    const before = process.memoryUsage().arrayBuffers;
    const held = Array.from({ length: 100 }, () => new GrowingBytes(32 * MEBIBYTE));
    for (const one of held) one.append(Buffer.from('x'));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * MEBIBYTE);
  });

  it('Freed bytes release their memory without a garbage collection', () => {
    const growing = new GrowingBytes(32 * MEBIBYTE);
    growing.append(Buffer.alloc(32 * MEBIBYTE));
    const before = process.memoryUsage().arrayBuffers;
    growing.free();
    expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(32 * MEBIBYTE);
  });
});

describe('a byte budget', () => {
  it('A budget refuses a holder beyond its share and leaves room for the others', () => {
    const budget = new ByteBudget({ total: 100 * MEBIBYTE, perHolder: 51 * MEBIBYTE });
    const first = budget.open('a');
    first.take(50 * MEBIBYTE);
    expect(() => budget.open('a').take(2 * MEBIBYTE)).toThrow(expect.objectContaining({ code: 'ACCOUNT_BUSY' }));
    budget.open('b').take(50 * MEBIBYTE);
    const third = budget.open('c');
    expect(() => third.take(2 * MEBIBYTE)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    first.close();
    third.take(50 * MEBIBYTE);
  });

  it('A budget has room for small bodies when large ones use all of it', () => {
    const budget = new ByteBudget({ total: 100 * MEBIBYTE, perHolder: 100 * MEBIBYTE });
    budget.open('a').take(100 * MEBIBYTE);
    budget.open('b').take(64 * 1024);
    for (let body = 0; body < 100; body++) budget.open(`holder ${body}`).take(64 * 1024);
  });

  it('A budget always counts exactly what is held', () => {
    const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), mebibytes: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new ByteBudget({ total: 100 * MEBIBYTE, perHolder: 60 * MEBIBYTE });
        const held: { holder: string; bytes: number; body: CountedBody }[] = [];
        const small = 64 * 1024;
        for (const { holder, mebibytes } of steps) {
          const bytes = mebibytes * MEBIBYTE;
          const total = held.reduce((sum, one) => sum + one.bytes - small, bytes - small);
          const own = held.reduce((sum, one) => (one.holder === holder ? sum + one.bytes : sum), bytes);
          const body = budget.open(holder);
          if (total <= 100 * MEBIBYTE && own <= 60 * MEBIBYTE) {
            body.take(bytes);
            held.push({ holder, bytes, body });
          } else {
            expect(() => body.take(bytes)).toThrow();
            held.shift()?.body.close();
          }
        }
      }),
    );
  });
});

describe('a pace', () => {
  it('A pace lets a burst through, slows down a holder that continues, and recovers with time', () => {
    let now = 0;
    const pace = new Pace({ perSecond: 8 * MEBIBYTE, burst: 48 * MEBIBYTE }, () => now);
    expect(pace.take('a', 32 * MEBIBYTE)).toBe(0);
    expect(pace.take('a', 16 * MEBIBYTE)).toBe(0);
    expect(pace.take('a', 8 * MEBIBYTE)).toBeCloseTo(1000);
    expect(pace.take('b', 32 * MEBIBYTE)).toBe(0);
    now = 7_000;
    expect(pace.take('a', 32 * MEBIBYTE)).toBe(0);
  });
});
