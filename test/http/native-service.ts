/** The ingress on a fresh database, with a worker if the test needs suggestions computed. */
import { Writable } from 'node:stream';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { connectTo } from '../../harness/database-handle.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { EvaluationWaiters } from '../../src/application/evaluations/evaluation-waiters.ts';
import { NewestResults } from '../../src/application/newest-results.ts';
import { Designs } from '../../src/application/problem/designs.ts';
import { ChangeWaiters } from '../../src/application/search/change-waiters.ts';
import { ModelInsights } from '../../src/application/search/model-insights.ts';
import { SuggestionWaiters, type SuggestionWaitersOptions } from '../../src/application/search/suggestion-waiters.ts';
import { forAccount } from '../../src/db/connection/client.ts';
import { Listener } from '../../src/db/connection/listen.ts';
import { type Db, databaseTrouble } from '../../src/db/connection/transaction.ts';
import type { Scope } from '../../src/domain/accounts/api-key.ts';
import type { HttpDeps, HttpSettings } from '../../src/http/operation/deps.ts';
import { buildServer } from '../../src/http/server.ts';
import { makeUrlJudge } from '../../src/outside/webhooks/target-guard.ts';
import { makeSuggestionLoop } from '../../src/worker/suggestion-loop.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { openSharedEngine } from '../support/shared-engine.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: data from the wire is read field by field
  readonly body: any;
  readonly text: string;
}

export type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'TRACE' | 'QUERY',
  url: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answered>;

export interface NativeService {
  readonly app: FastifyInstance;
  readonly db: Db;
  readonly key: string;
  /** Uses the service's key. An object is sent as JSON, a string unchanged (as application/json). */
  readonly send: Send;
  /** The same with another key, or none for ''. */
  sendAs(key: string): Send;
  makeKey(account: string, scopes?: readonly Scope[]): Promise<string>;
  readonly changeWaiters: ChangeWaiters;
  readonly evaluationWaiters: EvaluationWaiters;
  readonly logLines: readonly string[];
  close(): Promise<void>;
}

/** Fields of an objective that uses no options of the search. */
export const NO_OPTIONS = {
  solutions: null,
  weights: null,
  priorities: null,
  stop: null,
  noise: null,
  confirm: null,
  confidence: null,
  confidenceOf: null,
  inputTolerances: null,
  aimAtRobustness: null,
  robustRuns: null,
  front: null,
};

export interface ServiceOptions {
  /** Work that a design may take. */
  readonly designWork?: number;
  readonly settings?: Partial<HttpSettings>;
  readonly deps?: Partial<HttpDeps>;
  readonly waiting?: Partial<SuggestionWaitersOptions>;
  readonly hasWorker?: boolean;
  /** Whether accounts have shares of the connections, as in the product. */
  readonly sharesConnections?: boolean;
}

const SETTINGS: HttpSettings = {
  bodyLimitBytes: 8 * 1024 * 1024,
  // Longer than a suggestion takes on a busy machine.
  suggestWaitMs: 120_000,
  suggestWaitMaximumMs: 120_000,
  trustProxy: false,
  requestTimeoutMs: 30_000,
  rateLimitPerMinute: 0,
};

