/** Starts what works on uploaded workbooks, if the operator allows it. */

import type { Log } from '../log.ts';
import { makeWorkbooks, type Workbooks } from '../outside/workbooks/workbooks.ts';
import { type Config, environmentForGuarded, environmentForPrograms } from '../settings/config.ts';

export function makeSheets({ workbooks }: Config, log: Log): Workbooks | undefined {
  if (workbooks.isAllowed !== true) return undefined;
  return makeWorkbooks({
    ...workbooks,
    python: workbooks.python ?? environmentForPrograms()['BACKSOLVE_PYTHON'] ?? PYTHON,
    environment: environmentForGuarded(),
    onTrouble: (reason) => log.warn({ reason }, 'workbooks.unavailable'),
  });
}

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
