import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a drill in a temporary folder, prints the promises it found broken, and ends the process: with code 1 if any was.
 * PostgreSQL's user, who is not root, may pass through the folder; otherwise its files would go elsewhere.
 */
export async function runDrill(drill: (folder: string) => Promise<readonly string[]>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const folder = await mkdtemp(join(tmpdir(), 'backsolve-drill-'));
  await chmod(folder, 0o711);
  let broken: readonly string[];
  try {
    broken = await drill(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const promise of broken) console.log(`BROKEN ${promise}`);
  console.log(broken.length === 0 ? 'Every promise was kept.' : `${broken.length} broken promises.`);
  process.exit(broken.length === 0 ? 0 : 1);
}
