/** `npx` starts a program by a shell, and neither passes on that it was killed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const POLL_MS = 500;

/** Calls `end` once the `npx` that started this process is gone; never when another program started it. */
export function onNpxGone(end) {
  const npm = findNpm();
  if (npm !== undefined) setInterval(() => isAlive(npm) || end(), POLL_MS).unref();
}

/** The process of `npx backsolve`: the parent, or the parent of the shell in between. Undefined when started otherwise. */
function findNpm() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
  if (process.platform === 'win32' || event !== 'npx' || !/^['"]?backsolve\b/.test(script)) return undefined;
  const [parent, name] = readParent(process.ppid);
  return /^-?(\S*\/)?[a-z]*sh$/.test(name) ? parent : process.ppid;
}

/** The id of the parent of a process, and the name of the process. */
function readParent(pid) {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
    const [, parent, name = ''] = /^\s*(\d+)\s+(.*)$/m.exec(stdout ?? '') ?? [];
    return [parent === undefined ? undefined : Number(parent), name];
  }
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return [Number(parent), name];
  } catch {
    return [undefined, 'sh']; // hidden from this user, or gone
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
