/**
 * Answers clients' questions to the models of an objective: other solutions, its front, how surely an input holds when
 * it is made with tolerances, and what the targets tell about the inputs. Computed on request from the current data
 * (computations.ts).
 */
import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection/transaction.ts';
import type { ObjectiveWithParents } from '../../db/search/objectives.ts';
import { readSnapshot, type Snapshot } from '../../db/search/suggestions.ts';
import { makeViolation, notFound, refuseViolations } from '../../domain/errors.ts';
import type { Labels } from '../../domain/problem/names.ts';
import { evaluateOutput } from '../../domain/search/acceptance.ts';
import { type Objective, outputsWithoutTarget } from '../../domain/search/objective.ts';
import { isEligible } from '../../domain/search/optimum.ts';
import { checkPredictions, type SentPredictions, toPredictionsQuestion } from '../../domain/search/predictions.ts';
import { checkRobustOptions, type SentRobustOptions, toTolerances } from '../../domain/search/robust-options.ts';
import { areEqualVectors } from '../../domain/vectors.ts';
import type { Engine } from '../../engine/pool.ts';
import type {
  FitInsight,
  FrontReport,
  Identifiability,
  PredictedPoint,
  PredictedSurface,
  PredictionsQuestion,
  Robustness,
} from '../../optimizer/interface/insights.ts';
import type { InputTolerances, SuggestRequest } from '../../optimizer/interface/problem.ts';
import { Computations, type Computed } from '../computations.ts';
import type { ObjectivePath } from '../paths.ts';
import { toSourcedRequest, toSuggestRequest } from './engine-input.ts';
import { type KnownRun, NO_INVERSE, rowsThatMeet, toRuns } from './found-runs.ts';
import { readAnswer } from './read-answers.ts';
import { getInverse, getObjectiveWithParents, withNearest } from './read-objectives.ts';

/** Answers kept: some kilobytes each, predictions up to a quarter of a megabyte. */
const KEPT = 200;
/** Computations that wait in a process; each holds the data of its trial. */
const WAITING = { total: 24, perAccount: 8 };

export interface ModelInsightsOptions {
  readonly engine: Pick<Engine, 'solutions' | 'front' | 'robustness' | 'identifiability' | 'fit' | 'predictions'>;
  /** Threads of the engine; one is left to suggestions and designs if there are several. */
  readonly threads: number;
  /** Work limit of one answer, the same as of a suggestion. */
  readonly workLimit: number;
}

/** Everything that determines an answer. */
interface Question {
  readonly kind: string;
  /** Plain data beyond the request. */
  readonly asked: unknown;
  readonly request: SuggestRequest;
}

/** The caller and its signal. */
export interface Asking {
  readonly db: Db;
  readonly accountId: number;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One per process. Every method throws NOT_FOUND, and OVERLOADED past the limits of the process. */
export class ModelInsights {
  readonly #engine: ModelInsightsOptions['engine'];
  readonly #workLimit: number;
  readonly #answers: Computations;

