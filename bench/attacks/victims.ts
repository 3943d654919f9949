/** The calls of a victim that an attack aims at, besides its usual ones. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../service/client.ts';

/** One piece of it, which is timed; rejects when it fails. */
type Piece = () => Promise<unknown>;

interface Victim {
  readonly piece: Piece;
  close(): void;
}

/** Longer than any quiet batch takes by far. */
const BATCH_LIMIT_MS = 15_000;

/** A project with constraints: about 0.1 s of computing. */
async function designer(client: Client): Promise<Victim> {
  const { id } = await client.call<{ id: number }>('POST', '/models', { name: `designs ${crypto.randomUUID()}` });
  let made = 0;
  const piece = () =>
    client.call('POST', `/models/${id}/projects`, {
      name: `design ${made++}`,
      inputCount: 3,
      minimums: [0, 0, 0],
      maximums: [1, 1, 1],
      inputTypes: ['float', 'float', 'float'],
      inputNames: ['a', 'b', 'c'],
      constraints: ['a + b + c = 1', 'a*b >= 0.05', 'a^2 + c^2 <= 0.6'],
    });
  return { piece, close: () => undefined };
}

/** A batch whose evaluator answers immediately, from its creation to its end. */
async function batcher(client: Client): Promise<Victim> {
  const server = createServer((_, response) => response.end('{"output":[1]}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id } = await client.call<{ id: number }>('POST', '/models', { name: `batches ${crypto.randomUUID()}` });
  const project = await client.call<{ id: number }>('POST', `/models/${id}/projects`, {
    name: 'line',
    inputCount: 1,
    minimums: [0],
    maximums: [1],
    inputTypes: ['float'],
    inputCases: [[0], [1]],
  });
  const piece = async () => {
    const made = await client.call<{ id: number }>('POST', `/models/${id}/projects/${project.id}/batches`, {
      objectives: [{ objectives: [1], objectiveTypes: ['value'], minimumBounds: [-1], maximumBounds: [1] }],
      evaluator: { kind: 'http', url },
    });
    const deadline = performance.now() + BATCH_LIMIT_MS;
    while (performance.now() < deadline) {
      const { status } = await client.call<{ status: string }>('GET', `/batches/${made.id}`);
      if (status === 'completed') return;
      await delay(10);
    }
    throw new Error(`batch ${made.id} is not completed after ${BATCH_LIMIT_MS} ms`);
  };
  return { piece, close: () => server.close() };
}

/** By the name of the attack. */
export const VICTIMS: Readonly<Record<string, (client: Client) => Promise<Victim>>> = {
  'silent evaluators': batcher,
  'expensive constraints': designer,
  'deep expressions': designer,
  'abandoned designs': designer,
};
