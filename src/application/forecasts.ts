/**
 * What the models say about an objective on request: its solutions and its front. They are computed by the engine from the same
 * snapshot as a suggestion, a few at a time, and kept by what they were computed from, so that an answer is never outdated.
 */
import { createHash } from 'node:crypto';
import { listInverseIds } from '../db/inverses.ts';
import { readSnapshot, type Snapshot } from '../db/suggestions.ts';
import type { Db } from '../db/transaction.ts';
import { makeVerdict } from '../domain/acceptance.ts';
import { DomainError, makeViolation, refuseViolations } from '../domain/errors.ts';
import { hasNoTarget, outputsWithoutTarget } from '../domain/objective.ts';
import { isAdmissible } from '../domain/objective-limits.ts';
import { Tally } from '../domain/tally.ts';
import type { Engine } from '../engine/pool.ts';
import type { FrontReport, PredictedPoint, SolutionsFound } from '../optimizer/insights.ts';
import type { SuggestRequest } from '../optimizer/problem.ts';
import { type RowSource, toSourcedRequest } from './engine-input.ts';
import type { ObjectivePath } from './paths.ts';
import { getObjectiveWithParents } from './read-objectives.ts';

/** Computations that one process runs at a time, and one account of them. */
const RUNNING = { total: 4, perAccount: 1 };
const RETRY_AFTER_SECONDS = 2;
/** Answers that are kept. */
const KEPT = 100;
/** Limit of the work of one answer, as of a suggestion. */
const WORK_LIMIT = 15_000;

type Forecaster = Pick<Engine, 'solutions' | 'front'>;

/** A run, with its input and output as they count now. */
export interface KnownRun {
  /** Numbered from 0; null for an inverse. */
  readonly caseNumber: number | null;
  readonly inverseId: number | null;
  readonly iteration: number | null;
  readonly input: readonly number[];
  readonly output: readonly number[];
}

export interface ObjectiveSolutions {
  readonly verified: readonly KnownRun[];
  readonly predicted: readonly PredictedPoint[];
}

export interface ObjectiveFront extends Omit<FrontReport, 'rows' | 'knee'> {
  readonly points: readonly KnownRun[];
  readonly knee: KnownRun | null;
}

export class Forecasts {
  readonly #engine: Forecaster;
  readonly #running = new Tally<number>();
  /** The oldest first. */
  readonly #kept = new Map<string, unknown>();

  constructor(engine: Forecaster) {
    this.#engine = engine;
  }

  /** Throws NOT_FOUND, ACCOUNT_BUSY, OVERLOADED. @param count the most of each kind */
  async findSolutions(db: Db, accountId: number, path: ObjectivePath, count: number): Promise<ObjectiveSolutions> {
    const snapshot = await getSnapshot(db, accountId, path);
    const { request, sourceOf } = toSourcedRequest(snapshot, WORK_LIMIT);
    const verified = rowsThatMeet(snapshot, request);
    const solutions = { request, verified, count };
    const found = await this.#compute<SolutionsFound>(accountId, ['solutions', count], request, (signal) =>
      this.#engine.solutions(solutions, signal),
    );
    return { verified: await toRuns(db, found.verified, request, sourceOf), predicted: found.predicted };
  }

  /** Throws NOT_FOUND, VALIDATION_FAILED without an output without target, ACCOUNT_BUSY, OVERLOADED. */
  async findFront(db: Db, accountId: number, path: ObjectivePath): Promise<ObjectiveFront> {
    const snapshot = await getSnapshot(db, accountId, path);
    if (outputsWithoutTarget(snapshot.objective).length === 0) {
      const message = 'has a target for every output, so it looks for no front; GET its solutions.';
      refuseViolations([makeViolation(['objective_id'], message)]);
    }
    const { request, sourceOf } = toSourcedRequest(snapshot, WORK_LIMIT);
    const { rows, knee, ...report } = await this.#compute<FrontReport>(accountId, ['front'], request, (signal) =>
      this.#engine.front(request, signal),
    );
    const points = await toRuns(db, rows, request, sourceOf);
    return { ...report, points, knee: knee === null ? null : points[rows.indexOf(knee)]! };
  }

  /** Computes an answer, or takes the one to an equal request. */
  async #compute<Result>(
    accountId: number,
    kind: readonly unknown[],
    request: SuggestRequest,
    run: (
      signal: AbortSignal,
    ) => Promise<{ readonly ok: true; readonly result: Result } | { readonly ok: false; readonly fault: string }>,
  ): Promise<Result> {
    const key = keyOf(kind, request);
    const known = this.#kept.get(key) as Result | undefined;
    if (known !== undefined) return known;
    this.#refuseBusy(accountId);
    this.#running.add(accountId);
    try {
      const answer = await run(new AbortController().signal);
      if (!answer.ok) throw new Error(`a forecast failed: ${answer.fault}`);
      this.#kept.set(key, answer.result);
      for (const oldest of this.#kept.keys()) {
        if (this.#kept.size <= KEPT) break;
        this.#kept.delete(oldest);
      }
      return answer.result;
    } catch (error) {
      if (!isAborted(error)) throw error;
      throw new DomainError('OVERLOADED', 'The computation took too long; try again.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    } finally {
      this.#running.remove(accountId);
    }
  }

  #refuseBusy(accountId: number): void {
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (this.#running.of(accountId) >= RUNNING.perAccount) {
      throw new DomainError(
        'ACCOUNT_BUSY',
        'Solutions or a front of this account are being computed; try again.',
        retry,
      );
    }
    if (this.#running.total >= RUNNING.total) {
      throw new DomainError('OVERLOADED', 'Too many solutions and fronts are being computed; try again.', retry);
    }
  }
}

