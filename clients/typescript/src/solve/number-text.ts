/** Numbers as programs write them. */

/**
 * Also with the exponent letter D of Fortran, or its three digits without a letter (1.5-103), and the ways to write what is not finite,
 * which become NaN. Undefined if it is none of them.
 */
export function readNumber(given: string): number | undefined {
  const text = given.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?$/.test(text)) return Number(text.replace(/[dD]/, 'e'));
  const [, mantissa, exponent] = /^([+-]?(?:\d+\.\d*|\.\d+))([+-]\d{3})$/.exec(text) ?? [];
  // Beyond the range of a double these are two columns that touch: 2.000-548.
  if (mantissa !== undefined) return Math.abs(Number(exponent)) > 330 ? undefined : Number(`${mantissa}e${exponent}`);
  if (/^[+-]?(nan(\(\w*\))?|inf|infinity|\*+|1\.#(inf|ind|qnan)\d*)$/i.test(text)) return Number.NaN;
  return undefined;
}

/** Whether two texts of numbers are the same to the last digit: 1.0 and 1e0 are. */
export function isSameNumber(a: string, b: string): boolean {
  return a === b || exactDigits(a) === exactDigits(b);
}

/** Sign, digits without zeros at either end, and the power of ten of the last one. */
function exactDigits(text: string): string {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eEdD]?([+-]?\d+))?$/.exec(text.trim());
  if (match === null) return text;
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  const digits = `${whole}${decimals}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - decimals.length + digits.length - kept.length}`;
}
