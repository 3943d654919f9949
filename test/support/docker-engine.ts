/** Asks a Docker engine over its socket, with a time limit on every answer, so that a hanging engine cannot hang the tests. */
import { request } from 'node:http';

const ANSWER_MS = 1_500;
const PULL_MS = 60_000;

/** Whether an engine answers and has `image`, which is pulled if that takes less than a minute. */
export async function dockerOffers(image: string): Promise<boolean> {
  if (!(await ask('GET', '/_ping', ANSWER_MS))) return false;
  if (await hasImage(image)) return true;
  const [name, tag] = image.split(':');
  // A failed pull is answered with 200 as well, with the error in the stream.
  await ask('POST', `/images/create?fromImage=${name}&tag=${tag}`, PULL_MS);
  return hasImage(image);
}

export function hasImage(image: string): Promise<boolean> {
  return ask('GET', `/images/${encodeURIComponent(image)}/json`, 2 * ANSWER_MS);
}

/** Whether the engine answered completely, in time and with 2xx. */
function ask(method: string, path: string, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const engine = engineAddress();
    if (engine === undefined) return resolve(false);
    const asked = request({ ...engine, method, path, signal: AbortSignal.timeout(limitMs) }, (response) => {
      const success = response.statusCode !== undefined && response.statusCode < 300;
      response.resume();
      response.once('end', () => resolve(success));
      response.once('error', () => resolve(false));
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

/** Returns the address in DOCKER_HOST. Engines behind TLS or ssh are ignored: the embedded server serves as well. */
function engineAddress(): { socketPath: string } | { host: string; port: string } | undefined {
  const given = process.env['DOCKER_HOST'] ?? '';
  if (given === '') return { socketPath: '/var/run/docker.sock' };
  if (!URL.canParse(given)) return undefined;
  const url = new URL(given);
  if (url.protocol === 'unix:') return { socketPath: url.pathname };
  return url.protocol === 'tcp:' ? { host: url.hostname, port: url.port } : undefined;
}
