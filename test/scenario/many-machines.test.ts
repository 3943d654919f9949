/**
 * docs/guides/many-machines.md as a reader would follow it, on one machine: a stand-in for sbatch starts the jobs of the
 * documented script with the variables and the signals of Slurm, a stand-in for ssh runs what it is given.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readGuide } from '../../bench/drills/guide-files.ts';
import { createKey } from '../../src/application/accounts/manage-keys.ts';
import { linkClone } from '../support/clone-folder.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Submits and returns immediately. Every task of the array is a process of its own, with its number in a file. */
const SBATCH = `#!/bin/bash
set -eu
array=''
case $1 in --array=*) array=\${1#--array=}; shift ;; esac
script=$1; shift
[ -n "$array" ] || array=$(sed -n 's/^#SBATCH --array=//p' "$script")
for task in $(seq "\${array%-*}" "\${array#*-}"); do
  (
    SLURM_ARRAY_JOB_ID=41 SLURM_ARRAY_TASK_ID=$task setsid bash "$script" "$@" &
    echo $! >"$HOME/task-$task.pid"
    code=0; wait $! || code=$?
    echo $code >"$HOME/task-$task.code"
  ) >"$HOME/evaluate-41_$task.log" 2>&1 </dev/null &
done
echo 'Submitted batch job 41'
`;
/** With proctrack/cgroup, signals other than SIGKILL reach the task alone, which this process becomes. */
const SSH = '#!/bin/bash\nhost=$1; shift\nHOME="$HOME/$host" exec bash -c "$*"\n';
const SIMULATE = `#!/bin/sh
exec node -e '
  const { input } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  console.log(JSON.stringify([input[0] + input[1], input[0] - input[1]]));
'
`;

let service: TestService;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  service = await startTestService();
  const key = await createKey(service.service.db, {
    account: 'test',
    label: 'the cluster',
    scopes: ['evaluate'],
    expiresAt: null,
  });
  home = await mkdtemp(path.join(tmpdir(), 'backsolve-cluster-'));
  const programs = { sbatch: SBATCH, ssh: SSH };
  await mkdir(path.join(home, 'bin'));
  for (const [name, text] of Object.entries(programs)) await writeProgram(path.join(home, 'bin', name), text);
  for (const host of ['.', 'rig1', 'rig2', 'rig3']) {
    const machine = path.join(home, host);
    await mkdir(path.join(machine, 'backsolve'), { recursive: true });
    await linkClone(path.join(machine, 'backsolve'));
    await writeFile(
      path.join(machine, '.backsolve'),
      `BACKSOLVE_URL=${service.service.url}\nBACKSOLVE_API_KEY=${key}\n`,
      { mode: 0o600 },
    );
    await writeProgram(path.join(machine, 'backsolve', 'simulate'), SIMULATE);
  }
  env = { HOME: home, PATH: `${path.join(home, 'bin')}:${path.dirname(process.execPath)}:${process.env['PATH']}` };
});
afterAll(async () => {
  await service.close();
  await rm(home, { recursive: true, force: true });
});

it('the script for Slurm works off a batch with an array of jobs, which end with code 0 when their time is up', async () => {
  const batch = await makeBatch();
  const { files } = await readGuide('docs/guides/many-machines.md', '## Slurm');
  await writeFile(path.join(home, 'evaluate.sbatch'), files.get('evaluate.sbatch')!);
  const submitted = await play(`sbatch --array=1-3 evaluate.sbatch ${batch.id}`);
  expect(submitted.stdout).toBe('Submitted batch job 41\n');
  await expect.poll(() => statusOf(batch.id)).toBe('completed');
  const evaluators = await evaluatorsOf(batch.id);
  expect(evaluators.length).toBeGreaterThan(0);
  for (const name of evaluators) expect(name).toMatch(/^slurm-41-[123]$/);
  // As --signal does before the time limit.
  for (const pid of await numbersIn(home, /^task-\d+\.pid$/)) process.kill(pid, 'SIGTERM');
  await expect.poll(() => numbersIn(home, /^task-\d+\.code$/)).toEqual([0, 0, 0]);
});

it('the loops over machines reached by ssh start evaluators that work off a batch, and end them', async () => {
  const batch = await makeBatch();
  const [start, stop] = await readLoops();
  await play(start!);
  await expect.poll(() => statusOf(batch.id)).toBe('completed');
  await play(stop!);
  for (const host of ['rig1', 'rig2', 'rig3']) {
    const [pid] = await numbersIn(path.join(home, host, 'backsolve'), /^evaluate\.pid$/);
    await expect.poll(() => isRunning(pid!)).toBe(false);
  }
});

async function readLoops(): Promise<readonly string[]> {
  const page = await readFile(path.join(ROOT, 'docs/guides/many-machines.md'), 'utf8');
  return [...page.matchAll(/^```sh\n(for host [\s\S]*?)^```$/gm)].map(([, text]) => text!);
}

async function makeBatch(): Promise<{ readonly id: number }> {
  const model = await service.ok<{ id: number }>('POST', '/models', { name: `Cluster ${randomUUID()}` });
  const project = await service.ok<{ id: number }>('POST', `/models/${model.id}/projects`, {
    name: 'Sum and difference',
    inputCount: 2,
    minimums: [0, 0],
    maximums: [10, 10],
    inputTypes: ['float', 'float'],
    outputCount: 2,
  });
  return service.ok('POST', `/models/${model.id}/projects/${project.id}/batches`, {
    objectives: [
      { objectives: [10, -4], objectiveTypes: ['percent', 'percent'], minimumBounds: [-1, -1], maximumBounds: [1, 1] },
      { objectives: [6, 2], objectiveTypes: ['percent', 'percent'], minimumBounds: [-1, -1], maximumBounds: [1, 1] },
    ],
    parallelism: 3,
  });
}

async function statusOf(batchId: number): Promise<string> {
  return (await service.ok<{ status: string }>('GET', `/batches/${batchId}`)).status;
}

async function evaluatorsOf(batchId: number): Promise<readonly string[]> {
  const list = await service.ok<{ evaluator: string | null }[]>('GET', `/evaluations?batch_id=${batchId}`);
  return [...new Set(list.flatMap(({ evaluator }) => evaluator ?? []))];
}

async function writeProgram(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await chmod(file, 0o755);
}

async function numbersIn(folder: string, names: RegExp): Promise<readonly number[]> {
  const files = (await readdir(folder)).filter((name) => names.test(name));
  return Promise.all(files.map(async (name) => Number(await readFile(path.join(folder, name), 'utf8'))));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs a text in bash, on the machine at home. */
function play(text: string) {
  return promisify(execFile)('bash', ['-euc', text], { cwd: home, env });
}
