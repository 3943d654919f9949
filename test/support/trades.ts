/** The guides by trade, docs/guides/with-*.md, and the program or the module of Python that each of them needs. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const PROGRAMS: Readonly<Record<string, string>> = {
  'with-calculix': 'ccx',
  'with-ngspice': 'ngspice',
  'with-octave': 'octave-cli',
};
const MODULES: Readonly<Record<string, string>> = {
  'with-cantera': 'cantera',
  'with-epanet': 'wntr',
  'with-pandapower': 'pandapower',
  'with-swmm': 'pyswmm',
};

export function isOfTrade(page: string): boolean {
  return page.startsWith('docs/guides/with-');
}

/** Programs that this machine lacks to play the guide; undefined if it lacks none. */
export function findMissing(page: string): string | undefined {
  if (!isOfTrade(page)) return undefined;
  const name = path.basename(page, '.md');
  const [program, module] = [PROGRAMS[name], MODULES[name]];
  if (program !== undefined) return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0 ? undefined : program;
  if (module === undefined) throw new Error(`test/support/trades.ts does not say what ${page} needs`);
  const find = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)`;
  return spawnSync('python3', ['-c', find]).status === 0 ? undefined : `the Python module ${module}`;
}