export async function openNativeService(options: ServiceOptions = {}): Promise<NativeService> {
  const database = await createTestDatabase();
  const db = connectTo(database.url, { poolSize: 10 });
  const logLines: string[] = [];
  const log = pino({ level: 'debug' }, collect(logLines));
  const listener = new Listener({
    url: database.directUrl,
    applicationName: 'backsolve-test-listen',
    heartbeatMs: 5_000,
    reconnectMs: 100,
    onError: () => undefined,
  });
  listener.start();
  const engine = openSharedEngine();
  const suggestionWaiters = new SuggestionWaiters({ db, listener, pollIntervalMs: 200, ...options.waiting });
  const changeWaiters = new ChangeWaiters({ db, listener, pollIntervalMs: 200 });
  const evaluationWaiters = new EvaluationWaiters({ db, listener, pollIntervalMs: 200 });
  const loop = makeSuggestionLoop({
    db,
    listener,
    engine,
    log,
    workerName: 'test',
    workLimit: 20_000,
    concurrency: 1,
    leaseMs: 60_000,
    pollIntervalMs: 200,
  });
  if (options.hasWorker) loop.start();
  const { app } = await buildServer({
    db,
    ...(options.sharesConnections && { dbFor: (accountId: number) => forAccount(db, accountId) }),
    designs: new Designs({ engine, threads: 1, workLimit: options.designWork ?? 20_000 }),
    modelInsights: new ModelInsights({ engine, threads: 1, workLimit: 20_000 }),
    suggestionWaiters,
    evaluationWaiters,
    changeWaiters,
    overviews: new NewestResults(2),
    log,
    settings: { ...SETTINGS, ...options.settings },
    isDatabaseReady: async () => true,
    databaseTrouble,
    noteKeyUse: () => undefined,
    judgeWebhookUrl: makeUrlJudge({ allowPrivate: false }),
    judgeEvaluatorUrl: makeUrlJudge({ allowPrivate: false, allowedHosts: new Set() }),
    ...options.deps,
  });
  await app.ready();
  const makeKey: NativeService['makeKey'] = (account, scopes = ['read', 'write', 'admin']) =>
    createKey(db, { account, label: null, scopes, expiresAt: null });
  const key = await makeKey('test');
  const sendAs = (sender: string): Send => makeSend(app, sender);
  const close = async () => {
    changeWaiters.close();
    evaluationWaiters.close();
    await app.close();
    suggestionWaiters.close();
    await loop.stop(5_000);
    await engine.close();
    await listener.stop();
    await db.destroy();
    await database.drop();
  };
  return { app, db, key, send: sendAs(key), sendAs, makeKey, changeWaiters, evaluationWaiters, logLines, close };
}

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}

function makeSend(app: FastifyInstance, key: string): Send {
  return async (method, url, body, headers = {}) => {
    const request: InjectOptions = {
      method,
      url,
      headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...headers },
    };
    if (body !== undefined) {
      request.payload = typeof body === 'string' ? body : JSON.stringify(body);
      request.headers = { 'content-type': 'application/json', ...request.headers };
    }
    const response = await app.inject(request);
    const isJson = /[/+]json\b/.test(String(response.headers['content-type'] ?? ''));
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson && response.body !== '' ? response.json() : undefined,
      text: response.body,
    };
  };
}

/** A project of two inputs (float and integer) with two own cases, its output cases loaded: three outputs. */
export async function prepareTrial(send: Send) {
  const model = (await send('POST', '/v1/models', { name: `model ${crypto.randomUUID()}` })).body;
  const projects = `/v1/models/${model.id}/projects`;
  const project = (
    await send('POST', projects, {
      name: 'linear',
      inputCount: 2,
      minimums: [0, 0],
      maximums: [10, 10],
      inputTypes: ['float', 'integer'],
      inputCases: [
        [0, 0],
        [10, 1],
        [2, 7],
      ],
    })
  ).body;
  const projectUrl = `${projects}/${project.id}`;
  const outputCases = project.inputCases.map(blackBox);
  const set = (await send('POST', `${projectUrl}/output-cases`, { outputCount: 3, outputCases })).body;
  const trialUrl = `${projectUrl}/trials/${set.trial_id}`;
  return { model, project, projectUrl, set, trialId: set.trial_id as number, trialUrl };
}

export function blackBox([a, b]: readonly [number, number]): number[] {
  return [a + b, a - b, 2 * a];
}

/** Within 1 percent of the outputs at [3, 7]. */
export const OBJECTIVES = {
  objectives: blackBox([3, 7]),
  objectiveTypes: ['percent', 'percent', 'percent'],
  initialInput: [5, 5],
  initialOutput: blackBox([5, 5]),
  desiredL1Norm: 0,
  minimumBounds: [-1, -1, -1],
  maximumBounds: [1, 1, 1],
};

/** Cannot be reached: y3 is twice the first input, which is at most 10. */
export const NEVER = {
  objectives: [10, -4, 500],
  objectiveTypes: ['value', 'value', 'value'],
  minimumBounds: [-0.01, -0.01, -0.01],
  maximumBounds: [0.01, 0.01, 0.01],
  initialInput: [5, 5],
  initialOutput: blackBox([5, 5]),
};

export async function prepareObjective(send: Send, change: Readonly<Record<string, unknown>> = {}) {
  const trial = await prepareTrial(send);
  const loaded = await send('POST', `${trial.trialUrl}/objectives`, { ...OBJECTIVES, ...change });
  return { ...trial, loaded, objectiveUrl: `${trial.trialUrl}/objectives/${loaded.body.id}` };
}
