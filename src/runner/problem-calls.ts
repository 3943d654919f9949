/** The calls that create a problem on the service and follow it. Every creation carries an Idempotency-Key of the caller. */
import type { ServiceClient } from '../../clients/typescript/src/evaluator/evaluation-calls.ts';
import type { Surety } from '../../clients/typescript/src/evaluator/nearness.ts';
import type { Body } from './problem-bodies.ts';

/** As much of the TypeScript client as the runner needs; `operationId` and `path` are those of docs/openapi.json. */
export interface ProblemClient extends ServiceClient {
  call(
    operationId: string,
    options: {
      readonly path?: Readonly<Record<string, string | number>>;
      readonly query?: Readonly<Record<string, string | number>>;
      readonly body?: unknown;
      readonly idempotencyKey?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<{ readonly body: unknown; readonly headers: Headers }>;
}

export type BatchStatus = 'evaluating-cases' | 'solving' | 'completed' | 'failed' | 'cancelled';

export interface Batch {
  readonly id: number;
  readonly status: BatchStatus;
  readonly isPaused: boolean;
  readonly trialId: number | null;
  readonly parallelism: number;
  readonly failureReason: string | null;
  readonly progress: {
    readonly cases: { readonly planned: number; readonly done: number; readonly failed: number };
    readonly objectives: { readonly planned: number; readonly satisfied: number };
  };
}

/** One target set of a batch; `objectiveId` is null before its turn. */
export interface BatchObjective {
  readonly position: number;
  readonly objectiveId: number | null;
  readonly stopReason: string | null;
  readonly attemptCount: number;
  readonly satisfied: boolean;
  readonly bestInput: readonly number[] | null;
  readonly bestOutput: readonly number[] | null;
  readonly worstMiss: number | null;
  readonly failureReason: string | null;
}

interface BestRun {
  readonly caseNumber: number | null;
  readonly inverseId: number | null;
  readonly iteration: number | null;
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** Per output in units of its tolerance; 0 when satisfied. */
  readonly misses: readonly number[];
  readonly worstMiss: number;
}

/** A run among those that an objective has found. */
export interface FoundRun {
  readonly input: readonly number[];
  readonly output: readonly number[];
}

export interface ObjectiveState {
  readonly id: number;
  /** 0 RUNNING, 1 SATISFIED, 2 STOPPED, 3 EXHAUSTED. */
  readonly stopReason: number;
  readonly attemptCount: number;
  readonly maximumAttempts: number;
  readonly best: BestRun | null;
  readonly optimalInverse: unknown;
  readonly inverses: readonly {
    readonly status: string;
    readonly inputs: readonly number[];
    readonly outputs: readonly number[];
  }[];
  readonly insight: unknown;
  readonly diagnosis: { readonly detail: string } | null;
  /** How surely the best input meets the targets; null unless confirm or confidence is asked for. */
  readonly standing: Surety | null;
}

export interface ProjectPath {
  readonly modelId: number;
  readonly projectId: number;
}

export class ProblemCalls {
  readonly #client: ProblemClient;

  constructor(client: ProblemClient) {
    this.#client = client;
  }

  async createModel(name: string, idempotencyKey: string): Promise<number> {
    const { body } = await this.#client.call('createModel', { body: { name }, idempotencyKey });
    return (body as { id: number }).id;
  }

  async createProject(modelId: number, project: Body, idempotencyKey: string): Promise<number> {
    const path = { model_id: modelId };
    const { body } = await this.#client.call('createProject', { path, body: project, idempotencyKey });
    return (body as { id: number }).id;
  }

  /** Loads the outputs of the project's cases; returns the trial. */
  async loadOutputs(path: ProjectPath, outputs: readonly (readonly number[] | null)[], idempotencyKey: string) {
    const width = outputs.find((output) => output !== null)!.length;
    const failedCases = [...outputs.keys()].filter((row) => outputs[row] === null);
    const outputCases = outputs.map((output) => output ?? new Array<number>(width).fill(0));
    const body = { outputCount: width, outputCases, failedCases };
    const answer = await this.#client.call('loadOutputCases', { path: toPath(path), body, idempotencyKey });
    return (answer.body as { trial_id: number }).trial_id;
  }

  async addCases(path: ProjectPath, trialId: number, cases: Body, idempotencyKey: string): Promise<void> {
    await this.#client.call('addCases', { path: toPath(path, { trial_id: trialId }), body: cases, idempotencyKey });
  }

  async createBatch(path: ProjectPath, body: Body, idempotencyKey: string): Promise<Batch> {
    const answer = await this.#client.call('createBatch', { path: toPath(path), body, idempotencyKey });
    return answer.body as Batch;
  }

  async getBatch(batchId: number): Promise<Batch> {
    return (await this.#client.call('getBatch', { path: { batch_id: batchId } })).body as Batch;
  }

  async setParallelism(batchId: number, parallelism: number): Promise<void> {
    await this.#client.call('updateBatch', { path: { batch_id: batchId }, body: { parallelism } });
  }

  async resumeBatch(batchId: number): Promise<void> {
    await this.#client.call('resumeBatch', { path: { batch_id: batchId } });
  }

  async cancelBatch(batchId: number): Promise<void> {
    await this.#client.call('cancelBatch', { path: { batch_id: batchId } });
  }

  /** All of them, in their order. */
  async listObjectives(batchId: number): Promise<readonly BatchObjective[]> {
    const objectives: BatchObjective[] = [];
    for (let after: number | undefined; ; ) {
      const query = { limit: PAGE, ...(after !== undefined && { after }) };
      const { body } = await this.#client.call('listBatchObjectives', { path: { batch_id: batchId }, query });
      const page = body as readonly BatchObjective[];
      objectives.push(...page);
      if (page.length < PAGE) return objectives;
      after = page.at(-1)!.position;
    }
  }

  async getObjective(path: ProjectPath, trialId: number, objectiveId: number): Promise<ObjectiveState> {
    const at = toPath(path, { trial_id: trialId, objective_id: objectiveId });
    return (await this.#client.call('getObjective', { path: at })).body as ObjectiveState;
  }

  /** Of objectives with outputs without target, by their ids. One that is not answered is left out: its runs are in the files. */
  async getFronts({ batch, ...path }: ProjectPath & { readonly batch: Batch }, of: readonly BatchObjective[]) {
    const fronts = new Map<number, readonly FoundRun[]>();
    for (const { objectiveId: id } of of) {
      if (id === null || batch.trialId === null) continue;
      const at = toPath(path, { trial_id: batch.trialId, objective_id: id });
      const answer = await this.#client.call('getFront', { path: at }).catch(() => undefined);
      if (answer !== undefined) fronts.set(id, (answer.body as { readonly points: readonly FoundRun[] }).points);
    }
    return fronts;
  }
}

const PAGE = 200;

function toPath({ modelId, projectId }: ProjectPath, rest: Readonly<Record<string, number>> = {}) {
  return { model_id: modelId, project_id: projectId, ...rest };
}
