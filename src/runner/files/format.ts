/**
 * Formats of placeholders: [align][sign][0][width][.precision][type]: align <, > or ^, sign + or a space, type d, e, E, f, g, G or s, all as
 * in C and Python, but that a value that is wider than the width is refused: in a file of fixed columns it would shift what follows. Without a
 * format a number is written with as many digits as identify it.
 */
import { LocalFault } from '../../../clients/typescript/src/evaluator/evaluation.ts';

/** The text of a category, the number of everything else. */
export type Writable = number | string | boolean;

export interface Format {
  readonly align: string | undefined;
  readonly sign: string;
  readonly isZeroFilled: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string | undefined;
}

const MAXIMUM_PRECISION = 50;
const MAXIMUM_WIDTH = 200;

/** Throws LocalFault. */
export function parseFormat(text: string, origin: string): Format {
  const match = /^([<>^])?([+ ])?(0)?(\d{1,3})?(?:\.(\d{1,2}))?([deEfgGs])?$/.exec(text);
  const width = Number(match?.[4] ?? 0);
  const precision = match?.[5] === undefined ? undefined : Number(match[5]);
  if (match === null || width > MAXIMUM_WIDTH || (precision ?? 0) > MAXIMUM_PRECISION) {
    throw new LocalFault(`${origin}: "${text}" is not a format; write one such as .6e, .3f, 10.4g or 05d.`);
  }
  const [, align, sign = '', zero, , , type] = match;
  return { align, sign, isZeroFilled: zero !== undefined, width, precision, type };
}

/** Throws LocalFault where the value is of another type or wider than the width. */
export function formatValue(given: Writable, format: Format, origin: string): string {
  const text = write(given, format, origin);
  if (format.width === 0 || text.length <= format.width) return text;
  throw new LocalFault(`${origin}: ${text} takes ${text.length} characters, but the width is ${format.width}`);
}

/** As parseFormat reads it. */
export function describeFormat({ align = '', sign, isZeroFilled, width, precision, type = '' }: Format): string {
  const zero = isZeroFilled ? '0' : '';
  return `${align}${sign}${zero}${width === 0 ? '' : width}${precision === undefined ? '' : `.${precision}`}${type}`;
}

function write(given: Writable, format: Format, origin: string): string {
  if (typeof given === 'string') {
    if (format.type !== undefined && format.type !== 's') {
      throw new LocalFault(`${origin}: the value "${given}" is a text, so its format is s.`);
    }
    return pad(given.slice(0, format.precision ?? given.length), format.width, format.align ?? '<');
  }
  const value = Number(given);
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? '-' : format.sign;
  const digits = formatMagnitude(Math.abs(value), format, origin);
  if (format.isZeroFilled && format.align === undefined) return sign + digits.padStart(format.width - sign.length, '0');
  return pad(sign + digits, format.width, format.align ?? '>');
}

function formatMagnitude(value: number, { precision, type }: Format, origin: string): string {
  switch (type) {
    case 'd':
      if (!Number.isInteger(value)) throw new LocalFault(`${origin}: ${value} is not a whole number.`);
      return BigInt(value).toString();
    case 'e':
    case 'E': {
      const text = writeExponential(value, precision ?? 6);
      return type === 'E' ? text.toUpperCase() : text;
    }
    case 'f':
      return writeFixed(value, precision ?? 6);
    case 'g':
    case 'G': {
      const text = writeGeneral(value, precision ?? 6);
      return type === 'G' ? text.toUpperCase() : text;
    }
    default:
      return precision === undefined ? String(value) : writeGeneral(value, precision);
  }
}

/** The exponent has two digits at least. */
function writeExponential(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function writeFixed(value: number, precision: number): string {
  // From here on toFixed writes an exponent; every such number is whole.
  if (value >= 1e21) return BigInt(value).toString() + (precision === 0 ? '' : `.${'0'.repeat(precision)}`);
  return value.toFixed(precision);
}

/** As %g in C: fixed where the exponent lies in -4..precision-1, without trailing zeros. */
function writeGeneral(value: number, given: number): string {
  const precision = Math.max(1, given);
  const exponent = Number(/e(.*)$/.exec(value.toExponential(precision - 1))![1]);
  if (exponent >= -4 && exponent < precision) {
    return withoutTrailingZeros(writeFixed(value, precision - 1 - exponent));
  }
  const [mantissa, power] = writeExponential(value, precision - 1).split('e');
  return `${withoutTrailingZeros(mantissa!)}e${power}`;
}

function withoutTrailingZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function pad(text: string, width: number, align: string): string {
  if (align === '<') return text.padEnd(width);
  if (align === '>') return text.padStart(width);
  return text.padStart(text.length + Math.floor(Math.max(0, width - text.length) / 2)).padEnd(width);
}
