/** Interprets an http evaluator's answer. */
import { type ByName, isByName } from '../problem/names.ts';

export type EvaluatorOutcome =
  | { readonly kind: 'output'; readonly output: readonly number[]; readonly byName?: ByName }
  /** It reports later, under the lease. */
  | { readonly kind: 'later' }
  | { readonly kind: 'failure'; readonly reason: string; readonly isRetryable: boolean }
  /** It cannot take the evaluation now: no try is counted. */
  | { readonly kind: 'away'; readonly reason: string };

const SHOWN_LENGTH = 500;
/** Statuses of a temporary failure; 429 and 503 say that nothing was run. */
const RETRYABLE = new Set([408, 425]);
const AWAY = new Set([429, 503]);

/** @param body  null: longer than it may be */
export function readEvaluatorAnswer(status: number, body: string | null): EvaluatorOutcome {
  if (status === 202) return { kind: 'later' };
  if (AWAY.has(status)) return { kind: 'away', reason: `the evaluator answered ${status}` };
  if (status >= 300 && status < 400) {
    return failure(`the evaluator answered ${status}; redirects are not followed`, false);
  }
  if (status < 200 || status >= 300) {
    const isRetryable = status >= 500 || RETRYABLE.has(status);
    const stated = reasonIn(body);
    return failure(`the evaluator answered ${status}${stated === undefined ? '' : `: ${stated}`}`, isRetryable);
  }
  if (body === null) return failure('the answer of the evaluator is longer than 1 MiB', true);
  return readOutcome(parseObject(body));
}

function readOutcome(answer: Readonly<Record<string, unknown>> | undefined): EvaluatorOutcome {
  if (answer?.['failed'] === true) {
    return failure(textOf(answer['reason']) ?? 'the evaluator gave no reason', answer['retryable'] === true);
  }
  const output = answer?.['output'];
  if (Array.isArray(output) && output.every((value) => typeof value === 'number' && Number.isFinite(value))) {
    return { kind: 'output', output };
  }
  if (isByName(output)) return { kind: 'output', output: [], byName: output };
  const wanted = '{"output": [numbers]}, {"output": {"name": number}} or {"failed": true, "reason": "..."}';
  return failure(`the evaluator did not answer with ${wanted}`, true);
}

function failure(reason: string, isRetryable: boolean): EvaluatorOutcome {
  return { kind: 'failure', reason, isRetryable };
}

function reasonIn(body: string | null): string | undefined {
  const answer = body === null ? undefined : parseObject(body);
  return textOf(answer?.['reason']) ?? textOf(answer?.['detail']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? toStorableReason(value) : undefined;
}

/** The beginning of a text with words of an evaluator. The database stores no NUL and no half of a surrogate pair. */
export function toStorableReason(words: string): string {
  const text = words.replaceAll('\u0000', '').toWellFormed();
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}...` : text;
}

function parseObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isByName(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
