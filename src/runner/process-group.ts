/** Groups of processes: a program and everything that it has started and that has not left its group. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** Sends SIGTERM to the group, and SIGKILL if any of it is left after `graceMs`. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  for (let isLeft = signalGroup(group, 'SIGTERM'); isLeft; isLeft = signalGroup(group, 0)) {
    if (performance.now() >= deadline) {
      signalGroup(group, 'SIGKILL');
      return;
    }
    await sleep(POLL_MS);
  }
}

/** Whether there was anything to receive it. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    // ESRCH; on macOS also EPERM, when only zombies are left.
    return false;
  }
}

/**
 * Ends programs whose evaluator has died without being able to: a small shell of its own session reads their groups from a pipe,
 * which closes when the evaluator is gone, however it went. Node cannot ask the system to do this (PR_SET_PDEATHSIG), and macOS has
 * no such thing.
 */
export class ProcessGuard {
  readonly #shell: ChildProcess;

  constructor(graceSeconds: number, onError: (error: Error) => void) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'backsolve-guard', String(Math.ceil(graceSeconds))], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    });
    this.#shell.on('error', onError);
    this.#shell.stdin!.on('error', onError);
    // It waits for this process, not this process for it.
    this.#shell.unref();
    (this.#shell.stdin as Socket).unref();
  }

  /** Resolves when the guard will know of it, whatever happens to this process. */
  add(group: number): Promise<void> {
    return new Promise((resolve) => this.#shell.stdin!.write(`+ ${group}\n`, () => resolve()));
  }

  remove(group: number): void {
    this.#shell.stdin!.write(`- ${group}\n`);
  }

  close(): void {
    this.#shell.stdin!.end();
  }
}

const SCRIPT = `
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
left() {
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
  return 1
}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
seconds=0
while [ "$seconds" -lt "$1" ] && left; do sleep 1; seconds=$((seconds + 1)); done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;
