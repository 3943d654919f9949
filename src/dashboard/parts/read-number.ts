/** Numbers as people type them and spreadsheets copy them. Needs no browser. */

export type NumberRead =
  | { readonly value: number; readonly fault?: undefined }
  | { readonly value?: undefined /** The error, and what to write instead. */; readonly fault: string };

const NUMBER = /^[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?$/i;
/** Digits in groups of three, with another mark, or none, before the fraction. */
const GROUPED = /^[+-]?\d{1,3}(([.,'’\s]\d{3}){2,}|[.,'’\s]\d{3}(?=[.,]\d)|['’\s]\d{3}(?!\d))([.,]\d*)?$/;
/** Three digits after the only separator, which may be a decimal sign or separate thousands. */
export const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
/** Groups of thousands as this page and some languages print them: such spaces are never typed between two numbers. */
const SPACED = /^[+-]?\d{1,3}([\u00a0\u2009\u202f]\d{3})+(?!\d)/;
const WITH_UNIT = /^([+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?)\s*[^\s\d.,].*$/i;

/**
 * A finite number, with a decimal point or a decimal comma, and with an exponent or without. A comma before three digits is
 * refused where it may separate thousands.
 */
export function readNumber(text: string): NumberRead {
  const trimmed = text.trim().replaceAll('\u2212', '-');
  const plain = SPACED.test(trimmed) ? trimmed.replace(/[\u00a0\u2009\u202f]/g, '') : trimmed;
  if (plain === '') return { fault: 'A number is missing.' };
  if (plain.includes(',') && AMBIGUOUS.test(plain)) {
    return {
      fault: `${plain} can mean ${plain.replace(',', '.')} or ${plain.replace(',', '')}. Write the one you mean.`,
    };
  }
  if (NUMBER.test(plain)) {
    const value = Number(plain.replace(',', '.'));
    return Number.isFinite(value) ? { value } : { fault: `${shorten(plain)} is too large for a number.` };
  }
  if (GROUPED.test(plain)) return { fault: `Write ${shorten(plain)} without marks between the thousands.` };
  const unit = WITH_UNIT.exec(plain);
  if (unit) return { fault: `Write only the number: ${unit[1]}.` };
  return { fault: `“${shorten(plain)}” is not a number. Write it like 12.5 or 1.2e-3.` };
}

/** Whether the text has the form of one number, whatever its comma means. */
export function isNumeral(text: string): boolean {
  return NUMBER.test(text.trim().replaceAll('\u2212', '-'));
}

/** The same, also with thousands separators. */
export function looksLikeNumber(text: string): boolean {
  return isNumeral(text) || GROUPED.test(text.trim().replaceAll('\u2212', '-'));
}

/** The text of a number without marks between thousands, with a decimal point. */
export function decimal(text: string, sign: 'comma' | 'point'): string {
  return sign === 'comma' ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '');
}

function shorten(text: string): string {
  return text.length > 30 ? `${text.slice(0, 29)}…` : text;
}