  constructor({ engine, threads, workLimit }: ModelInsightsOptions) {
    this.#engine = engine;
    this.#workLimit = workLimit;
    this.#answers = new Computations({
      running: Math.max(1, threads - 1),
      waiting: WAITING.total,
      waitingPerAccount: WAITING.perAccount,
      kept: KEPT,
    });
  }

  /** Throws VALIDATION_FAILED for a fit. @param count the most of each kind */
  async solutions(asking: Asking, path: ObjectivePath, count: number): Promise<ObjectiveSolutions> {
    const objective = await getObjectiveWithParents(asking.db, asking.accountId, path);
    refuseFit(objective);
    const snapshot = await snapshotOf(asking, objective.id);
    const { request, sourceOf } = toSourcedRequest(snapshot, this.#workLimit);
    const verified = rowsThatMeet(snapshot, request);
    const found = await this.#ask(asking, { kind: 'solutions', asked: count, request }, (signal) =>
      this.#engine.solutions({ request, verified, count }, signal),
    );
    return { verified: await toRuns(asking.db, found.verified, request, sourceOf), predicted: found.predicted };
  }

  /** Throws VALIDATION_FAILED without an output without target. */
  async front(asking: Asking, path: ObjectivePath): Promise<ObjectiveFront> {
    const objective = await getObjectiveWithParents(asking.db, asking.accountId, path);
    if (outputsWithoutTarget(objective).length === 0) {
      const message = 'has a target for every output, so it has no front. Ask for its solutions instead.';
      refuseViolations([makeViolation(['objective_id'], message)]);
    }
    const { request, sourceOf } = toSourcedRequest(await snapshotOf(asking, objective.id), this.#workLimit);
    const question = { kind: 'front', asked: null, request };
    const {
      rows,
      hypervolumes: volumes,
      ...report
    } = await this.#ask(asking, question, (signal) => this.#engine.front(request, signal));
    const points = await toRuns(asking.db, rows, request, sourceOf);
    const hypervolumes = volumes.flatMap((hypervolume, row) => {
      const source = sourceOf(row);
      const isOwn = 'iteration' in source && source.objectiveId === objective.id;
      return isOwn ? [{ iteration: source.iteration, hypervolume }] : [];
    });
    return { ...report, hypervolumes, points, knee: await kneeOn(asking, objective, points) };
  }

  /**
   * For an inverse of the objective, or its answer, by the tolerances of the query or of the objective. Throws
   * VALIDATION_FAILED.
   */
  async robustness(
    asking: Asking,
    path: ObjectivePath,
    { inverseId, inputTolerances: sent }: RobustnessQuery,
  ): Promise<RobustnessRead> {
    const { db, accountId } = asking;
    const objective = await getObjectiveWithParents(db, accountId, path);
    refuseFit(objective);
    refuseViolations(checkRobustOptions({ inputTolerances: sent }, objective.initialInput.length));
    const tolerances = sent == null ? objective.options?.inputTolerances : toTolerances(sent);
    const meant = inverseId ?? (await robustRunOf(asking, objective));
    refuseViolations([
      ...(tolerances ? [] : [makeViolation(['tolerances'], 'is required: the objective has no inputTolerances.')]),
      ...(meant === null ? [makeViolation(['inverse'], 'is required: no run satisfies the objective yet.')] : []),
    ]);
    const { inverse } = await getInverse(db, accountId, { ...path, objectiveId: objective.id, inverseId: meant! });
    if (inverse.input === null) {
      const message = `must have an input; that of run ${inverse.iteration} is still being computed.`;
      refuseViolations([makeViolation(['inverse'], message)]);
    }
    const input = inverse.input!;
    const request = await this.#knownRequest(asking, objective.id);
    const question = { kind: 'robustness', asked: { input, tolerances }, request };
    const robustness = await this.#ask(asking, question, (signal) =>
      this.#engine.robustness({ request, input, tolerances: tolerances! }, signal),
    );
    return { inverseId: inverse.id, input, tolerances: tolerances!, robustness, labels: objective.labels };
  }

  /** Throws VALIDATION_FAILED for a fit. @param confidence from 0.5 to 0.999 */
  async identifiability(asking: Asking, path: ObjectivePath, confidence: number): Promise<IdentifiabilityRead> {
    const objective = await getObjectiveWithParents(asking.db, asking.accountId, path);
    refuseFit(objective);
    const request = await this.#knownRequest(asking, objective.id);
    const question = { kind: 'identifiability', asked: confidence, request };
    const identifiability = await this.#ask(asking, question, (signal) =>
      this.#engine.identifiability({ request, confidence }, signal),
    );
    return { confidence, identifiability, labels: objective.labels };
  }

  /** Throws VALIDATION_FAILED without a fit. @param confidence from 0.5 to 0.999 */
  async fit(asking: Asking, path: ObjectivePath, confidence: number): Promise<FitRead> {
    const objective = await getObjectiveWithParents(asking.db, asking.accountId, path);
    if (objective.options?.fits === undefined) {
      const message = 'has no output of type fit. Ask for its identifiability instead.';
      refuseViolations([makeViolation(['objective_id'], message)]);
    }
    const snapshot = await snapshotOf(asking, objective.id);
    const { request: whole, sourceOf } = toSourcedRequest(snapshot, this.#workLimit);
    const { pending: _, ...request } = whole;
    const question = { kind: 'fit', asked: confidence, request };
    const insight = await this.#ask(asking, question, (signal) => this.#engine.fit({ request, confidence }, signal));
    const [run = null] = insight === null ? [] : await toRuns(asking.db, [insight.bestRow], request, sourceOf);
    return { confidence, insight, run, labels: objective.labels };
  }

  /** Around the given point or the answer. Throws VALIDATION_FAILED. */
  async predictions(asking: Asking, path: ObjectivePath, sent: SentPredictions): Promise<PredictionsRead> {
    const { db, accountId } = asking;
    const objective = await getObjectiveWithParents(db, accountId, path);
    const counts = { inputCount: objective.initialInput.length, outputCount: objective.objectives.length };
    refuseViolations(checkPredictions(sent, counts));
    const request = await this.#knownRequest(asking, objective.id);
    const run = sent.at === undefined ? await runOfAnswer(asking, objective) : null;
    const at = sent.at ?? run?.input;
    if (at === undefined) return { question: null, run, surfaces: null };
    const question = toPredictionsQuestion(sent, at, counts);
    const surfaces = await this.#ask(asking, { kind: 'predictions', asked: question, request }, (signal) =>
      this.#engine.predictions({ request, question }, signal),
    );
    return { question, run, surfaces };
  }

  /** Request with everything known, without the inputs that are pending. */
  async #knownRequest(asking: Asking, objectiveId: number): Promise<SuggestRequest> {
    const { pending: _, ...request } = toSuggestRequest(await snapshotOf(asking, objectiveId), this.#workLimit);
    return request;
  }

  #ask<R>(
    { accountId, signal }: Asking,
    question: Question,
    compute: (signal: AbortSignal) => Promise<Computed<R>>,
  ): Promise<R> {
    return this.#answers.get({ accountId, key: keyOf(question) }, signal, compute);
  }
}

