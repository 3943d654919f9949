/** The database of a data folder for a short command: the running server when `start` has it open, else one of its own. */
import { readFile, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  embeddedUrl,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
import { locateCluster } from './system-user.ts';

/** Undefined when the folder holds no database yet. Throws EmbeddedPostgresError as startEmbeddedPostgres does. */
export async function openLocalDatabase(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres | undefined> {
  const dataDir = path.resolve(options.dataDir);
  const password = await readText(path.join(dataDir, 'postgres-password'));
  if (password === undefined) return undefined;
  const port = await runningPort(dataDir);
  if (port === undefined) return startEmbeddedPostgres(options);
  return { url: embeddedUrl(password.trim(), port), stop: async () => undefined };
}

/** Line 4 of postmaster.pid is the port; the file also survives a crash, so somebody must answer there. */
async function runningPort(dataDir: string): Promise<number | undefined> {
  const cluster = await realpath(await locateCluster(dataDir)).catch(() => undefined);
  const pidFile = cluster && (await readText(path.join(cluster, 'postmaster.pid')));
  const port = Number(pidFile?.split('\n')[3]);
  return Number.isInteger(port) && port > 0 && (await answers(port)) ? port : undefined;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
