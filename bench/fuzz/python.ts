/** Prepares a Python environment with the fuzzer, once per version of requirements.txt. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/** Returns the folder of the environment in `cache`. Requires python3 with venv and, the first time, PyPI. */
export function preparePython(cache: string): string {
  const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = `${cache}/python-${version}`;
  const marker = `${folder}/complete`;
  if (existsSync(marker)) return folder;
  execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' });
  const install = ['install', '--quiet', '--disable-pip-version-check', '--requirement', REQUIREMENTS];
  execFileSync(`${folder}/bin/pip`, install, { stdio: 'inherit' });
  writeFileSync(marker, '');
  return folder;
}
