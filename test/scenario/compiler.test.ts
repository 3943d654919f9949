/**
 * A suggestion on every installed PostgreSQL that has the just-in-time compiler, which the embedded servers lack: none of its
 * statements is compiled. The server itself reports the plan of each.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { execute } from '../../harness/one-statement.ts';
import { findInstalledBinaries, hasCompiler, OLDEST_MAJOR } from '../../harness/postgres-versions.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { startService } from '../../src/composing/compose.ts';
import { openDatabase } from '../../src/composing/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { makeLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import type { PostgresBinaries } from '../../src/postgres/postgres-binaries.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { honest, makeEngine } from '../fault/engines.ts';
import { type Inverse, loadObjective } from '../fault/objective.ts';
import { openReceiver } from '../outside/webhooks/receiver.ts';
import { linear } from '../support/fixtures.ts';

const installed: PostgresBinaries[] = [];
for (const binaries of await findInstalledBinaries()) if (await hasCompiler(binaries)) installed.push(binaries);
if (installed.length === 0) {
  console.warn(
    `*** NOT TESTED WITH THE JUST-IN-TIME COMPILER: no PostgreSQL from ${OLDEST_MAJOR} on is installed that has it.`,
  );
}

const log = makeLog({ level: 'silent' });
const REPORT_PLANS = Object.entries({
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_nested_statements': 'on',
}).map(([name, value]) => `alter database backsolve set ${name} = '${value}'`);

/** A separate server; `report` returns what it has logged so far. */
async function setup(binaries: PostgresBinaries) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'backsolve-compiler-'));
  const lines: string[] = [];
  const note = (fields: object) => void lines.push((fields as { readonly line?: string }).line ?? '');
  const server = await startEmbeddedPostgres({
    dataDir,
    binaries,
    loseDataOnCrash: true,
    log: { debug: note, info: note, warn: note, error: note },
  });
  const settings = { PORT: '0', DATABASE_URL: server.url, WEBHOOK_ALLOW_PRIVATE: 'true', ENGINE_THREADS: '1' };
  const config = loadConfig(settings);
  const db = openDatabase(config, server.url, log);
  await migrate(db);
  await db.destroy();
  for (const statement of REPORT_PLANS) await execute(server.url, statement);
  const close = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { config, url: server.url, report: () => lines.join('\n'), close };
}

it.skipIf(installed.length === 0).for(installed)(
  'no statement of a suggestion is compiled on PostgreSQL $version',
  async (binaries) => {
    const t = await setup(binaries);
    const receiver = await openReceiver();
    const engine = makeEngine(honest);
    const service = await startService(t.config, t.url, log, { ingress: true, worker: true, engine });
    try {
      const account = { account: 'test', label: null, scopes: ['read', 'write', 'admin'], expiresAt: null } as const;
      const key = await createKey(service.db, account);
      const ok = async <T>(method: string, below: string, body?: unknown): Promise<T> => {
        const response = await fetch(`${service.url}/v1${below}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': crypto.randomUUID(),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        expect(response.ok, `${method} ${below}: ${response.status}`).toBe(true);
        return (await response.json()) as T;
      };
      await ok('POST', '/webhooks', { url: receiver.url });
      const objective = await loadObjective({ ok });
      for (let cycle = 0; cycle < 3; cycle++) {
        const { input } = await ok<Inverse>('POST', `${objective}/inverses`);
        await ok('POST', `${objective}/inverse-output`, { output: linear(input!).map((value) => value + 1) });
      }
      await receiver.next();
      expect(t.report()).toContain('with recursive ring');
      expect(t.report()).toContain('with recursive busy');
      expect(t.report()).not.toMatch(/^\tJIT:/m);
      // This server compiles expensive statements and reports it.
      await execute(t.url, 'set jit = on; set jit_above_cost = 0; select count(*) from objectives');
      await expect.poll(t.report).toMatch(/^\tJIT:/m);
      // A claim is not compiled, even where the connection allows it.
      const compiled = t.report().match(/^\tJIT:/gm)!.length;
      await execute(t.url, "set jit = on; select * from claim_jobs_of_others(2, 60000, 'test', 5, 0, '{}')");
      await sql`select 1 as "the end"`.execute(service.db);
      await expect.poll(t.report).toContain('the end');
      expect(t.report().match(/^\tJIT:/gm)).toHaveLength(compiled);
    } finally {
      await service.close();
      await receiver.close();
      await t.close();
    }
  },
);
