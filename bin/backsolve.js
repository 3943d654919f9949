#!/usr/bin/env node
/**
 * `npx backsolve ...` from a clone, under any Node from 20: Backsolve is TypeScript, which Node 20 cannot run, so this hands
 * over to the Node that package-lock.json pins. Arguments, standard streams, signals and the exit code pass through.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onNpxGone } from './npx.js';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const isWindows = process.platform === 'win32';
const pinned = fileURLToPath(new URL(`../node_modules/node/bin/node${isWindows ? '.exe' : ''}`, import.meta.url));

// An installation without development dependencies has no pinned Node; this one will do if it strips types.
const running = process.features.typescript ? process.execPath : undefined;
const node = existsSync(pinned) ? pinned : running;
if (node === undefined) {
  console.error('Dependencies are missing: run `npm ci` in the folder of the clone first.');
  process.exit(1);
}

// The options of NODE_FLAGS in src/installation.ts.
const flags = ['--max-semi-space-size=16'];

// The channel carries nothing: it closes when this process is gone, however it ended, and src/main.ts then ends as well.
const child = spawn(node, [...flags, main, ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
child.channel?.unref();

// Ctrl-C reaches the whole process group, so the child has it already; what reaches this process alone is passed on.
const passOn = (signal) => child.kill(signal);
process.on('SIGTERM', passOn);
process.on('SIGHUP', passOn);
process.on('SIGINT', (signal) => {
  if (!process.stdin.isTTY) passOn(signal);
});

onNpxGone(() => passOn('SIGTERM'));

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
