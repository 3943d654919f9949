/**
 * A real Slurm with one node on this machine: Debian's slurmctld and slurmd, unpacked and not installed, without munge. The node has
 * its own process namespace, so that it can lose power with everything that runs on it. Needs Linux, root and Debian's packages.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../harness/free-port.ts';

const run = promisify(execFile);
const PACKAGES = [
  'slurmctld',
  'slurmd',
  'slurm-client',
  'slurm-wlm-basic-plugins',
  'libmunge2',
  'libhwloc15',
  'libpmix2',
  'libpmi2-0',
];
const READY_LIMIT_MS = 60_000;
/** A node with room for an array of 20 jobs; they wait more than they compute. */
const CPUS = 256;
const NODE = hostname().split('.')[0]!;

/** After each job; it is COMPLETING for so long. */
const EPILOG = `#!/bin/bash
seconds=(0 3 20)
sleep "\${seconds[SLURM_JOB_ID % 3]}"
`;

type Daemon = 'slurmctld' | 'node';

export class SlurmCluster {
  readonly #folder: string;
  readonly #namespace: ChildProcess;
  readonly #daemons = new Map<Daemon, ChildProcess>();

  private constructor(folder: string, namespace: ChildProcess) {
    this.#folder = folder;
    this.#namespace = namespace;
    process.once('exit', () => this.#killAll());
  }

  /** `packages` keeps the unpacked packages for the next time. */
  static async start(folder: string, packages: string): Promise<SlurmCluster> {
    await unpack(packages);
    for (const name of ['state', 'spool', 'log']) await mkdir(path.join(folder, name), { recursive: true });
    await writeFile(path.join(folder, 'slurm.conf'), await configuration(folder, packages));
    await writeFile(path.join(folder, 'epilog'), EPILOG, { mode: 0o755 });
    const library = (await libraryIn(packages)).replace(`${packages}/root/`, '');
    const mounts = ['usr/sbin', 'usr/bin', library].map(
      (name) => `mount -t overlay overlay -o lowerdir=${packages}/root/${name}:/${name} /${name}`,
    );
    const script = `${mounts.join(' && ')} && echo mounted && exec sleep infinity`;
    const namespace = spawn('unshare', ['-m', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await Promise.race([
      once(namespace.stdout, 'data'),
      once(namespace, 'exit').then(() => Promise.reject(new Error('the packages cannot be mounted'))),
    ]);
    const cluster = new SlurmCluster(folder, namespace);
    await cluster.startController();
    await cluster.startNode();
    return cluster;
  }

  startController(): Promise<void> {
    return this.#start('slurmctld', ['slurmctld', '-D']);
  }

  async startNode(): Promise<void> {
    await this.#start('node', [
      'unshare',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      'slurmd',
      '-D',
      '-N',
      NODE,
    ]);
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!/idle|mixed|alloc/.test(await this.try(['sinfo', '-h', '-o', '%T']))) {
      if (performance.now() > deadline) throw new Error(`the node is not ready, see ${this.#folder}/log`);
      await this.try(['scontrol', 'update', `nodename=${NODE}`, 'state=resume']);
      await delay(500);
    }
  }

