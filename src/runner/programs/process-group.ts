/** Groups of processes: a program and everything that it has started and that has not left its group. Windows: windows-jobs.ts. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

export interface StartOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** A file that is open for reading; a pipe of Node if absent, which on Linux is a socket: no program can open /dev/stdin. */
  readonly stdin?: number | undefined;
}

/** Starts programs in groups and ends whole groups, also when this process dies without being able to. */
export interface ProcessGuard {
  /** In a group of its own, which a terminal's Ctrl-C does not reach. The program waits until `open`. */
  start(file: string, args: readonly string[], isShell: boolean, options: StartOptions): ChildProcess;
  /** Resolves when the group will be ended whatever happens to this process. */
  add(group: number): Promise<void>;
  /** Lets the program begin. */
  open(child: ChildProcess): void;
  /** Asks the group to end, and ends what is left of it after `graceMs`. */
  end(group: number, graceMs: number): Promise<void>;
  /** The group has ended. */
  remove(group: number): void;
  close(): void;
}

/** Sends SIGTERM to the group, and SIGKILL if any of it is left after `graceMs`. */
async function endGroup(group: number, graceMs: number): Promise<void> {
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
export class GroupGuard implements ProcessGuard {
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

  /** A shell waits for its sign before it becomes the program: by then the guard knows of it. */
  start(file: string, args: readonly string[], isShell: boolean, { stdin, ...options }: StartOptions): ChildProcess {
    const program = isShell ? ['/bin/sh', '-c', file] : [file, ...args];
    return spawn('/bin/sh', ['-c', GATE, 'backsolve', ...program], {
      ...options,
      detached: true,
      stdio: [stdin ?? 'pipe', 'pipe', 'pipe', 'pipe'],
    });
  }

  open(child: ChildProcess): void {
    const gate = child.stdio[3] as Writable;
    gate.on('error', () => undefined);
    gate.end('go\n');
  }

  end(group: number, graceMs: number): Promise<void> {
    return endGroup(group, graceMs);
  }

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

const GATE = 'read -r sign <&3 || exit 1; exec "$@" 3<&-';

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
