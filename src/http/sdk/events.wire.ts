/**
 * The body of a webhook, in the form that the clients of this dialect parse. Its size is limited: a record that does not fit
 * has shorter lists but all the fields that clients require, and a link to the whole record.
 */
import { z } from 'zod';
import { Matrix } from '../../domain/matrix.ts';
import { ANSWER_KINDS, type Answer } from '../../domain/search/answer.ts';
import type { Inverse } from '../../domain/search/inverse.ts';
import {
  EVENT_NAMES,
  type EventForm,
  type EventRecord,
  kindOf,
  type RecordedEvent,
} from '../../domain/webhooks/event.ts';
import { batchSchema, presentBatch } from '../wire/batch.ts';
import { inverseSchema, presentInverse } from './inverses.wire.ts';
import { objectiveSchema, presentObjective } from './objectives.wire.ts';
import { modelPath, objectivePath, trialPath } from './paths.ts';
import { presentProject, projectSchema } from './projects.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';
import { presentTrial, trialSchema } from './trials.wire.ts';

/** Beside optimalInverse, which may be one lucky run where the runs at an input are judged together. */
const answerSchema = z.strictObject({
  kind: z.enum(ANSWER_KINDS),
  inverseId: z.int().nullable().describe('The first run at the input; null for a case.'),
  caseNumber: z.int().nullable().describe('1 for the first input case; null for a run.'),
  input: z.array(z.number()),
  output: z.array(z.number()).describe('The mean of the runs at the input, where they are judged together.'),
  runs: z.int().nullable(),
});

const toldObjectiveSchema = objectiveSchema.extend({ answer: answerSchema.nullable().optional() });

export const eventSchema = z.strictObject({
  ...recordFields,
  name: z.enum(EVENT_NAMES),
  subject: z.string().describe('The record in data, as kind/id.'),
  data: z.union([projectSchema, trialSchema, toldObjectiveSchema, inverseSchema, batchSchema]),
  shortened: z
    .literal(true)
    .optional()
    .describe('Present if data was too large: some of its lists are shorter or empty.'),
  link: z.string().optional().describe('Present together with shortened: the path of the whole record.'),
});

interface Form {
  /** As JSON it matches `data` of eventSchema. */
  readonly data: object;
  readonly isWhole: boolean;
}

/** Its field names and four instants take more than this. */
const FEWEST_INVERSE_BYTES = 250;
/** Likewise for each result; there is one per output. */
const FEWEST_RESULT_BYTES = 200;
/** For a number in a list: a digit and a comma. */
const NUMBER_BYTES = 2;

/** Counts input, output and errors, and the results if there is an output. */
function fewestInverseBytes(size: {
  readonly inputCount: number;
  readonly outputCount: number;
  readonly hasOutput: boolean;
}): number {
  const { inputCount, outputCount, hasOutput } = size;
  const perOutput = hasOutput ? 2 * NUMBER_BYTES + FEWEST_RESULT_BYTES : NUMBER_BYTES;
  return FEWEST_INVERSE_BYTES + NUMBER_BYTES * inputCount + perOutput * outputCount;
}

/** The first form of the record, starting with the whole, that takes at most `maximumBytes`. 16 kB always suffice. */
function render(event: RecordedEvent, record: EventRecord, maximumBytes: number): Buffer {
  let body = Buffer.alloc(0);
  for (const form of formsOf(event, record, maximumBytes)) {
    body = Buffer.from(JSON.stringify(presentEvent(event, record, form)));
    if (body.length <= maximumBytes) break;
  }
  return body;
}

export const sdkEvents: EventForm = { fewestInverseBytes, render };

/** Clients require every record to have updatedAt; an event never changes. */
function presentEvent(event: RecordedEvent, record: EventRecord, { data, isWhole }: Form) {
  return {
    ...presentRecord({ ...event, updatedAt: event.createdAt, disabledAt: null }),
    name: event.name,
    subject: `${kindOf(event.name)}/${event.resourceId}`,
    data,
    ...(!isWhole && { shortened: true as const, link: linkOf(record) }),
  };
}

function linkOf(record: EventRecord): string {
  switch (record.kind) {
    case 'project':
      return modelPath(record.project.modelId);
    case 'trial':
      return trialPath(record.trial.id);
    case 'objective':
    case 'inverse':
      return objectivePath(record.objective.id);
    case 'batch':
      // Only the interface under /v1 has batches.
      return `/v1/batches/${record.batch.id}`;
  }
}

type Recorded<Kind extends EventRecord['kind']> = Extract<EventRecord, { readonly kind: Kind }>;

