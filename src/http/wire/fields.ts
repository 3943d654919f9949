/** Fields that several resources share. */
import { z } from 'zod';
import type { LengthRange } from './vectors.ts';

/**
 * Text with a limited number of characters (code points). NUL is refused because Postgres cannot store it, and a lone
 * surrogate because it would not come back unchanged.
 */
export function textSchema(length: LengthRange) {
  return limitedText(length, (text) => textFault(text, length));
}

/**
 * The same for names, labels and units under /v1, which programs print as lines and in terminals. Names stored before this
 * rule, or under /api, are still answered.
 */
export function nameSchema(length: LengthRange) {
  return limitedText(length, (text) => textFault(text, length) ?? controlFault(text));
}

function limitedText(length: LengthRange, faultOf: (text: string) => string | undefined) {
  return z
    .string()
    .superRefine((text, issues) => {
      const fault = faultOf(text);
      if (fault !== undefined) issues.addIssue({ code: 'custom', message: fault, input: text });
    })
    .meta({ minLength: length.minimum, maxLength: length.maximum });
}

/** Line breaks, terminal control characters, and characters that change the direction of a line. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function controlFault(text: string): string | undefined {
  return CONTROL.test(text) ? 'must not contain control characters, such as line breaks, tabs and escapes.' : undefined;
}

function textFault(text: string, length: LengthRange): string | undefined {
  // A character is one or two UTF-16 units: text that is far too long is refused before it is split.
  const count = text.length > 2 * length.maximum ? text.length : [...text].length;
  if (count < length.minimum) return `must have at least ${length.minimum} characters, has ${count}.`;
  if (count > length.maximum) return `must have at most ${length.maximum} characters, has ${count}.`;
  return characterFault(text);
}

/** Characters that the database cannot store, or would not return unchanged. */
export function characterFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain the NUL character.';
  return text.isWellFormed() ? undefined : 'must be valid Unicode: it contains half of a surrogate pair.';
}

export const positiveInteger = z.int().positive();

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });

/** An instant as clients send it: ISO 8601 with an offset from UTC, up to the year 9999. Read as a Date. */
export const instant = z
  .string()
  .refine(isInstant, 'must be a date and time with an offset, such as 2026-01-31T12:00:00Z.')
  .transform((text) => new Date(text))
  .meta({ format: 'date-time', examples: ['2099-12-31T12:00:00Z'] });

const isoDatetime = z.iso.datetime({ offset: true });

function isInstant(text: string): boolean {
  return isoDatetime.safeParse(text).success && new Date(text).getUTCFullYear() <= 9_999;
}

export function toTimestamp(instant: Date): string {
  return instant.toISOString();
}

export function toOptionalTimestamp(instant: Date | null): string | null {
  return instant === null ? null : instant.toISOString();
}