/** Whether the engine gave up at its time limit. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

/** Equal for equal requests. */
function keyOf(kind: readonly unknown[], { history, pending, ...rest }: SuggestRequest): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([kind, rest], (_, value: unknown) => (typeof value === 'number' ? String(value) : value)));
  for (const part of [history.X, history.Y, history.failed, pending ?? new Float64Array(0)]) {
    hash.update(`${part.length} `).update(part);
  }
  return hash.digest('base64url');
}

async function getSnapshot(db: Db, accountId: number, path: ObjectivePath): Promise<Snapshot> {
  const { id } = await getObjectiveWithParents(db, accountId, path);
  const snapshot = await readSnapshot(db, { accountId, objectiveId: id });
  // It was deleted meanwhile.
  if (snapshot === undefined) throw new DomainError('NOT_FOUND', `There is no objective ${id}.`);
  return snapshot;
}

/** Rows within all limits that meet every target; an output without one meets it always. */
function rowsThatMeet({ objective, space }: Snapshot, { history }: SuggestRequest): number[] {
  const verdict = makeVerdict(objective);
  const [n, m] = [space.inputCount, objective.objectives.length];
  const isOpen = objective.objectives.map((_, j) => hasNoTarget(objective, j));
  return Array.from({ length: history.count }, (_, row) => row).filter(
    (row) =>
      history.failed[row] === 0 &&
      verdict(Array.from(history.Y.subarray(row * m, (row + 1) * m))).every((isMet, j) => isMet || isOpen[j]) &&
      isAdmissible(space, objective, Array.from(history.X.subarray(row * n, (row + 1) * n))),
  );
}

async function toRuns(
  db: Db,
  rows: readonly number[],
  { history, space, goal }: SuggestRequest,
  sourceOf: (row: number) => RowSource,
): Promise<KnownRun[]> {
  const [n, m] = [space.variables.length, goal.targets.length];
  const sources = rows.map(sourceOf);
  const ids = await listInverseIds(
    db,
    sources.flatMap((source) => ('iteration' in source ? [source] : [])),
  );
  return rows.map((row, k) => {
    const source = sources[k]!;
    const run = { input: rowOf(history.X, row, n), output: rowOf(history.Y, row, m) };
    if ('caseNumber' in source) return { caseNumber: source.caseNumber, inverseId: null, iteration: null, ...run };
    const { objectiveId, iteration } = source;
    return { caseNumber: null, inverseId: ids.get(`${objectiveId} ${iteration}`) ?? null, iteration, ...run };
  });
}

function rowOf(values: Float64Array, row: number, columns: number): number[] {
  return Array.from(values.subarray(row * columns, (row + 1) * columns));
}