/** null before a run succeeded. */
async function runOfAnswer({ db, accountId }: Asking, objective: ObjectiveWithParents): Promise<KnownRun | null> {
  const answer = await readAnswer(db, await withNearest(db, accountId, objective));
  if (answer === null) return null;
  const { source, input, output } = answer;
  if (source.kind === 'case') return { ...NO_INVERSE, caseNumber: source.number, input, output };
  const { id: inverseId, objectiveId, objectiveNumber, iteration } = source;
  return { caseNumber: null, inverseId, objectiveId, objectiveNumber, iteration, input, output };
}

/** The answer of the search, by the name of the point of the front where it is one; null until it keeps all limits. */
async function kneeOn(
  asking: Asking,
  objective: ObjectiveWithParents,
  points: readonly KnownRun[],
): Promise<KnownRun | null> {
  const answer = await runOfAnswer(asking, objective);
  if (answer === null || !isEligible(evaluateOutput(objective, answer.output))) return null;
  const isAnswer = ({ input, output }: KnownRun) =>
    areEqualVectors(input, answer.input) && areEqualVectors(output, answer.output);
  return points.find(isAnswer) ?? answer;
}

/** The inverse of the answer, once one is optimal; of a case that copies it. */
async function robustRunOf(asking: Asking, objective: ObjectiveWithParents): Promise<number | null> {
  const { id, optimalInverseId } = objective;
  if (optimalInverseId === null) return null;
  const run = await runOfAnswer(asking, objective);
  return run?.objectiveId === id ? run.inverseId : optimalInverseId;
}

/** Refuses a fit for answers that rest on targets to meet. */
function refuseFit({ options }: Pick<Objective, 'options'>): void {
  if (options?.fits === undefined) return;
  const message = 'has a fit, which is made small and not met. Ask for its fit instead.';
  refuseViolations([makeViolation(['objective_id'], message)]);
}

/** Equal for equal questions. */
function keyOf({ kind, asked, request: { history, pending, ...rest } }: Question): string {
  const hash = createHash('sha256');
  // Numbers as texts: JSON has no infinity.
  const question = JSON.stringify([kind, asked, rest], (_, value: unknown) =>
    typeof value === 'number' ? String(value) : value,
  );
  hash.update(question);
  for (const part of [history.X, history.Y, history.failed, pending ?? new Float64Array(0)]) {
    hash.update(`${part.length} `).update(part);
  }
  return hash.digest('base64url');
}

async function snapshotOf({ db, accountId }: Asking, objectiveId: number): Promise<Snapshot> {
  const snapshot = await readSnapshot(db, { accountId, objectiveId });
  // It was deleted meanwhile.
  if (snapshot === undefined) throw notFound('objective', objectiveId);
  return snapshot;
}

export interface RobustnessQuery extends Pick<SentRobustOptions, 'inputTolerances'> {
  readonly inverseId: number | null;
}

export interface RobustnessRead {
  readonly inverseId: number;
  readonly input: readonly number[];
  readonly tolerances: InputTolerances;
  /** null while the models predict too little. */
  readonly robustness: Robustness | null;
  readonly labels: Labels | null;
}

export interface IdentifiabilityRead {
  readonly confidence: number;
  /** null while the models see no input that surely meets the targets. */
  readonly identifiability: Identifiability | null;
  readonly labels: Labels | null;
}

export interface FitRead {
  readonly confidence: number;
  /** null until a run meets all other targets. */
  readonly insight: FitInsight | null;
  /** The best run; null until one meets all other targets. */
  readonly run: KnownRun | null;
  readonly labels: Labels | null;
}

export interface PredictionsRead {
  /** null before a run succeeded; so are the surfaces. */
  readonly question: PredictionsQuestion | null;
  /** The answer, if the question is about it. */
  readonly run: KnownRun | null;
  readonly surfaces: readonly PredictedSurface[] | null;
}

export interface ObjectiveSolutions {
  readonly verified: readonly KnownRun[];
  readonly predicted: readonly PredictedPoint[];
}

export interface ObjectiveFront extends Omit<FrontReport, 'rows' | 'hypervolumes'> {
  /** One per completed run of the objective. */
  readonly hypervolumes: readonly { readonly iteration: number; readonly hypervolume: number }[];
  readonly points: readonly KnownRun[];
  /** The answer of the search; null until a run keeps all limits. */
  readonly knee: KnownRun | null;
}
