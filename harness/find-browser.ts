/**
 * The browser of the page's tests: that of TEST_BROWSER, otherwise on Linux x64 the Chromium of the package @sparticuz/chromium, otherwise
 * an installed Chrome, Edge or Chromium.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium, type LaunchOptions } from 'playwright-core';

/** Options with which Playwright launches it; can be sent to another process. */
export type BrowserToLaunch = Pick<LaunchOptions, 'executablePath' | 'channel'> & {
  readonly env?: Record<string, string>;
};

/** The browser, or the reason for its absence. Throws if TEST_BROWSER names one that does not start. */
export async function findBrowser(): Promise<BrowserToLaunch | { readonly reason: string }> {
  const given = process.env['TEST_BROWSER'] ?? '';
  if (given !== '') {
    const browser = { executablePath: given };
    await tryOut(browser);
    return browser;
  }
  const failures: string[] = [];
  for (const open of [openPackaged, ...['chrome', 'msedge'].map(openChannel), openFromPath]) {
    try {
      const browser = await open();
      if (browser === undefined) continue;
      await tryOut(browser);
      return browser;
    } catch (error) {
      failures.push((error as Error).message.split('\n')[0]!);
    }
  }
  return {
    reason: `No browser starts here (${failures.join('; ')}). Install Chrome, Edge or Chromium, or set TEST_BROWSER to one.`,
  };
}

async function tryOut(browser: BrowserToLaunch): Promise<void> {
  await (await chromium.launch(browser)).close();
}

const openChannel = (channel: string) => async (): Promise<BrowserToLaunch> => ({ channel });

async function openFromPath(): Promise<BrowserToLaunch | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)));
  const executablePath = files.find((file) => existsSync(file));
  return executablePath === undefined ? undefined : { executablePath };
}

/** Unpacked once per version and user. Its libraries are for the browser alone, not for other programs of the tests. */
async function openPackaged(): Promise<BrowserToLaunch | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const manifest = new URL('../node_modules/@sparticuz/chromium/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(caches, 'backsolve', `chromium-${version}`);
  if (!existsSync(folder)) await unpackInto(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/**
 * The package unpacks into TMPDIR, changes the environment of its process, takes any file `chromium` there for its own, and includes
 * all libraries only where it believes to run on AWS Lambda: so a process and a folder of their own.
 */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const unpacked = await mkdtemp(`${folder}-`);
  try {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'unpack-browser.ts')], {
      env: { ...process.env, TMPDIR: unpacked, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' },
    });
    await writeFile(join(unpacked, 'fonts.conf'), fontsFor(folder));
    await rename(unpacked, folder);
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** The fonts of this machine or, if it has none, that of the package. */
function fontsFor(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}
