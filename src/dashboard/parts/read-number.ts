/** Numbers as people type them and spreadsheets copy them. Needs no browser. */

export type NumberRead =
  | { readonly value: number; readonly fault?: undefined }
  | { readonly value?: undefined /** What is wrong and what to write instead. */; readonly fault: string };

const NUMBER = /^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i;
/** Digits in groups of three, with another mark, or none, before the fraction. */
const GROUPED = /^[+-]?\d{1,3}(([.,'’\s]\d{3}){2,}|[.,'’\s]\d{3}(?=[.,]\d)|['’\s]\d{3}(?!\d))([.,]\d*)?$/;
const WITH_UNIT = /^([+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?)\s*[^\s\d.,].*$/i;

/** A finite number, with a decimal point or a decimal comma, and with an exponent or without. */
export function readNumber(text: string): NumberRead {
  const plain = text.trim().replace(/^\u2212/, '-');
  if (plain === '') return { fault: 'A number is missing.' };
  if (NUMBER.test(plain)) {
    const value = Number(plain.replace(',', '.'));
    return Number.isFinite(value) ? { value } : { fault: `${shorten(plain)} is too large for a number.` };
  }
  if (GROUPED.test(plain)) return { fault: `Write ${shorten(plain)} without marks between the thousands.` };
  const unit = WITH_UNIT.exec(plain);
  if (unit) return { fault: `Write only the number: ${unit[1]}.` };
  return { fault: `“${shorten(plain)}” is not a number. Write it like 12.5 or 1.2e-3.` };
}

/** Whether it can be read as a number. */
export function isNumber(text: string): boolean {
  return readNumber(text).fault === undefined;
}

function shorten(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}
