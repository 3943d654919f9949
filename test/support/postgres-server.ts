/**
 * The one Postgres server of a test run: TEST_DATABASE_URL when set, else a container when a Docker engine answers
 * quickly, else the embedded one. Migrates one template database; support/postgres.ts clones it.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { connect } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startEmbeddedPostgres } from '../../src/dev/embedded-postgres.ts';
import { dockerOffers, hasImage } from './docker-engine.ts';

const IMAGE = 'postgres:18-bookworm';
const REAPER_IMAGE = 'testcontainers/ryuk:0.14.0';
const CONTAINER_START_MS = 60_000;
/** Tests put nothing at stake: a server that forgets everything in a power cut is several times as fast. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
/**
 * The default probes 4 times a second and kills a probe after 1 s. On a busy machine the remains of a killed probe fall to
 * the server, process 1 of the container, which takes them for a crashed child and restarts in the middle of the tests.
 */
const HEALTH_CHECK = {
  test: ['CMD-SHELL', 'pg_isready --host localhost --username backsolve --dbname backsolve'] as ['CMD-SHELL', string],
  interval: 1_000,
  timeout: 60_000,
  retries: 100,
};

declare module 'vitest' {
  export interface ProvidedContext {
    /** `url` may create databases; every database of this run begins with `prefix`. */
    postgres: { readonly url: string; readonly template: string; readonly prefix: string; readonly keepsData: boolean };
  }
}

interface TestServer {
  readonly kind: string;
  readonly url: string;
  /** Whether databases outlive the run, so that one kept after a failure can be looked at. */
  readonly keepsData: boolean;
  stop(): Promise<unknown>;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  const server = await openServer();
  const prefix = `backsolve_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  try {
    await execute(server.url, `create database ${template}`);
    await migrateDatabase(withDatabase(server.url, template));
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgres', { url: server.url, template, prefix, keepsData: server.keepsData });
  console.log(`Postgres for the tests: ${server.kind}, ready in ${Math.round(performance.now() - startedAt)} ms`);
  return async () => {
    if (server.keepsData) await execute(server.url, `drop database if exists ${template} with (force)`);
    await server.stop();
  };
}

/** The same server's URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** One statement on a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function migrateDatabase(url: string): Promise<void> {
  const db = connect({
    url,
    poolSize: 1,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    applicationName: 'backsolve-test-template',
    onConnectionError: () => undefined,
  });
  try {
    await migrate(db);
  } finally {
    // A template with an open connection cannot be cloned.
    await db.destroy();
  }
}

async function openServer(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'] ?? '';
  if (given !== '') {
    return { kind: 'the server of TEST_DATABASE_URL', url: given, keepsData: true, stop: async () => undefined };
  }
  if (await dockerOffers(IMAGE)) {
    try {
      return await openContainer();
    } catch (error) {
      console.log(`A Docker engine answers, but ${IMAGE} does not start there: ${(error as Error).message}`);
    }
  }
  return openEmbedded();
}

async function openContainer(): Promise<TestServer> {
  // Without its image the reaper would be pulled, and wait for a registry that may not be reachable.
  if (!(await hasImage(REAPER_IMAGE))) process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(IMAGE)
    .withDatabase('backsolve')
    .withUsername('backsolve')
    .withPassword('backsolve')
    .withCommand(['postgres', ...FAST.flatMap((setting) => ['-c', setting])])
    .withHealthCheck(HEALTH_CHECK)
    .withStartupTimeout(CONTAINER_START_MS)
    .start();
  const url = container.getConnectionUri();
  return { kind: `a container of ${IMAGE}`, url, keepsData: false, stop: () => container.stop() };
}

async function openEmbedded(): Promise<TestServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'backsolve-test-'));
  const log = { debug: ignore, info: ignore, warn: print, error: print };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  const server = await startEmbeddedPostgres({ dataDir, log, loseDataOnCrash: true }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const stop = () => server.stop().finally(remove);
  return { kind: 'the embedded server', url: server.url, keepsData: false, stop };
}

function ignore(): void {}

function print(fields: object, message: string): void {
  console.log(message, fields);
}
