/** Fields that several resources share. */
import { z } from 'zod';
import type { LengthRange } from './vectors.ts';

/**
 * Text with a limited number of characters (code points). NUL is refused because Postgres cannot store it, and a lone
 * surrogate because it would not come back unchanged.
 */
export function textSchema(length: LengthRange) {
  return z
    .string()
    .superRefine((text, issues) => {
      const fault = textFault(text, length);
      if (fault !== undefined) issues.addIssue({ code: 'custom', message: fault, input: text });
    })
    .meta({ minLength: length.minimum, maxLength: length.maximum });
}

function textFault(text: string, length: LengthRange): string | undefined {
  // A character is one or two UTF-16 units: text that is far too long is refused before it is split.
  const count = text.length > 2 * length.maximum ? text.length : [...text].length;
  if (count < length.minimum) return `must have at least ${length.minimum} characters, has ${count}.`;
  if (count > length.maximum) return `must have at most ${length.maximum} characters, has ${count}.`;
  if (text.includes('\u0000')) return 'must not contain the NUL character.';
  if (!text.isWellFormed()) return 'must be valid Unicode: it contains half of a surrogate pair.';
  return undefined;
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