  /** As when the process or the power is lost. */
  async kill(daemon: Daemon): Promise<void> {
    const running = this.#daemons.get(daemon)!;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  }

  /** As an administrator does, or Slurm for a node that does not answer; the jobs there are over. */
  async takeNodeDown(): Promise<void> {
    await this.try(['scontrol', 'update', `nodename=${NODE}`, 'state=down', 'reason=drill']);
    await delay(2_000);
    await this.try(['scontrol', 'update', `nodename=${NODE}`, 'state=resume']);
  }

  /** For a while the node can launch no job, as with a full disk. */
  async refuseLaunches(): Promise<void> {
    const spool = path.join(this.#folder, 'spool');
    await rename(spool, `${spool}.away`);
    await writeFile(spool, '');
    await delay(3_000);
    await rm(spool);
    await rename(`${spool}.away`, spool);
  }

  /** The command as a user of the cluster runs it, in `cwd`. */
  spawn(
    command: readonly string[],
    options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly log: number },
  ) {
    const env = { ...process.env, ...options.env, SLURM_CONF: path.join(this.#folder, 'slurm.conf') };
    const inside = ['--mount', `--target=${this.#namespace.pid}`, `--wdns=${options.cwd}`, ...command];
    return spawn('nsenter', inside, { env, stdio: ['ignore', options.log, options.log] });
  }

  /** The output of a command; an empty text when it fails, as when slurmctld is away. */
  async try(
    command: readonly string[],
    options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<string> {
    const env = { ...process.env, ...options.env, SLURM_CONF: path.join(this.#folder, 'slurm.conf') };
    const inside = ['--mount', `--target=${this.#namespace.pid}`, `--wdns=${options.cwd ?? '/'}`, ...command];
    return run('nsenter', inside, { env }).then(
      ({ stdout }) => stdout,
      () => '',
    );
  }

  /** The ids of the jobs in that state. */
  async jobs(state: 'RUNNING' | 'PENDING'): Promise<readonly string[]> {
    return (await this.try(['squeue', '-h', '-r', '-t', state, '-o', '%i'])).split('\n').filter((id) => id !== '');
  }

  async close(): Promise<void> {
    const exits = [...this.#daemons.values(), this.#namespace].map((child) =>
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
    );
    this.#killAll();
    await Promise.all(exits);
  }

  #killAll(): void {
    for (const child of [...this.#daemons.values(), this.#namespace]) child.kill('SIGKILL');
  }

  async #start(daemon: Daemon, command: readonly string[]): Promise<void> {
    const log = await open(path.join(this.#folder, 'log', `${daemon}.out`), 'a');
    this.#daemons.set(daemon, this.spawn(command, { cwd: '/', log: log.fd }));
    await log.close();
  }
}

async function unpack(packages: string): Promise<void> {
  const done = path.join(packages, 'unpacked');
  if (await exists(done)) return;
  const archives = path.join(packages, 'archives');
  await mkdir(archives, { recursive: true });
  await run('apt-get', ['update', '-qq']);
  await run('apt-get', ['download', '-qq', ...PACKAGES], { cwd: archives });
  for (const name of await readdir(archives)) {
    await run('dpkg', ['-x', path.join(archives, name), path.join(packages, 'root')]);
  }
  for (const folder of ['usr/bin', 'usr/sbin']) await linkAlternatives(path.join(packages, 'root', folder));
  await writeFile(done, '');
}

/** Debian's alternatives: slurmctld is slurmctld-wlm. */
async function linkAlternatives(folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    const plain = name.replace(/-wlm$/, '');
    if (!names.has(plain)) await symlink(name, path.join(folder, plain));
  }
}

async function libraryIn(packages: string): Promise<string> {
  const folder = path.join(packages, 'root/usr/lib');
  const name = (await readdir(folder)).find((each) => each.endsWith('-linux-gnu'));
  if (name === undefined) throw new Error(`${folder} has no libraries`);
  return path.join(folder, name);
}

/** linuxproc finds the processes of a job by their parents, as cgroups would: also those in a group of their own. */
async function configuration(folder: string, packages: string): Promise<string> {
  const settings = {
    ClusterName: 'drill',
    SlurmctldHost: `${NODE}(127.0.0.1)`,
    SlurmctldPort: await findFreePort(),
    SlurmdPort: await findFreePort(),
    AuthType: 'auth/none',
    CredType: 'cred/none',
    MpiDefault: 'none',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    ReturnToService: 2,
    SlurmUser: 'root',
    SlurmdUser: 'root',
    StateSaveLocation: path.join(folder, 'state'),
    SlurmdSpoolDir: path.join(folder, 'spool'),
    SlurmctldPidFile: path.join(folder, 'slurmctld.pid'),
    SlurmdPidFile: path.join(folder, 'slurmd.pid'),
    SlurmctldLogFile: path.join(folder, 'log/slurmctld.log'),
    SlurmdLogFile: path.join(folder, 'log/slurmd.log'),
    PluginDir: path.join(await libraryIn(packages), 'slurm-wlm'),
    SchedulerType: 'sched/backfill',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core',
    JobAcctGatherType: 'jobacct_gather/none',
    AccountingStorageType: 'accounting_storage/none',
    SlurmdParameters: 'config_overrides',
    SlurmdTimeout: 20,
    JobRequeue: 1,
    Epilog: path.join(folder, 'epilog'),
    KillWait: 10,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [
    ...lines,
    `NodeName=${NODE} NodeAddr=127.0.0.1 CPUs=${CPUS} RealMemory=4000 State=UNKNOWN`,
    `PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP`,
    '',
  ].join('\n');
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
