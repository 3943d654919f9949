#!/usr/bin/env node
/**
 * `npx backsolve ...` from a clone, under any Node from 20: Backsolve is TypeScript, which Node 20 cannot run, so this hands
 * over to the Node that package-lock.json pins. Arguments, standard streams, signals and the exit code pass through.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const isWindows = process.platform === 'win32';
const pinned = fileURLToPath(new URL(`../node_modules/node/bin/node${isWindows ? '.exe' : ''}`, import.meta.url));

// An installation without development dependencies has no pinned Node; this one will do if it strips types.
const node = existsSync(pinned) ? pinned : process.features.typescript ? process.execPath : undefined;
if (node === undefined) {
  console.error('Dependencies are missing: run `npm ci` in the folder of the clone first.');
  process.exit(1);
}

// The channel carries nothing: it closes when this process is gone, however it ended, and src/main.ts then ends as well.
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
child.channel?.unref();

// Ctrl-C reaches the whole process group, so the child has it already; what reaches this process alone is passed on.
const passOn = (signal) => child.kill(signal);
process.on('SIGTERM', passOn);
process.on('SIGHUP', passOn);
process.on('SIGINT', (signal) => {
  if (!process.stdin.isTTY) passOn(signal);
});

// `npx` starts this by a shell, and neither passes on that it was killed.
const npm = findNpm();
if (npm !== undefined) setInterval(() => isAlive(npm) || passOn('SIGTERM'), 500).unref();

child.on('error', (error) => {
  console.error(`${node} could not be started: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  // End as the child did, for callers that look at the signal.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

/** The process of `npx backsolve`: the parent, or the parent of the shell in between. Undefined when started otherwise. */
function findNpm() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
  if (isWindows || event !== 'npx' || !/^['"]?backsolve\b/.test(script)) return undefined;
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
