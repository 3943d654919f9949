import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one drill. PostgreSQL's user, who is not root, passes through it; otherwise its files would go elsewhere. */
export async function makeDrillFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backsolve-drill-'));
  await chmod(folder, 0o711);
  return folder;
}
