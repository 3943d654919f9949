/** The formats of answers, and how a client chooses one by the Accept header (RFC 9110, section 12.5.1). */
import { z } from 'zod';

export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  pdf: 'application/pdf',
  bytes: 'application/octet-stream',
  jpeg: 'image/jpeg',
} as const;

export type AnswerFormat = keyof typeof MEDIA_TYPES;

/** Bytes, in the OpenAPI document. */
export const bytesSchema = z.string().meta({ format: 'binary' });
export const workbookSchema = z.string().meta({
  format: 'binary',
  description: 'A workbook of one sheet with the columns of the CSV file; numbers are numbers.',
});

/** Formats of answers with rows. */
export const ROW_FORMATS = ['json', 'csv', 'ndjson', 'xlsx'] as const satisfies readonly AnswerFormat[];
export type RowFormat = Exclude<(typeof ROW_FORMATS)[number], 'json'>;

/** Known headers are shorter. */
const READ_LENGTH = 1_000;

/** The format that Accept prefers; of equal weights, and if it names none of them, the first. A range such as text/* means the first. */
export function formatOf(accept: string | undefined, offered: readonly AnswerFormat[]): AnswerFormat {
  const weights = new Map<string, number>();
  for (const part of (accept ?? '').slice(0, READ_LENGTH).toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const [first] = offered as readonly [AnswerFormat];
  const weightOf = (format: AnswerFormat): number => {
    const type = MEDIA_TYPES[format];
    const named = weights.get(type);
    if (named !== undefined || format !== first) return named ?? 0;
    return weights.get(type.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0;
  };
  let best = first;
  for (const format of offered) if (weightOf(format) > weightOf(best)) best = format;
  return best;
}
