/**
 * The Postgres server of a test project, of the newest or the oldest supported version: the one in the environment variable if
 * it is set, else a container if a Docker engine answers quickly, else the embedded one. Migrates a template database, which
 * support/postgres.ts clones.
 */
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../../harness/database-handle.ts';
import { execute, withDatabase } from '../../harness/one-statement.ts';
import { findOldestBinaries, OLDEST_MAJOR } from '../../harness/postgres-versions.ts';
import { startTemporaryPostgres } from '../../harness/temporary-postgres.ts';
import type { PostgresBinaries } from '../../src/postgres/postgres-binaries.ts';
import { dockerOffers, hasImage } from './docker-engine.ts';

interface Choice {
  readonly variable: string;
  readonly image: string;
  /** Returns undefined for the embedded server's own version. */
  findBinaries(): Promise<PostgresBinaries | undefined>;
}

const NEWEST: Choice = {
  variable: 'TEST_DATABASE_URL',
  image: 'postgres:18-bookworm',
  findBinaries: async () => undefined,
};

/** By project. */
const CHOICES = {
  postgres: NEWEST,
  page: NEWEST,
  'postgres-oldest': {
    variable: 'TEST_OLDEST_DATABASE_URL',
    image: `postgres:${OLDEST_MAJOR}-bookworm`,
    findBinaries: findOldestBinaries,
  },
} as const satisfies Record<string, Choice>;

const REAPER_IMAGE = 'testcontainers/ryuk:0.14.0';
const CONTAINER_START_MS = 60_000;
/** Test data may be lost: without durability the server is several times as fast. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];
/**
 * The default check runs 4 times a second and is killed after 1 s. On a busy machine the server, process 1 of the container,
 * inherits the killed check, takes it for a crashed child, and restarts during the tests.
 */
const HEALTH_CHECK = {
  test: ['CMD-SHELL', 'pg_isready --host localhost --username backsolve --dbname backsolve'] as ['CMD-SHELL', string],
  interval: 1_000,
  timeout: 60_000,
  retries: 100,
};

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * `url` may create databases; the name of every database of this run begins with `prefix`. The code under test connects
     * through the pooler in TEST_POOLER_URL, if it is set, which serves every database of TEST_DATABASE_URL.
     */
    postgres: {
      readonly url: string;
      readonly template: string;
      readonly prefix: string;
      readonly keepsData: boolean;
      readonly poolerUrl: string | undefined;
    };
  }
}

interface TestServer {
  readonly kind: string;
  readonly url: string;
  /** Whether databases outlive the run, so that they can be inspected after a failure. */
  readonly keepsData: boolean;
  stop(): Promise<unknown>;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  const server = await openServer(CHOICES[project.name as keyof typeof CHOICES]);
  const prefix = `backsolve_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_template`;
  try {
    await execute(server.url, `create database ${template}`);
    // Leaves no connection open, because a template with an open connection cannot be cloned.
    await migrateDatabase(withDatabase(server.url, template));
  } catch (error) {
    await server.stop();
    throw error;
  }
  const poolerUrl = project.name === 'postgres' ? process.env['TEST_POOLER_URL'] || undefined : undefined;
  project.provide('postgres', { url: server.url, template, prefix, keepsData: server.keepsData, poolerUrl });
  const through = poolerUrl === undefined ? '' : ' through the pooler of TEST_POOLER_URL';
  console.log(
    `Postgres for the tests: ${server.kind}${through}, ready in ${Math.round(performance.now() - startedAt)} ms`,
  );
  return async () => {
    if (server.keepsData) await execute(server.url, `drop database if exists ${template} with (force)`);
    await server.stop();
  };
}

/** Whether this machine can run tests on the oldest supported version. */
export async function hasOldestServer(): Promise<boolean> {
  const { variable, image, findBinaries } = CHOICES['postgres-oldest'];
  return (process.env[variable] ?? '') !== '' || (await findBinaries()) !== undefined || (await dockerOffers(image));
}

async function openServer({ variable, image, findBinaries }: Choice): Promise<TestServer> {
  const given = process.env[variable] ?? '';
  if (given !== '') {
    return { kind: `the server of ${variable}`, url: given, keepsData: true, stop: async () => undefined };
  }
  if (await dockerOffers(image)) {
    try {
      return await openContainer(image);
    } catch (error) {
      console.log(`A Docker engine answers, but ${image} does not start: ${(error as Error).message}`);
    }
  }
  return openEmbedded(await findBinaries());
}

async function openContainer(image: string): Promise<TestServer> {
  // Without its image, the reaper would be pulled from a registry that may be unreachable.
  if (!(await hasImage(REAPER_IMAGE))) process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true';
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(image)
    .withDatabase('backsolve')
    .withUsername('backsolve')
    .withPassword('backsolve')
    .withCommand(['postgres', ...FAST.flatMap((setting) => ['-c', setting])])
    .withHealthCheck(HEALTH_CHECK)
    .withStartupTimeout(CONTAINER_START_MS)
    .start();
  const url = container.getConnectionUri();
  return { kind: `a container of ${image}`, url, keepsData: false, stop: () => container.stop() };
}

async function openEmbedded(binaries: PostgresBinaries | undefined): Promise<TestServer> {
  const log = { debug: ignore, info: ignore, warn: print, error: print };
  const server = await startTemporaryPostgres({
    log,
    loseDataOnCrash: true,
    ...(binaries !== undefined && { binaries }),
  });
  return {
    kind: `the embedded server${binaries === undefined ? '' : ` ${binaries.version}`}`,
    url: server.url,
    keepsData: false,
    stop: server.stop,
  };
}

function ignore(): void {}

function print(fields: object, message: string): void {
  console.log(message, fields);
}
