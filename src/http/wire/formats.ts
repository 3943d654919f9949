/** The formats of answers with rows, and how a client chooses one by the Accept header (RFC 9110, section 12.5.1). */
export type AnswerFormat = 'json' | 'csv' | 'ndjson';

export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<AnswerFormat, string>;

/** Of equal weights the first counts; a range such as application/* means JSON. */
const FORMATS = ['json', 'csv', 'ndjson'] as const;
/** Known headers are shorter. */
const READ_LENGTH = 1_000;

/** The format that Accept prefers; JSON if it names none of them, as everywhere under /v1. */
export function formatOf(accept: string | undefined): AnswerFormat {
  const weights = new Map<string, number>();
  for (const part of (accept ?? '').slice(0, READ_LENGTH).toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (format: AnswerFormat): number => {
    const type = MEDIA_TYPES[format];
    const named = weights.get(type);
    if (named !== undefined || format !== 'json') return named ?? 0;
    return weights.get('application/*') ?? weights.get('*/*') ?? 0;
  };
  let best: AnswerFormat = 'json';
  for (const format of FORMATS) if (weightOf(format) > weightOf(best)) best = format;
  return best;
}
