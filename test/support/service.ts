/** The whole service on a fresh database, with a client that uses real HTTP. */
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { type Roles, type Service, startService } from '../../src/composing/compose.ts';
import type { Engine } from '../../src/engine/pool.ts';
import { makeLog } from '../../src/log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { createTestDatabase, pooledSettings } from './postgres.ts';
import { openSharedEngine } from './shared-engine.ts';

interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface TestService {
  readonly service: Service;
  readonly databaseUrl: string;
  readonly key: string;
  /** Sends a request. `path` lacks /v1; a body is sent as JSON. */
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown, headers?: object): Promise<Answer<T>>;
  /** Sends a request that must succeed and returns the body; throws the problem otherwise. */
  ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  /** `ok` with a key of another account. */
  as(account: string): Promise<Pick<TestService, 'ok'>>;
  /** Takes the service down, so that nothing answers until it is started again. */
  stop(): Promise<void>;
  /** Starts it again, at the same address and with the same database. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface TestServiceOptions extends Partial<Roles> {
  readonly engine?: Engine;
  /** Environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns the database URL for the service; fault tests insert a proxy. */
  readonly through?: (databaseUrl: string) => Promise<string>;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = await createTestDatabase();
  const settings = {
    PORT: '0',
    // Longer than a busy machine delays a process, so that no lease or wait expires unless a test intends it.
    LEASE_MS: '60000',
    SUGGEST_WAIT_MS: '120000',
    SUGGEST_WAIT_MAXIMUM_MS: '120000',
    POLL_INTERVAL_MS: '200',
    ENGINE_THREADS: '1',
    MAXIMUM_EVENT_LOOP_DELAY_MS: '0',
    ...pooledSettings(database),
    ...options.settings,
  };
  const url = (await options.through?.(database.url)) ?? database.url;
  const startOn = (port: string) =>
    startService(loadConfig({ ...settings, PORT: port }), url, makeLog({ level: 'silent' }), {
      ingress: options.ingress ?? true,
      worker: options.worker ?? true,
      engine: options.engine ?? openSharedEngine(),
    });
  let service = await startOn(settings.PORT);
  const keyOf = (account: string) =>
    createKey(service.db, { account, label: null, scopes: ['read', 'write', 'admin'], expiresAt: null });
  const key = await keyOf('test');
  const call = makeCall(`${service.url}/v1`, key);
  return {
    get service() {
      return service;
    },
    databaseUrl: database.url,
    key,
    call,
    ok: okBy(call),
    as: async (account) => ({ ok: okBy(makeCall(`${service.url}/v1`, await keyOf(account))) }),
    stop: () => service.close(),
    start: async () => {
      service = await startOn(new URL(service.url!).port);
    },
    close: async () => {
      await service.close();
      await database.drop();
    },
  };
}

function okBy(call: TestService['call']): TestService['ok'] {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

function makeCall(origin: string, key: string): TestService['call'] {
  return async <T>(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answer<T>> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as T,
    };
  };
}
