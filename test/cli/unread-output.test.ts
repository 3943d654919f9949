/** A process whose standard output is a full, unread pipe. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { createTestDatabase } from '../support/postgres.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/** `serve` behind a shell pipe whose other end is open and never read. */
async function startUnread() {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH']!,
    DATABASE_URL: database.url,
    PORT: String(port),
    SHUTDOWN_GRACE_MS: '2000',
    LOG_LEVEL: 'debug',
  };
  // The process id goes to standard error, its standard output into the pipe.
  const script = `(sh -c 'echo $$ >&2; exec "$0" "$1" serve' "${process.execPath}" "${MAIN}"; echo "ended $?" >&2) | sleep 600`;
  const shell = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let stderr = '';
  shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  onTestFinished(async () => {
    process.kill(-shell.pid!, 'SIGKILL');
    await once(shell, 'close');
    await database.drop();
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(isReady).toBe(200);
  return { url, pid: Number(/^\d+/.exec(stderr)![0]), stderr: () => stderr };
}

it('serve with unread output answers requests and exits with 0 after its grace period', async () => {
  const { url, pid, stderr } = await startUnread();
  // At level debug each leaves a line of some 300 bytes; a pipe holds 64 KiB.
  for (let request = 0; request < 400; request++) {
    const answer = await fetch(`${url}/nothing`, { signal: AbortSignal.timeout(60_000) });
    expect(answer.status).toBe(404);
    await answer.arrayBuffer();
  }
  process.kill(pid, 'SIGTERM');
  // Its reader sleeps for longer.
  await expect.poll(stderr).toMatch(/ended 0/);
});
