/** A problem that is open here: its place on the service, its journal, and the lock that keeps other processes away. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { Backsolve } from '../client.ts';
import { cleanReason } from '../evaluator/evaluation.ts';
import {
  type Claim,
  type EvaluationCalls,
  makeEvaluationCalls,
  type Reportable,
  type ServiceClient,
} from '../evaluator/evaluation-calls.ts';
import { FinishedRuns, Journal, type JournalLine, type RetriedLine, runsOf } from '../evaluator/journal.ts';
import { resumeLeases } from '../evaluator/resume.ts';
import { areRetriesNews, countRetried, markFailures, type Retries, retryRuns } from '../evaluator/retries.ts';
import type { Batch } from '../generated/schemas.ts';
import { pause } from '../retry.ts';
import { ProblemFolder, type ProblemRecord } from './folder.ts';
import type { Goals, OutputsOf } from './goals.ts';
import type { Inputs } from './inputs.ts';
import { joinLocalService } from './local-service.ts';
import { isOpen, openProblem } from './open-problem.ts';
import { checkProblem, type Problem, toObjective, toProject } from './problem.ts';

/** A black box that can be called here. */
export interface Box {
  readonly code: string;
  readonly retryFailed: boolean;
  /** Undefined when it was ended early. */
  readonly evaluate: (input: readonly number[]) => Promise<Reportable | undefined>;
  /** Is told of the journal when it has another result. */
  readonly onResult: (lines: readonly JournalLine[]) => void;
}

/** Where the problem is solved, and where this machine keeps what ran. */
export interface Connection {
  /** A client for the service, instead of url and key. */
  readonly client?: Backsolve | undefined;
  /** The address of the service; BACKSOLVE_URL of the environment unless given. */
  readonly url?: string | undefined;
  /** An API key; BACKSOLVE_API_KEY of the environment unless given. */
  readonly key?: string | undefined;
  /**
   * true starts a service on this machine, which ends soon after its last user; also without any url, unless false. The command is
   * `npx backsolve`, or that of BACKSOLVE_COMMAND in the environment.
   */
  readonly local?: boolean | undefined;
  /** Keeps what ran, so that the same call goes on after a crash, and the data of a local service; `.backsolve` unless given. */
  readonly folder?: string | undefined;
  /** false keeps nothing of what ran. */
  readonly journal?: boolean | undefined;
  /** Starts over; what was kept earlier gets another name. */
  readonly fresh?: boolean | undefined;
}

const LEASE_SECONDS = 60;
const FOLDER = '.backsolve';
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 1_000;

export class Session<I extends Inputs, G extends Goals> {
  readonly problem: Problem<I, G>;
  readonly client: Backsolve;
  readonly journal: Journal;
  readonly finished: FinishedRuns;
  readonly claim: Claim;
  readonly calls: EvaluationCalls;
  readonly record: ProblemRecord;
  #batch: Batch;
  readonly #release: () => Promise<void>;

  private constructor(
    parts: Pick<Session<I, G>, 'problem' | 'client' | 'journal' | 'record'> & { readonly batch: Batch },
    release: () => Promise<void>,
  ) {
    const { batch, client, journal, problem, record } = parts;
    this.problem = problem;
    this.client = client;
    this.journal = journal;
    this.record = record;
    this.#batch = batch;
    this.#release = release;
    this.finished = new FinishedRuns(journal.lines);
    // The same in every process, so that a claim can be repeated.
    this.claim = { evaluator: `solve ${record.id.slice(0, 8)}`, leaseSeconds: LEASE_SECONDS, batchId: batch.id };
    this.calls = makeEvaluationCalls(client as ServiceClient, this.claim);
  }

