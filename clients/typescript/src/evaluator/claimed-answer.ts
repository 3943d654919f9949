/** Answers to an evaluator, checked before they are used: numbers of evaluations name folders, and inputs reach a program. */
import type { Evaluation } from './evaluation.ts';

/** Thrown for an answer that does not follow the interface of the service. The message names the first fault. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

type Rule = readonly [check: (value: unknown) => boolean, wanted: string];

const MAXIMUM_TEXT_LENGTH = 1_000;
const MAXIMUM_VALUES = 10_000;
const SHOWN_LENGTH = 60;

const isText = (value: unknown) => typeof value === 'string' && value.length <= MAXIMUM_TEXT_LENGTH;
const isId = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isList = (value: unknown, isOne: (one: unknown) => boolean) =>
  Array.isArray(value) && value.length <= MAXIMUM_VALUES && value.every(isOne);

const ID: Rule = [isId, 'a whole number from 1'];
const ID_OR_NULL: Rule = [(value) => value === null || isId(value), 'a whole number from 1, or null'];
const TEXT: Rule = [isText, `text of at most ${MAXIMUM_TEXT_LENGTH} characters`];
const FLAG: Rule = [(value) => typeof value === 'boolean', 'true or false'];

const EVALUATION: Readonly<Record<keyof Evaluation, Rule>> = {
  id: ID,
  leaseToken: TEXT,
  leaseExpiresAt: TEXT,
  try: ID,
  maximumTries: ID,
  kind: TEXT,
  modelId: ID,
  projectId: ID,
  batchId: ID,
  trialId: ID_OR_NULL,
  objectiveId: ID_OR_NULL,
  inverseId: ID_OR_NULL,
  // Services of earlier releases do not send it.
  iteration: [(value) => value == null || isId(value), 'a whole number from 1, or null'],
  caseNumber: ID_OR_NULL,
  source: [(value) => value == null || isText(value), 'text or null'],
  input: [(value) => isList(value, Number.isFinite), 'a list of numbers'],
  inputByName: [isNamed, 'an object with a number, a text or a boolean for each name'],
  outputNames: [(value) => isList(value, isText), 'a list of names'],
  outputCount: ID,
  timeoutSeconds: [(value) => Number.isFinite(value) && (value as number) > 0, 'a positive number'],
};

/** The evaluations of a claim of at most `limit`. Throws AnswerError. */
export function readEvaluations(body: unknown, limit: number): readonly Evaluation[] {
  const evaluations = (body as { readonly evaluations?: unknown } | null)?.evaluations;
  if (!Array.isArray(evaluations) || evaluations.length > limit)
    throw fault('evaluations', `a list of at most ${limit}`, evaluations);
  for (const [i, evaluation] of evaluations.entries()) checkFields(evaluation, EVALUATION, `evaluations[${i}].`);
  return evaluations as Evaluation[];
}

/** Whether the output is still wanted. Throws AnswerError. */
export function readHeartbeat(body: unknown): { readonly isWanted: boolean } {
  checkFields(body, { isWanted: FLAG });
  return body as { isWanted: boolean };
}

/** The state of an evaluation, and its inverse where it has one. Throws AnswerError. */
export function readState(body: unknown): {
  readonly state: string;
  readonly inverse?: { readonly status: string } | null;
} {
  checkFields(body, { state: TEXT });
  const { inverse } = body as { readonly inverse?: unknown };
  if (inverse !== undefined && inverse !== null) checkFields(inverse, { status: TEXT }, 'inverse.');
  return body as { state: string; inverse?: { status: string } | null };
}

function isNamed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isValue = (one: unknown) => Number.isFinite(one) || typeof one === 'boolean' || isText(one);
  const entries = Object.entries(value);
  return entries.length <= MAXIMUM_VALUES && entries.every(([name, one]) => isText(name) && isValue(one));
}

function checkFields(value: unknown, rules: Readonly<Record<string, Rule>>, prefix = ''): void {
  for (const [name, [check, wanted]] of Object.entries(rules)) {
    const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (!check(found)) throw fault(`${prefix}${name}`, wanted, found);
  }
}

function fault(field: string, wanted: string, found: unknown): AnswerError {
  const shown = JSON.stringify(found)?.slice(0, SHOWN_LENGTH) ?? 'missing';
  return new AnswerError(
    `The answer comes from no Backsolve service: ${field} must be ${wanted}, is ${shown}. Check the address.`,
  );
}
