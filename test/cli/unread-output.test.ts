/** Processes whose standard output is a pipe that is full and that nobody reads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../harness/free-port.ts';
import { createTestDatabase } from '../support/postgres.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const GRACE_MS = 2_000;

/** `serve` behind a pipe of the shell, whose other end is open and never read. */
async function startUnread() {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH']!,
    DATABASE_URL: database.url,
    PORT: String(port),
    SHUTDOWN_GRACE_MS: String(GRACE_MS),
  };
  // The number of the process goes to standard error, its standard output into the pipe.
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
  await expect.poll(isReady, { timeout: 20_000 }).toBe(200);
  return { url, pid: Number(/^\d+/.exec(stderr)![0]), stderr: () => stderr };
}

it('answer requests all the same, and end within their grace and with code 0 when told to', async () => {
  const { url, pid, stderr } = await startUnread();
  // Each leaves a line of some 300 bytes; a pipe takes 64 KiB.
  for (let request = 0; request < 400; request++) {
    const answer = await fetch(`${url}/nothing`, { signal: AbortSignal.timeout(5_000) });
    expect(answer.status).toBe(404);
    await answer.arrayBuffer();
  }
  const toldAt = performance.now();
  process.kill(pid, 'SIGTERM');
  await expect.poll(stderr, { timeout: 3 * GRACE_MS }).toMatch(/ended 0/);
  expect(performance.now() - toldAt).toBeLessThan(2 * GRACE_MS);
});
