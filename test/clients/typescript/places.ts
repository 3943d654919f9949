import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestService } from '../../support/service.ts';

export type Places = Awaited<ReturnType<typeof openPlaces>>;

/** A service, and folders in which problems are solved with it. */
export async function openPlaces() {
  const service = await startTestService();
  const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-solve-'));
  let folders = 0;
  /** Options for where to solve, in a folder of its own. */
  const here = () => ({
    url: service.service.url!,
    key: service.key,
    folder: path.join(folder, `${folders++}`),
    name: 'test',
    progress: false,
  });
  const close = async () => {
    await service.close();
    await rm(folder, { recursive: true });
  };
  return { service, folder, here, close };
}
