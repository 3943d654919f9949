/**
 * The script `as-job` of docs/guides/many-machines.md, as it is printed, against answers of Slurm 22.05.8, word for word. bench/drills/slurm.ts
 * plays it on a real Slurm.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGuide } from '../../bench/drills/guide-files.ts';

/** Each answers with the next line of its file, and counts its calls in another. A line `!...` is an error. */
const ANSWERING = `#!/bin/bash
name=$(basename "$0")
echo "$*" >> "$HOME/$name.calls"
line=$(head -n 1 "$HOME/$name.answers" 2>/dev/null)
[ "$(wc -l < "$HOME/$name.answers" 2>/dev/null || echo 0)" -le 1 ] || sed -i 1d "$HOME/$name.answers"
case $line in
  !*) echo "\${line#!}" >&2; exit 1 ;;
  ?*) echo "$line" ;;
esac
`;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'backsolve-as-job-'));
  await mkdir(path.join(home, 'bin'));
  const { files } = await readGuide('docs/guides/many-machines.md', '## Slurm');
  await writeFile(path.join(home, 'as-job'), files.get('as-job')!, { mode: 0o755 });
  for (const name of ['sbatch', 'scontrol', 'squeue', 'scancel']) {
    await writeFile(path.join(home, 'bin', name), ANSWERING, { mode: 0o755 });
  }
  await writeFile(path.join(home, 'bin', 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const AWAY = '!slurm_load_jobs error: Unable to contact slurm controller (connect failure)';
const FORGOTTEN = '!slurm_load_jobs error: Invalid job id specified';
const job = (state: string, exit = '0:0', reason = 'None') =>
  `JobId=7 JobName=backsolve-5-1 UserId=root(0) JobState=${state} Reason=${reason} Dependency=(null) Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=${exit} RunTime=00:00:02`;
const DONE = job('COMPLETED');
const OUT_OF_TIME = 'fail: the job exceeded its time or memory\n';

interface Answers {
  readonly scontrol?: readonly string[];
  readonly sbatch?: readonly string[];
  readonly squeue?: readonly string[];
}

/** The last answer of each program is that of all its later calls. */
async function play({ scontrol = [DONE], sbatch = ['7'], squeue = [''] }: Answers) {
  for (const [name, lines] of Object.entries({ scontrol, sbatch, squeue })) {
    await writeFile(path.join(home, `${name}.answers`), lines.map((line) => `${line}\n`).join(''));
  }
  const env = { HOME: home, PATH: `${home}/bin:${process.env['PATH']}`, BACKSOLVE_EVALUATION_ID: '5' };
  const ended = await promisify(execFile)(path.join(home, 'as-job'), ['run.sbatch'], { cwd: home, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  const calls = await readFile(path.join(home, 'sbatch.calls'), 'utf8');
  const submissions = calls.trim().split('\n');
  expect(new Set(submissions)).toEqual(new Set(['--parsable --no-requeue run.sbatch']));
  return { code: ended.code, stdout: ended.stdout, submissions: submissions.length };
}

test.each<[string, Answers, number, number, string?]>([
  ['a job that has ended', { scontrol: [job('PENDING'), job('RUNNING'), DONE] }, 0, 1],
  ['a program that has failed', { scontrol: [job('FAILED', '3:0', 'NonZeroExitCode')] }, 3, 1],
  ['a program that has crashed', { scontrol: [job('FAILED', '0:11', 'JobLaunchFailure')] }, 139, 1],
  ['an Epilog', { scontrol: [...Array(20).fill(job('COMPLETING')), DONE] }, 0, 1],
  ['an Epilog after a failure', { scontrol: [job('COMPLETING', '3:0'), job('FAILED', '3:0')] }, 3, 1],
  ['an Epilog that never ends', { scontrol: [job('COMPLETING', '3:0')] }, 3, 1],
  ['a controller that is away', { scontrol: [job('RUNNING'), ...Array(40).fill(AWAY), DONE] }, 0, 1],
  ['a job that no node could launch', { scontrol: [job('FAILED', '0:53', 'JobLaunchFailure'), DONE] }, 0, 2],
  ['a job that was killed', { scontrol: [job('FAILED', '0:9', 'JobLaunchFailure'), DONE] }, 0, 2],
  ['a job that was cancelled', { scontrol: [job('CANCELLED', '0:15'), DONE] }, 0, 2],
  ['a job that was cancelled in the queue', { scontrol: [job('CANCELLED', '0:0', 'Priority'), DONE] }, 0, 2],
  [
    'a job that was cancelled, in an Epilog',
    { scontrol: [job('COMPLETING', '0:15'), job('CANCELLED', '0:15'), DONE] },
    0,
    2,
  ],
  ['a node that was lost', { scontrol: [job('NODE_FAIL', '1:0', 'NodeDown'), DONE] }, 0, 2],
  ['a preemption', { scontrol: [job('PREEMPTED', '0:15'), DONE] }, 0, 2],
  ['a job that Slurm has forgotten', { scontrol: [FORGOTTEN, DONE] }, 0, 2],
  ['too little time', { scontrol: [job('TIMEOUT', '0:15', 'TimeLimit')] }, 0, 1, OUT_OF_TIME],
  ['too little memory', { scontrol: [job('OUT_OF_MEMORY', '0:125', 'OutOfMemory')] }, 0, 1, OUT_OF_TIME],
  ['a submission that was refused once', { sbatch: ['!sbatch: error: Batch job submission failed', '7'] }, 0, 2],
  ['a submission whose answer was lost', { sbatch: ['!sbatch: error: Socket timed out'], squeue: ['7'] }, 0, 1],
  ['a submission that is always refused', { sbatch: ['!sbatch: error: Invalid partition'] }, 125, 10],
  ['a node that launches nothing', { scontrol: [job('FAILED', '0:53', 'JobLaunchFailure')] }, 125, 10],
])('%s', async (_, answers, code, submissions, stdout = '') => {
  expect(await play(answers)).toEqual({ code, submissions, stdout });
});
