/**
 * The published JavaScript client, if it is installed in node_modules of this repository or in the folder named by
 * TEST_JAVASCRIPT_CLIENT. Not every registry has its package, so the tests do not depend on it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PACKAGE = 'node_modules/@globalmoo/globalmoo-sdk';
const PROGRAM_LIMIT_MS = 60_000;

export type JavascriptClient =
  | { readonly kind: 'installed'; readonly folder: string; readReadme(): Promise<string> }
  | { readonly kind: 'missing'; readonly reason: string };

export function findJavascriptClient(): JavascriptClient {
  const folder = process.env['TEST_JAVASCRIPT_CLIENT'] || new URL('../..', import.meta.url).pathname;
  if (!existsSync(join(folder, PACKAGE, 'package.json'))) {
    return { kind: 'missing', reason: '@globalmoo/globalmoo-sdk is not installed (see docs/clients.md)' };
  }
  return { kind: 'installed', folder, readReadme: () => readFile(join(folder, PACKAGE, 'README.md'), 'utf8') };
}

/** Runs a program as a module in the client's folder, against the service at `url`. Returns its output. */
export async function runJavascript(
  program: string,
  options: { readonly folder: string; readonly url: string; readonly key: string },
): Promise<string> {
  const running = run(process.execPath, ['--input-type=module', '-'], {
    cwd: options.folder,
    timeout: PROGRAM_LIMIT_MS,
    env: {
      PATH: process.env['PATH'] ?? '',
      GMOO_API_KEY: options.key,
      GMOO_API_URI: `${options.url}/api/`,
      NO_PROXY: '127.0.0.1,localhost',
    },
  });
  running.child.stdin!.end(program);
  return (await running).stdout;
}
