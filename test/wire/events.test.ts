/** Bodies of events: complete if they fit, otherwise shortened so that every client can still read them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_RUN } from '../../src/domain/data/run-fields.ts';
import { Matrix } from '../../src/domain/matrix.ts';
import { NO_NAMES } from '../../src/domain/problem/names.ts';
import type { Inverse } from '../../src/domain/search/inverse.ts';
import type { ObjectiveWithInverses } from '../../src/domain/search/objective.ts';
import type { EventName, EventRecord, RecordedEvent } from '../../src/domain/webhooks/event.ts';
import { eventSchema, sdkEvents } from '../../src/http/sdk/events.wire.ts';
import { presentInverse } from '../../src/http/sdk/inverses.wire.ts';
import { CLIENT_READERS } from '../http/sdk/client-readers.ts';
import { history, instants } from '../support/histories.ts';
import { LEARNS_ALONE } from '../support/learns-alone.ts';
import { NOTHING_JUDGED } from '../support/nothing-judged.ts';

/** The smallest permitted setting. */
const SMALLEST_LIMIT = 16 * 1024;

function eventOf(name: EventName, resourceId = 1): RecordedEvent {
  return { id: 9, accountId: 1, name, resourceId, createdAt: new Date(0) };
}

function render(event: RecordedEvent, record: EventRecord, maximumBytes: number) {
  const bytes = sdkEvents.render(event, record, maximumBytes);
  const body = JSON.parse(new TextDecoder().decode(bytes));
  const { kind } = record;
  expect(eventSchema.safeParse(body).error).toBeUndefined();
  // Published clients know no batches.
  const readers = kind === 'batch' ? [] : Object.values(CLIENT_READERS).map((reader) => reader[kind]);
  for (const reader of readers) expect(reader.safeParse(body.data).error).toBeUndefined();
  return { bytes, body };
}

/** An objective as read for its event: inverses with an input, and the optimal one. */
function recordOf(objective: ObjectiveWithInverses, isCut = false): Extract<EventRecord, { kind: 'objective' }> {
  const optimalInverse = objective.inverses.find(({ id }) => id === objective.optimalInverseId) ?? null;
  const inverses = objective.inverses.filter(({ input }) => input !== null);
  return { kind: 'objective', objective: { ...objective, inverses }, optimalInverse, answer: null, isCut };
}

/** An objective with this many outputs and completed inverses, of which the first is the best. */
function largeObjective(outputCount: number, inverseCount: number): ObjectiveWithInverses {
  const vector = (seed: number) => Array.from({ length: outputCount }, (_, j) => Math.sin(seed + j) * 1e6);
  const inverses = Array.from(
    { length: inverseCount },
    (_, k) =>
      ({
        ...UNKNOWN_RUN,
        ...instants,
        id: k + 1,
        objectiveId: 1,
        iteration: k + 1,
        status: 'active',
        input: Array.from({ length: 200 }, (_, i) => Math.cos(k + i)),
        output: vector(k),
        basisOutput: null,
        suggestTimeNs: 1,
        computeTimeNs: 1,
        suggestedAt: new Date(0),
        loadedAt: new Date(0),
      }) satisfies Inverse,
  );
  return {
    ...instants,
    id: 1,
    trialId: 1,
    number: 1,
    objectives: vector(99),
    objectiveTypes: Array.from({ length: outputCount }, () => 'percent' as const),
    minimumBounds: Array.from({ length: outputCount }, () => -1),
    maximumBounds: Array.from({ length: outputCount }, () => 1),
    desiredL1Norm: 0,
    convergence: 1e-6,
    initialInput: inverses[0]!.input,
    initialOutput: vector(0),
    maximumAttempts: 500,
    attemptCount: inverseCount - 1,
    stopReason: 0,
    optimalInverseId: 1,
    seed: 7,
    labels: null,
    ...NOTHING_JUDGED,
    ...LEARNS_ALONE,
    inverses,
  };
}

const output = eventOf('inverse.output_loaded');

