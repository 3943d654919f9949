/** Numbers in the spaces of templates, which programs of fixed columns read. */

export interface NumberStyle {
  /** Before a number that is shorter than its space, behind the sign. */
  readonly fill?: ' ' | '0';
  /** Without an exponent. */
  readonly isDecimal?: boolean;
}

/**
 * The text of exactly `width` characters, blanks in front, that comes nearest to the value: with a decimal point, since Fortran counts
 * decimals where it is missing, unless that costs all digits. Undefined where the value does not fit with one right digit.
 */
export function writeInWidth(
  value: number,
  width: number,
  { fill = ' ', isDecimal = false }: NumberStyle = {},
): string | undefined {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const room = width - sign.length;
  const magnitude = Math.abs(value);
  const fits = candidatesOf(magnitude, room, isDecimal).filter((text) => text.length <= room);
  const pointed = nearest(fits.filter(hasPoint), magnitude) ?? nearest(fits, magnitude);
  if (pointed === undefined) return undefined;
  return fill === '0' ? sign + pointed.padStart(room, '0') : (sign + pointed).padStart(width);
}

const DIGITS = 17;
/** Limit of toFixed. */
const MOST_DECIMALS = 100;
/** A relative error that no model notices. */
const ENOUGH = 1e-9;

/** The usual ways to write a number first, those that save characters after them. */
function candidatesOf(magnitude: number, room: number, isDecimal: boolean): readonly string[] {
  const found: string[] = [];
  const shortest = String(magnitude);
  if (!shortest.includes('e')) found.push(shortest.includes('.') ? shortest : `${shortest}.0`);
  found.push(withPoint(magnitude.toExponential()));
  for (let digits = Math.min(isDecimal ? MOST_DECIMALS : DIGITS, room); digits >= 1; digits--) {
    if (magnitude < 1e21) found.push(withoutZeros(magnitude.toFixed(digits)));
    if (digits <= DIGITS) found.push(withPoint(magnitude.toExponential(digits - 1)));
  }
  if (magnitude < 1e21) found.push(`${magnitude.toFixed(0)}.`, magnitude.toFixed(0));
  for (let digits = 0; digits < Math.min(DIGITS, room); digits++) found.push(magnitude.toExponential(digits));
  const allowed = isDecimal ? found.filter((text) => !text.includes('e')) : found;
  // JSON, for one, knows only the usual ways.
  const isEnough = allowed.some(
    (text) => text.length <= room && Math.abs(Number(text) - magnitude) <= ENOUGH * magnitude,
  );
  return isEnough ? allowed : [...allowed, ...allowed.map(shortened)];
}

function hasPoint(text: string): boolean {
  return text.includes('.');
}

function withPoint(exponential: string): string {
  return exponential.includes('.') ? exponential : exponential.replace('e', '.0e');
}

function withoutZeros(fixed: string): string {
  return fixed.replace(/(\.\d+?)0+$/, '$1');
}

/** `.5` for `0.5`, `1.e9` for `1.0e+9`. */
function shortened(text: string): string {
  return text
    .replace(/^0\./, '.')
    .replace('e+', 'e')
    .replace(/\.0(?=e|$)/, '.');
}

/** The first of those that are equally near; undefined where none has a right digit. */
function nearest(texts: readonly string[], magnitude: number): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    const error = Math.abs(Number(text) - magnitude);
    if (error < least) [best, least] = [text, error];
  }
  return least <= magnitude / 2 ? best : undefined;
}
