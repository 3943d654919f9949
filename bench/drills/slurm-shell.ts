/**
 * Runs a command on a real Slurm with one node and without accounting, in whose jobs an Epilog takes 0, 3 or 20 s. With --pause-seconds jobs
 * are cancelled and killed, launches fail, the node is lost and slurmctld is killed so often. Ends with the command's exit code.
 *
 *   npx node bench/drills/slurm-shell.ts [--pause-seconds N] [--seed 1] [--packages FOLDER] -- COMMAND [ARG ...]
 *
 * Needs Linux, root and Debian's packages, which it unpacks into a folder and does not install.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../chaos/random.ts';
import { SlurmCluster } from './slurm-cluster.ts';
import { type Counts, disturb } from './slurm-faults.ts';

const { values: options, positionals: command } = parseArgs({
  allowPositionals: true,
  options: {
    'pause-seconds': { type: 'string' },
    seed: { type: 'string', default: '1' },
    packages: { type: 'string', default: path.join(tmpdir(), 'backsolve-slurm-packages') },
  },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const folder = await mkdtemp(path.join(tmpdir(), 'backsolve-slurm-'));
const cluster = await SlurmCluster.start(folder, path.resolve(options.packages));
const over = new AbortController();
const counts: Counts = {};
const pauseMs = 1_000 * Number(options['pause-seconds']);
const disturbing =
  options['pause-seconds'] === undefined
    ? undefined
    : disturb('job', cluster, { signal: over.signal, pauseMs, random: randomFrom(Number(options.seed)), counts });
try {
  const child = cluster.spawn(command, { cwd: process.cwd(), log: 1 });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  over.abort();
  await disturbing;
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
  if (disturbing !== undefined) console.log(JSON.stringify({ faults: counts }));
}