describe('the body of an objective event', () => {
  it('The body of an objective event never exceeds its limit and every client can read it', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: SMALLEST_LIMIT, max: 2 * SMALLEST_LIMIT }), (objective, limit) => {
        expect(render(output, recordOf(objective), limit).bytes.length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('The body contains everything if it fits, and no mark of being shortened', () => {
    const objective = largeObjective(3, 20);
    const { bytes } = render(output, recordOf(objective), 1e6);
    const { body } = render(output, recordOf(objective), bytes.length + ','.length);
    expect(body.data.inverses).toHaveLength(20);
    expect(body.data.optimalInverse.id).toBe(1);
    expect(body).not.toHaveProperty('shortened');
    expect(body).not.toHaveProperty('link');
  });

  it('The body contains as many of the newest inverses as fit, the optimal one, and a link to the rest', () => {
    const objective = largeObjective(3, 50);
    const { bytes } = render(output, recordOf(objective), 1e6);
    const limit = Math.floor(bytes.length / 2);
    const { bytes: shorter, body } = render(output, recordOf(objective), limit);
    expect(shorter.length).toBeLessThanOrEqual(limit);
    expect(shorter.length).toBeGreaterThan(0.9 * limit);
    const iterations = body.data.inverses.map(({ iteration }: { iteration: number }) => iteration);
    expect(iterations.length).toBeGreaterThan(10);
    expect(iterations).toEqual(Array.from({ length: iterations.length }, (_, k) => 51 - iterations.length + k));
    expect(body.data.inverses.at(-1).results).toHaveLength(3);
    expect(body.data.optimalInverse.iteration).toBe(1);
    expect(body).toMatchObject({ shortened: true, link: '/api/objectives/1' });
  });

  it('The body is marked as shortened if older inverses were not read', () => {
    expect(render(output, recordOf(largeObjective(3, 2), true), 1e6).body).toMatchObject({
      shortened: true,
      data: { inverses: [{ iteration: 1 }, { iteration: 2 }] },
    });
  });

  it('The body has the last inverse without results if it does not fit with them', () => {
    const { body } = render(output, recordOf(largeObjective(1_000, 3)), 256 * 1024);
    expect(body.data.inverses).toMatchObject([{ iteration: 3, results: [] }]);
    expect(body.data.inverses[0].output).toHaveLength(1_000);
    expect(body.data.objectives).toHaveLength(1_000);
  });

  it('The body has no lists at all if even that does not fit', () => {
    const { bytes, body } = render(output, recordOf(largeObjective(1_000, 3)), SMALLEST_LIMIT);
    expect(bytes.length).toBeLessThan(SMALLEST_LIMIT);
    expect(body.data).toMatchObject({
      attemptCount: 2,
      objectives: [],
      inverses: [{ iteration: 3, input: [], output: [], errors: [], results: [] }],
      optimalInverse: { iteration: 1, output: [] },
    });
  });
});

it('An inverse never takes fewer bytes than the estimate used for reading inverses', () => {
  fc.assert(
    fc.property(history, (objective) => {
      for (const inverse of objective.inverses) {
        const fewest = sdkEvents.fewestInverseBytes({
          inputCount: inverse.input?.length ?? 0,
          outputCount: objective.objectives.length,
          hasOutput: inverse.output !== null,
        });
        const bytes = Buffer.byteLength(JSON.stringify(presentInverse(objective, inverse)));
        expect(bytes).toBeGreaterThanOrEqual(fewest);
      }
    }),
  );
});

it('An inverse that is too large is sent without results, then without any list', () => {
  const objective = largeObjective(1_000, 1);
  const record: EventRecord = { kind: 'inverse', objective, inverse: objective.inverses[0]! };
  const event = eventOf('inverse.suggested');
  expect(render(event, record, 1e6).body.data.results).toHaveLength(1_000);
  const shorter = render(event, record, 256 * 1024).body;
  expect(shorter).toMatchObject({ shortened: true, link: '/api/objectives/1', data: { results: [] } });
  expect(shorter.data.errors).toHaveLength(1_000);
  expect(render(event, record, SMALLEST_LIMIT).body.data).toMatchObject({ iteration: 1, input: [], errors: [] });
});

it('A project that is too large is sent without input cases, then without any list, but with the number of cases', () => {
  const names = Array.from({ length: 200 }, (_, i) => `${i} ${'ü'.repeat(150)}`);
  const project = {
    ...instants,
    id: 1,
    modelId: 3,
    name: '\u0001'.repeat(200),
    inputCount: 1,
    minimums: [0],
    maximums: [199],
    inputTypes: ['category' as const],
    categories: [names],
    caseCount: 10_000,
    outputCount: null,
    names: NO_NAMES,
    seed: 1,
    sources: null,
    maximumEvaluations: null,
    developedAt: null,
  };
  const event = eventOf('project.created');
  const inputCases = Matrix.from(Array.from({ length: 10_000 }, (_, i) => [i % 200]));
  const record: EventRecord = { kind: 'project', project, inputCases };
  expect(render(event, record, 1e6).body.data.inputCases).toHaveLength(10_000);
  const cut: EventRecord = { ...record, inputCases: null };
  for (const each of [record, cut]) {
    const { body } = render(event, each, 80_000);
    expect(body).toMatchObject({ shortened: true, link: '/api/models/3', data: { caseCount: 10_000, inputCases: [] } });
    expect(body.data.categories).toEqual(names);
    const bare = render(event, each, SMALLEST_LIMIT);
    expect(bare.bytes.length).toBeLessThan(SMALLEST_LIMIT);
    expect(bare.body.data).toMatchObject({ inputCount: 1, categories: [], caseCount: 10_000 });
  }
});

it('A trial that is too large is sent without output cases, but with their number', () => {
  const trial = {
    ...instants,
    id: 1,
    modelId: 3,
    projectId: 2,
    outputCaseSetId: 5,
    number: 1,
    status: 'active' as const,
    revision: 0,
  };
  const outputCases = Array.from({ length: 5_000 }, (_, i) => [i / 3, i / 7]);
  const set = {
    ...instants,
    id: 5,
    modelId: 3,
    projectId: 2,
    outputCount: 2,
    caseCount: 5_000,
    failedCases: [],
    hasJacobians: false,
  };
  const record: EventRecord = { kind: 'trial', trial, set, outputCases: Matrix.from(outputCases) };
  const event = eventOf('output_cases.loaded');
  expect(render(event, record, 1e6).body.data.outputCases).toEqual(outputCases);
  const { body } = render(event, record, SMALLEST_LIMIT);
  expect(body).toMatchObject({ shortened: true, link: '/api/trials/1' });
  expect(body.data).toMatchObject({ outputCount: 2, caseCount: 5_000, outputCases: [] });
});

it('A batch that is too large is sent with the beginning of the reason why it failed', () => {
  const batch = {
    ...instants,
    id: 5,
    modelId: 1,
    projectId: 2,
    trialId: null,
    name: '\u0001'.repeat(200),
    status: 'failed' as const,
    isPaused: false,
    parallelism: 4,
    evaluator: { kind: 'pull' as const },
    outputCount: 2,
    timeoutSeconds: 60,
    maximumTries: 3,
    maximumLosses: 5,
    stopAfterFailures: 20,
    failureReason: `no licence ${'\u0001'.repeat(10_000)}`,
    finishedAt: instants.createdAt,
    progress: {
      cases: { planned: 3, done: 0, failed: 3 },
      objectives: { planned: 1, running: 0, satisfied: 0, stopped: 0, exhausted: 0, failed: 0 },
      evaluations: { waiting: 0, leased: 0, done: 0, failed: 3, cancelled: 0 },
    },
  };
  const event = eventOf('batch.failed', 5);
  const whole = render(event, { kind: 'batch', batch }, 1e6).body;
  expect(whole).toMatchObject({ subject: 'batch/5', data: { id: 5, failureReason: batch.failureReason } });
  const { bytes, body } = render(event, { kind: 'batch', batch }, SMALLEST_LIMIT);
  expect(bytes.length).toBeLessThan(SMALLEST_LIMIT);
  expect(body).toMatchObject({ shortened: true, link: '/v1/batches/5', data: { progress: batch.progress } });
  expect(body.data.failureReason).toMatch(/^no licence/);
});
