/**
 * A process of its own, started by windows-jobs.ts: it waits until its job object has it, runs the program, which is then in the same job,
 * and ends as the program does. The program gets the streams, which this process never reads.
 */
import { spawn } from 'node:child_process';

const [mode, file = '', ...args] = process.argv.slice(2);
/** As a shell says that a program cannot be run. */
const CANNOT_RUN = 126;

let isOpen = false;
process.once('message', () => {
  isOpen = true;
  const options = { stdio: 'inherit', windowsHide: true } as const;
  const child = mode === '--shell' ? spawn(file, { ...options, shell: true }) : spawn(file, args, options);
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = CANNOT_RUN;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
});
// The evaluator is gone before it has opened.
process.once('disconnect', () => isOpen || process.exit(1));
