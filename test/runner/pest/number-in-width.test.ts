import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeInWidth } from '../../../src/runner/pest/number-in-width.ts';

describe('a number in a space of a template', () => {
  it.each([
    [0.5, 12, '         0.5'],
    [300, 8, '   300.0'],
    [-2, 8, '    -2.0'],
    [0, 5, '  0.0'],
    [1 / 3, 12, '0.3333333333'],
    [1 / 3, 8, '.3333333'],
    [-1 / 3, 6, '-.3333'],
    [1.234567890123456e-7, 12, '1.2345679e-7'],
    [1.234567890123456e20, 10, '1.23457e20'],
    [123456.789, 8, '123456.8'],
    [123456.789, 7, '123457.'],
    [123456.789, 5, '1.2e5'],
    [123456.789, 3, '1e5'],
  ])('%f in %i characters is "%s"', (value, width, text) => {
    expect(writeInWidth(value, width)).toBe(text);
  });

  it('is missing where no right digit fits', () => {
    expect(writeInWidth(-1e100, 4)).toBeUndefined();
    expect(writeInWidth(1e-9, 3)).toBeUndefined();
  });

  it('may be filled with zeros behind its sign', () => {
    expect(writeInWidth(-0.25, 10, { fill: '0' })).toBe('-000000.25');
  });

  it.each([
    [1e-7, 14, '     0.0000001'],
    [2.5e6, 12, '   2500000.0'],
    [1 / 3e8, 20, '0.000000003333333333'],
    [123456.789, 6, '123457'],
  ])('may have no exponent: %f in %i characters is "%s"', (value, width, text) => {
    expect(writeInWidth(value, width, { isDecimal: true })).toBe(text);
  });

  it('always has the width, and all digits but seven characters of it', () => {
    const sizes = fc.double({ noNaN: true, min: -99, max: 99 });
    const widths = fc.integer({ min: 8, max: 26 });
    fc.assert(
      fc.property(sizes, fc.constantFrom(-1, 1), widths, (size, sign, width) => {
        const value = sign * 10 ** size;
        const written = writeInWidth(value, width);
        expect(written).toHaveLength(width);
        expect(Math.abs(Number(written) - value)).toBeLessThanOrEqual(Math.abs(value) * 10 ** (1 - (width - 7)));
      }),
    );
  });
});