  /**
   * Creates the problem on the service, or finds it again. Throws RangeError and TypeError for what is wrong with the problem,
   * ProblemLockedError, ChangedProblemError, BudgetError, LocalServiceError, and what a call of the client throws.
   */
  static async open<I extends Inputs, G extends Goals>(
    problem: Problem<I, G>,
    connection: Connection,
    box: Box | null = null,
  ) {
    checkProblem(problem);
    const releases: (() => Promise<void>)[] = [];
    const release = async () => {
      for (const one of releases.splice(0).reverse()) await one();
    };
    try {
      const { client, service } = await connect(connection, releases);
      const folder = await ProblemFolder.open(
        connection.journal === false ? false : folderOf(problem, connection, service),
      );
      releases.push(await folder.lock());
      if (connection.fresh === true) await folder.putAside();
      const journal = folder.journal === null ? Journal.inMemory() : await Journal.open(folder.journal);
      releases.push(() => journal.close());
      const calls = makeEvaluationCalls(client as ServiceClient, { evaluator: 'solve', leaseSeconds: LEASE_SECONDS });
      await resumeLeases(journal, calls);
      if (box?.retryFailed === true) await markFailures(journal);
      const opened = await openProblem({
        client,
        folder,
        problem,
        service,
        runsBefore: runsOf(journal.lines).length,
        code: box?.code ?? null,
        retries: retriesOf(client as ServiceClient, journal, problem, box),
      });
      return new Session<I, G>({ ...opened, problem, client, journal }, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** As it was when it was read last. */
  get batch(): Batch {
    return this.#batch;
  }

  get isOver(): boolean {
    return !isOpen(this.#batch);
  }

  async refresh(signal?: AbortSignal): Promise<Batch> {
    const path = { batch_id: this.#batch.id };
    const { body } = await this.client.call('getBatch', { path, ...(signal !== undefined && { signal }) });
    this.#batch = body;
    return body;
  }

  /** Waits until the search is over, at most so long. The service notices within moments of the last output. */
  async untilOver(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    for (let delay = FIRST_LOOK_MS; ; delay = Math.min(2 * delay, LAST_LOOK_MS)) {
      await this.refresh();
      if (this.isOver || performance.now() + delay > deadline) return this.isOver;
      await pause(delay, undefined);
    }
  }

  /** Gives up what is still open; the outputs so far stay. */
  close(): Promise<void> {
    return this.#release();
  }

  /**
   * What the black box gave, as it is reported: NaN and infinite outputs make a failed run. Throws TypeError when an output is
   * missing, which no run can cure.
   */
  read(given: OutputsOf<G> | readonly number[] | number): Reportable {
    return readGiven(this.problem, given);
  }
}

/** As Session.read. */
export function readGiven({ goals }: Pick<Problem, 'goals'>, given: unknown): Reportable {
  const names = Object.keys(goals);
  const values = listed(given, names);
  const wrong = names.findIndex((_, j) => !Number.isFinite(values[j]));
  if (wrong < 0) return { kind: 'output', output: values };
  return { kind: 'failure', reason: `${names[wrong]} is ${values[wrong]}`, retryable: false };
}

/** Without a black box what is marked stays so. */
function retriesOf(client: ServiceClient, journal: Journal, { parallel = 1 }: Problem, box: Box | null): Retries {
  return {
    count: countRetried(journal.lines),
    areNews: (since, hasTrial) => areRetriesNews(journal.lines, since, hasTrial),
    run: async (trial) => {
      if (box === null) return;
      const evaluate = ({ input }: RetriedLine) => box.evaluate(input);
      const onResult = () => box.onResult(journal.lines);
      await retryRuns({ client, journal, trial, jobs: parallel, evaluate, onResult });
    },
  };
}

export function failureOf(error: unknown): Reportable {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { kind: 'failure', reason: cleanReason(text) || 'failed', retryable: false };
}

function listed(given: unknown, names: readonly string[]): readonly number[] {
  const values =
    typeof given === 'number'
      ? [given]
      : Array.isArray(given) || ArrayBuffer.isView(given)
        ? Array.from(given as ArrayLike<unknown>)
        : names.map((name) => (given as Readonly<Record<string, unknown>> | null | undefined)?.[name]);
  if (values.length === names.length && values.every((value) => typeof value === 'number')) return values as number[];
  const expected = `{ ${names.map((name) => `${name}: number`).join(', ')} }`;
  throw new TypeError(`The black box must give ${expected}, gave ${JSON.stringify(given) ?? String(given)}.`);
}

interface Connected {
  readonly client: Backsolve;
  /** null for a local service, whose address changes. */
  readonly service: string | null;
}

async function connect(connection: Connection, releases: (() => Promise<void>)[]): Promise<Connected> {
  const { client, folder = FOLDER } = connection;
  if (client !== undefined) return { client, service: client.address };
  const url = connection.url ?? process.env['BACKSOLVE_URL'];
  if (connection.local === true || (url === undefined && connection.local !== false)) {
    const service = await joinLocalService(folder);
    releases.push(() => service.close());
    const { url, key, fetch } = service;
    return { client: new Backsolve({ url, key, fetch }), service: null };
  }
  const key = connection.key ?? process.env['BACKSOLVE_API_KEY'];
  if (url === undefined || key === undefined) {
    const missing = url === undefined ? 'url (or BACKSOLVE_URL)' : 'key (or BACKSOLVE_API_KEY)';
    throw new TypeError(`There is no service to ask: give ${missing}, or local: true to start one on this machine.`);
  }
  const made = new Backsolve({ url, key });
  return { client: made, service: made.address };
}

/** That of its name; without one, the same problem on the same service has the same folder. */
function folderOf(problem: Problem, { folder = FOLDER }: Connection, service: string | null): string {
  const identity = JSON.stringify([toProject(problem), toObjective(problem), service]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  const name = problem.name?.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '');
  return path.join(folder, 'typescript', name === undefined || name === '' ? hash : name);
}
