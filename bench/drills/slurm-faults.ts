/** Faults of jobs and nodes of a cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import { pick } from '../chaos/random.ts';
import type { SlurmCluster } from './slurm-cluster.ts';

/** The scripts of the guide: an array of evaluators, or one job for each run. */
export type Form = 'array' | 'job';
export type Counts = Record<string, number>;

export function count(counts: Counts, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

type Random = () => number;
/** Resolves to whether there was anything to strike. */
type Fault = (cluster: SlurmCluster, random: Random) => Promise<boolean>;

const onJob =
  (state: 'RUNNING' | 'PENDING', ...command: readonly string[]): Fault =>
  async (cluster, random) => {
    const jobs = await cluster.jobs(state);
    if (jobs.length > 0) await cluster.try([...command, pick(random, jobs)]);
    return jobs.length > 0;
  };

const FAULTS = {
  cancelled: onJob('RUNNING', 'scancel'),
  'cancelled in the queue': onJob('PENDING', 'scancel'),
  requeued: onJob('RUNNING', 'scontrol', 'requeue'),
  signalled: onJob('RUNNING', 'scancel', '--batch', '--signal=TERM'),
  killed: onJob('RUNNING', 'scancel', '--batch', '--signal=KILL'),
  'not launched': async (cluster) => {
    await cluster.refuseLaunches();
    return true;
  },
  'node down': async (cluster) => {
    await cluster.takeNodeDown();
    return true;
  },
  'power lost': async (cluster) => {
    await cluster.kill('node');
    await delay(2_000);
    await cluster.startNode();
    return true;
  },
  'slurmctld killed': async (cluster) => {
    await cluster.kill('slurmctld');
    await delay(3_000);
    await cluster.startController();
    return true;
  },
} satisfies Readonly<Record<string, Fault>>;

/** In turn; faults of one job come more often than those of a whole node. */
const SCHEDULE: Readonly<Record<Form, readonly (keyof typeof FAULTS)[]>> = {
  array: [
    'cancelled',
    'requeued',
    'signalled',
    'node down',
    'cancelled',
    'requeued',
    'slurmctld killed',
    'signalled',
    'power lost',
  ],
  job: [
    'cancelled',
    'killed',
    'cancelled in the queue',
    'not launched',
    'node down',
    'cancelled',
    'killed',
    'slurmctld killed',
    'power lost',
  ],
};

export interface Disturbance {
  readonly signal: AbortSignal;
  readonly pauseMs: number;
  readonly random: Random;
  /** Number of times that each fault was played. */
  readonly counts: Counts;
}

export async function disturb(form: Form, cluster: SlurmCluster, options: Disturbance): Promise<void> {
  const { signal, pauseMs, random, counts } = options;
  for (let i = 0; ; i++) {
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const name = SCHEDULE[form][i % SCHEDULE[form].length]!;
    if (await FAULTS[name](cluster, random)) count(counts, name);
    // Slurm starts a requeued job two minutes later, and holds one whose launch a node has failed.
    for (const job of await cluster.jobs('PENDING')) {
      await cluster.try(['scontrol', 'release', job]);
      await cluster.try(['scontrol', 'update', `jobid=${job}`, 'StartTime=now']);
    }
  }
}
