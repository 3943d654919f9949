/** Storage that speaks the S3 protocol, for tests: gofakes3, where it is installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const hasS3Storage = spawnSync('gofakes3', ['-h']).error === undefined;

export interface S3Storage {
  readonly endpoint: string;
  readonly bucket: string;
  /** Keys of all objects. */
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** With an empty bucket, in memory. */
export async function startS3Storage(): Promise<S3Storage> {
  const bucket = 'rig-files';
  const child = spawn('gofakes3', ['-backend', 'memory', '-initialbucket', bucket, '-host', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endpoint = `http://127.0.0.1:${await readPort(child)}`;
  return {
    endpoint,
    bucket,
    async list() {
      const text = await (await fetch(`${endpoint}/${bucket}?list-type=2`)).text();
      return Array.from(text.matchAll(/<Key>([^<]+)<\/Key>/g), ([, key]) => key!);
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

async function readPort({ stderr }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stderr! })) {
    const port = /using port: (\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    stderr!.resume();
    return port;
  }
  throw new Error('gofakes3 has ended before it listened');
}