function formsOf(event: RecordedEvent, record: EventRecord, maximumBytes: number): Iterable<Form> {
  switch (record.kind) {
    case 'project':
      return projectForms(record);
    case 'trial':
      return trialForms(record);
    case 'objective':
      return objectiveForms(event, record, maximumBytes);
    case 'inverse':
      return inverseForms(record);
    case 'batch':
      return batchForms(record);
  }
}

const NO_CASES = Matrix.from([]);

/** Without the records created below it since. */
function* projectForms({ project, inputCases }: Recorded<'project'>): Iterable<Form> {
  const data = presentProject(project, inputCases ?? NO_CASES, []);
  if (inputCases !== null) yield { data, isWhole: true };
  const withoutCases = { ...data, inputCases: [] };
  yield { data: withoutCases, isWhole: false };
  yield { data: { ...withoutCases, minimums: [], maximums: [], inputTypes: [], categories: [] }, isWhole: false };
}

/** Without the records created below it since. */
function* trialForms({ trial, set, outputCases }: Recorded<'trial'>): Iterable<Form> {
  const data = presentTrial(trial, set, outputCases ?? NO_CASES, []);
  if (outputCases !== null) yield { data, isWhole: true };
  yield { data: { ...data, outputCases: [] }, isWhole: false };
}

function* inverseForms({ objective, inverse }: Recorded<'inverse'>): Iterable<Form> {
  const data = presentInverse(objective, inverse);
  yield { data, isWhole: true };
  yield { data: withoutResults(data), isWhole: false };
  yield { data: withoutLists(data), isWhole: false };
}

const LONGEST_SHORTENED_REASON = 1_000;

function* batchForms({ batch }: Recorded<'batch'>): Iterable<Form> {
  const data = presentBatch(batch);
  yield { data, isWhole: true };
  const failureReason = data.failureReason?.slice(0, LONGEST_SHORTENED_REASON).toWellFormed() ?? null;
  yield { data: { ...data, failureReason }, isWhole: false };
}

type PresentedInverse = z.infer<typeof inverseSchema>;

function withoutResults(inverse: PresentedInverse): PresentedInverse {
  return { ...inverse, results: [] };
}

function withoutLists(inverse: PresentedInverse): PresentedInverse {
  return { ...inverse, input: [], output: [], errors: [], results: [] };
}

/** As many of the newest inverses as fit; if not even the last one does, less and less of that one. */
function* objectiveForms(event: RecordedEvent, record: Recorded<'objective'>, maximumBytes: number): Iterable<Form> {
  const { objective, isCut } = record;
  const present = (inverse: Inverse) => presentInverse(objective, inverse);
  const optimalInverse = record.optimalInverse && present(record.optimalInverse);
  const answer = record.answer && presentAnswer(record.answer);
  const bare = { ...presentObjective({ ...objective, inverses: [] }), optimalInverse, answer };
  const bytesLeft = (isWhole: boolean) => maximumBytes - bytesOf(presentEvent(event, record, { data: bare, isWhole }));
  const newest = takeNewest(objective.inverses, present, bytesLeft(true));
  if (!isCut && newest.length === objective.inverses.length) {
    yield { data: { ...bare, inverses: newest }, isWhole: true };
  }
  const fitting = takeNewest(newest, (shown) => shown, bytesLeft(false));
  if (fitting.length > 0) yield { data: { ...bare, inverses: fitting }, isWhole: false };
  const last = objective.inverses.slice(-1).map(present);
  for (const shorten of [withoutResults, withoutLists]) {
    const lists = shorten === withoutLists && NO_LISTS;
    const shortAnswer = answer && lists ? { ...answer, input: [], output: [] } : answer;
    const data = { ...bare, ...lists, answer: shortAnswer, optimalInverse: optimalInverse && shorten(optimalInverse) };
    yield { data: { ...data, inverses: last.map(shorten) }, isWhole: false };
  }
}

function presentAnswer({ kind, source, input, output, runs }: Answer): z.infer<typeof answerSchema> {
  return {
    kind,
    inverseId: source.kind === 'inverse' ? source.id : null,
    caseNumber: source.kind === 'case' ? source.number + 1 : null,
    input: [...input],
    output: [...output],
    runs,
  };
}

/** The last items, in their order, that together take at most `bytes` as a list. */
function takeNewest<T>(items: readonly T[], present: (item: T) => PresentedInverse, bytes: number): PresentedInverse[] {
  const taken: PresentedInverse[] = [];
  let left = bytes;
  for (const item of items.toReversed()) {
    const shown = present(item);
    left -= bytesOf(shown) + ','.length;
    if (left < 0) break;
    taken.unshift(shown);
  }
  return taken;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const NO_LISTS = { objectives: [], objectiveTypes: [], minimumBounds: [], maximumBounds: [] };
