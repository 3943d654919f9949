/** Numbers as people write them into files. */

/** Decimal digits with a point, and an exponent. Written so that matching takes time in proportion to the text. */
const WITH_POINT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const WITH_COMMA = /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][+-]?\d+)?$/;
/** Longer texts are no measurements. */
const LONGEST = 400;

export type DecimalMark = '.' | ',';

/** The number that a text writes, possibly infinite; undefined if it writes none with this decimal mark. */
export function parseDecimal(text: string, mark: DecimalMark): number | undefined {
  if (text.length > LONGEST) return undefined;
  if (mark === '.') return WITH_POINT.test(text) ? Number(text) : undefined;
  return WITH_COMMA.test(text) ? Number(text.replace(',', '.')) : undefined;
}

/** The decimal mark that a number is written with; undefined for whole numbers and other texts. */
export function decimalMarkOf(text: string): DecimalMark | undefined {
  const mark = text.includes(',') ? ',' : '.';
  return text.includes(mark) && parseDecimal(text, mark) !== undefined ? mark : undefined;
}
