/**
 * What clients ask of the models of an objective: how surely an input holds when it is made with tolerances, and what the
 * targets tell about the inputs. Computed when it is asked for, from the data as they are, and kept until they change. An
 * account computes one at a time; its other requests wait.
 */
import { createHash } from 'node:crypto';
import { readSnapshot } from '../db/suggestions.ts';
import type { Db } from '../db/transaction.ts';
import { DomainError, makeViolation, notFound, refuseViolations } from '../domain/errors.ts';
import type { Labels } from '../domain/names.ts';
import { checkRobustOptions, type SentRobustOptions, toTolerances } from '../domain/robust-options.ts';
import type { Engine } from '../engine/pool.ts';
import type { Identifiability, Robustness } from '../optimizer/insights.ts';
import type { InputTolerances, SuggestRequest } from '../optimizer/problem.ts';
import { toSuggestRequest } from './engine-input.ts';
import { NewestResults } from './newest-results.ts';
import type { ObjectivePath } from './paths.ts';
import { getInverse, getObjectiveWithParents } from './read-objectives.ts';

/** Answers kept: some kilobytes each. */
const KEPT = 200;

export class ModelInsights {
  readonly #engine: Pick<Engine, 'robustness' | 'identifiability'>;
  readonly #workLimit: number;
  readonly #kept = new NewestResults<Robustness | Identifiability | null>(KEPT);
  /** By account: the end of what it computes. */
  readonly #busy = new Map<number, Promise<unknown>>();

  constructor(engine: Pick<Engine, 'robustness' | 'identifiability'>, workLimit: number) {
    this.#engine = engine;
    this.#workLimit = workLimit;
  }

  /**
   * For an inverse of the objective, or its optimal one, by the tolerances of the request or of the objective. Throws NOT_FOUND,
   * VALIDATION_FAILED, OVERLOADED.
   */
  async robustness(
    db: Db,
    accountId: number,
    path: ObjectivePath,
    { inverseId, inputTolerances: sent }: RobustnessQuery,
  ): Promise<RobustnessRead> {
    const objective = await getObjectiveWithParents(db, accountId, path);
    refuseViolations(checkRobustOptions({ inputTolerances: sent }, objective.initialInput.length));
    const tolerances = sent == null ? objective.options?.inputTolerances : toTolerances(sent);
    const meant = inverseId ?? objective.optimalInverseId;
    refuseViolations([
      ...(tolerances ? [] : [makeViolation(['tolerances'], 'is required: the objective has no inputTolerances.')]),
      ...(meant === null ? [makeViolation(['inverse'], 'is required: the objective has no optimal inverse yet.')] : []),
    ]);
    const { inverse } = await getInverse(db, accountId, { ...path, objectiveId: objective.id, inverseId: meant! });
    if (inverse.input === null) {
      const message = `must have an input; inverse ${inverse.id} is still being computed.`;
      refuseViolations([makeViolation(['inverse'], message)]);
    }
    const input = inverse.input!;
    const request = await this.#request(db, accountId, objective.id);
    const robustness = await this.#newest(accountId, `robustness ${objective.id}`, request, { input, tolerances }, () =>
      this.#engine.robustness({ request, input, tolerances: tolerances! }),
    );
    return { inverseId: inverse.id, input, tolerances: tolerances!, robustness, labels: objective.labels };
  }

  /** Throws NOT_FOUND, OVERLOADED. @param confidence from 0.5 to 0.999 */
  async identifiability(
    db: Db,
    accountId: number,
    path: ObjectivePath,
    confidence: number,
  ): Promise<IdentifiabilityRead> {
    const objective = await getObjectiveWithParents(db, accountId, path);
    const request = await this.#request(db, accountId, objective.id);
    const identifiability = await this.#newest(accountId, `identifiability ${objective.id}`, request, confidence, () =>
      this.#engine.identifiability({ request, confidence }),
    );
    return { confidence, identifiability, labels: objective.labels };
  }

  async #request(db: Db, accountId: number, objectiveId: number): Promise<SuggestRequest> {
    const snapshot = await readSnapshot(db, { accountId, objectiveId });
    if (snapshot === undefined) throw notFound('objective', objectiveId);
    const { pending: _, ...request } = toSuggestRequest(snapshot, this.#workLimit);
    return request;
  }

  async #newest<R extends Robustness | Identifiability>(
    accountId: number,
    key: string,
    request: SuggestRequest,
    asked: unknown,
    compute: () => Promise<Answer<R>>,
  ): Promise<R | null> {
    const question = JSON.stringify(asked);
    const version = versionOf(request, question);
    const result = await this.#kept.get(`${accountId} ${key} ${question}`, version, () =>
      this.#alone(accountId, compute),
    );
    return result as R | null;
  }

  /** After what the account computes already. */
  async #alone<R>(accountId: number, compute: () => Promise<Answer<R>>): Promise<R | null> {
    const before = this.#busy.get(accountId) ?? Promise.resolve();
    const computed = before.catch(() => undefined).then(compute);
    this.#busy.set(accountId, computed);
    try {
      const answer = await computed;
      if (!answer.ok) throw new Error(`the models could not be asked: ${answer.fault}`);
      return answer.result;
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') {
        throw new DomainError(
          'OVERLOADED',
          'The computation took too long; ask again later, or raise ENGINE_TIME_LIMIT_MS.',
        );
      }
      throw error;
    } finally {
      if (this.#busy.get(accountId) === computed) this.#busy.delete(accountId);
    }
  }
}

type Answer<R> = { readonly ok: true; readonly result: R | null } | { readonly ok: false; readonly fault: string };

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

/** Changes with everything that the answer depends on. */
function versionOf({ history, ...rest }: SuggestRequest, question: string): string {
  const hash = createHash('sha256').update(question).update(JSON.stringify(rest));
  for (const bytes of [history.X, history.Y, history.failed]) hash.update(bytes);
  return hash.digest('base64');
}
