/** Lookups at a real name server, which answers over UDP as the test says. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { makeSender } from '../../../src/outside/webhooks/deliver.ts';
import { findTargets, makeDnsResolve, type Resolve } from '../../../src/outside/webhooks/target-guard.ts';

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;
const HEADER_BYTES = 12;

/** Addresses by name, as bytes. Other names do not exist, and 'silent' gets no answer. */
const ZONE: Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>> | 'silent'>> = {
  'public.example': { [A]: [[1, 1, 1, 1]], [AAAA]: [[0x26, 0x06, 0x47, 0, 0x47, 0, ...Array(9).fill(0), 0x11]] },
  'inner.example': { [A]: [[10, 0, 0, 1]], [AAAA]: [[0xfd, ...Array(14).fill(0), 1]] },
  'both.example': {
    [A]: [
      [127, 0, 0, 1],
      [1, 1, 1, 1],
    ],
  },
  'mapped.example': { [AAAA]: [[...Array(10).fill(0), 0xff, 0xff, 127, 0, 0, 1]] },
  'six.example': { [AAAA]: [[0x26, 0x06, 0x47, 0, 0x47, 0, ...Array(9).fill(0), 0x11]] },
  'silent.example': 'silent',
};

let server: Socket;
let resolve: Resolve;
beforeAll(async () => {
  server = createSocket('udp4', answer);
  await new Promise<void>((ready) => server.bind(0, '127.0.0.1', ready));
  resolve = makeDnsResolve([`127.0.0.1:${server.address().port}`]);
});
afterAll(() => new Promise<void>((closed) => server.close(closed)));

/** One question in, one answer out (RFC 1035, section 4). */
function answer(query: Buffer, from: RemoteInfo): void {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(HEADER_BYTES, at + 5);
  const records = ZONE[labels.join('.').toLowerCase()];
  if (records === 'silent') return;
  const found = records?.[type] ?? [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (records === undefined ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const answers = found.map((address) => {
    const record = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]);
    return Buffer.concat([record, Buffer.from(address)]);
  });
  server.send(Buffer.concat([header, question, ...answers]), from.port, from.address);
}

it('a lookup finds the addresses of both families', async () => {
  expect(await resolve('public.example')).toEqual(['1.1.1.1', '2606:4700:4700::11']);
  expect(await resolve('six.example')).toEqual(['2606:4700:4700::11']);
});

it('a lookup reports a name that does not exist', async () => {
  await expect(resolve('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each(['inner.example', 'mapped.example'])('%s, which resolves to a private address, is refused', async (name) => {
  const targets = findTargets(new URL(`https://${name}/hook`), { allowPrivate: false, resolve });
  await expect(targets).rejects.toThrow(`${name} does not resolve to a public address`);
});

it('only the public addresses of a name are used', async () => {
  const url = new URL('https://both.example/');
  expect(await findTargets(url, { allowPrivate: false, resolve })).toEqual(['1.1.1.1']);
});

it('silent name servers do not delay the lookup of another name', async () => {
  const never = new AbortController().signal;
  const options = { allowPrivate: false, resolve, userAgent: 'Backsolve', now: Date.now };
  const send = makeSender({ ...options, timeoutMs: 1_000 });
  const outgoing = {
    url: 'https://silent.example/',
    secrets: [new Uint8Array(32)],
    id: 'evt_1',
    body: Buffer.from('{}'),
  };
  let silentLeft = 20;
  const silent = Array.from({ length: silentLeft }, () =>
    send(outgoing, never).finally(() => {
      silentLeft -= 1;
    }),
  );
  await resolve('public.example');
  expect(silentLeft).toBe(20);
  expect(new Set((await Promise.all(silent)).map((attempt) => JSON.stringify(attempt)))).toEqual(
    new Set(['{"kind":"unanswered","reason":"no answer within 1000 ms"}']),
  );
});
