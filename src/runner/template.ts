/**
 * Inputs in texts: `{{name}}` in template files and `{name}` in arguments, each with an optional format such as `{{length:.6e}}`.
 * A format is [align][sign][0][width][.precision][type]: align <, > or ^, sign + or a space, type d, e, E, f, g, G or s, all as in C
 * and Python. Without one a number is written with as many digits as identify it.
 */
import { LocalFault } from '../../clients/typescript/src/evaluator/evaluation.ts';

/** The inputs of one evaluation by name: the text of a category, the number of everything else. */
export type InputValues = Readonly<Record<string, number | string | boolean>>;

/** A text with placeholders. */
export interface Template {
  /** Throws LocalFault if it names another input, or if it asks for an impossible format. */
  check(names: readonly string[]): void;
  /** Throws as check does, and if a value does not fit its format. */
  render(values: InputValues): string;
}

type Piece = string | { readonly inner: string };

/** `origin` names the text in messages. In a file, `\{{` stands for `{{`. */
export function parseFileTemplate(text: string, origin: string): Template {
  return makeTemplate(
    split(text, /\\\{\{|\{\{([^{}]*)\}\}/g, () => '{{'),
    origin,
  );
}

/**
 * In an argument, `{{text}}` stands for `{text}`. Braces around what can be neither a name nor a name with a format, as in JSON, are
 * text.
 */
export function parseArgument(text: string, origin: string): Template {
  const pieces = split(text, /\{\{[^{}]*\}\}|\{(\p{L}[^{}"'$;|&\n]*)\}/gu, (whole) => whole.slice(1, -1));
  return makeTemplate(pieces, origin);
}

/** Where the pattern has its group a placeholder, elsewhere what `escaped` makes of it. */
function split(text: string, pattern: RegExp, escaped: (whole: string) => string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(end, match.index));
    pieces.push(match[1] === undefined ? escaped(match[0]) : { inner: match[1].trim() });
    end = match.index + match[0].length;
  }
  return [...pieces, text.slice(end)];
}

function makeTemplate(pieces: readonly Piece[], origin: string): Template {
  const placeholders = pieces.filter((piece) => typeof piece !== 'string');
  return {
    check(names) {
      const known = new Set(names);
      for (const { inner } of placeholders) findName(inner, known, origin);
    },
    render(values) {
      const known = new Set(Object.keys(values));
      const write = ({ inner }: { readonly inner: string }): string => {
        const { name, format } = findName(inner, known, origin);
        const value = values[name]!;
        return format === undefined ? String(value) : formatValue(value, format, `${origin}: ${inner}`);
      };
      return pieces.map((piece) => (typeof piece === 'string' ? piece : write(piece))).join('');
    },
  };
}

interface Found {
  readonly name: string;
  readonly format: Format | undefined;
}

/** A name may contain a colon itself. */
function findName(inner: string, known: ReadonlySet<string>, origin: string): Found {
  if (known.has(inner)) return { name: inner, format: undefined };
  const colon = inner.lastIndexOf(':');
  const name = colon < 0 ? inner : inner.slice(0, colon).trimEnd();
  if (!known.has(name)) {
    throw new LocalFault(`${origin}: there is no input "${name}"; the inputs are ${[...known].join(', ')}.`);
  }
  return { name, format: parseFormat(inner.slice(colon + 1), `${origin}: ${inner}`) };
}

interface Format {
  readonly align: string | undefined;
  readonly sign: string;
  readonly isZeroFilled: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string | undefined;
}

const MAXIMUM_PRECISION = 50;
const MAXIMUM_WIDTH = 200;

function parseFormat(text: string, origin: string): Format {
  const match = /^([<>^])?([+ ])?(0)?(\d{1,3})?(?:\.(\d{1,2}))?([deEfgGs])?$/.exec(text);
  const width = Number(match?.[4] ?? 0);
  const precision = match?.[5] === undefined ? undefined : Number(match[5]);
  if (match === null || width > MAXIMUM_WIDTH || (precision ?? 0) > MAXIMUM_PRECISION) {
    throw new LocalFault(`${origin}: "${text}" is no format; write one such as .6e, .3f, 10.4g or 05d.`);
  }
  const [, align, sign = '', zero, , , type] = match;
  return { align, sign, isZeroFilled: zero !== undefined, width, precision, type };
}

function formatValue(given: InputValues[string], format: Format, origin: string): string {
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
