/**
 * Attacks by which one account, or a client without a key, may deny the service to others. Each attack prepares its requests, calls
 * `begin`, continues until the deadline that it returns, and then returns the answers it received.
 */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { formatApiKey, makeApiKey } from '../../src/domain/accounts/api-key.ts';

interface Target {
  readonly host: string;
  readonly port: number;
  /** An API key of the attacker's own account. */
  readonly key: string;
  /** Reports that the preparations are over; returns performance.now() at which the attack ends. */
  begin(): number;
}

/** The count of each status; 'cut' if the connection was closed instead. */
type Answers = Map<number | 'cut', number>;

export type Attack = (target: Target) => Promise<Answers>;

/** Attacks come from a separate address, as from another machine. */
const LOCAL_ADDRESS = '127.0.0.2';
const MEBIBYTE = 1024 * 1024;
const LARGE = 31 * MEBIBYTE;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, localAddress: LOCAL_ADDRESS });

interface Sent {
  readonly status: number | 'cut';
  readonly body: string;
}

/** Sends one request; never rejects. */
function send(target: Target, method: string, path: string, body?: Buffer, key: string = target.key): Promise<Sent> {
  return new Promise((resolve) => {
    const cut = () => resolve({ status: 'cut', body: '' });
    const headers = {
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
    };
    const { host, port } = target;
    const outgoing = request({ host, port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      let kept = 0;
      response.on('data', (chunk: Buffer) => {
        if (kept < MEBIBYTE) chunks.push(chunk);
        kept += chunk.length;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }));
      response.on('error', cut);
    });
    outgoing.on('error', cut);
    outgoing.end(body);
  });
}

/** Runs `width` concurrent senders, each of which sends again as soon as it is answered. */
async function flood(target: Target, width: number, sendOne: () => Promise<Sent>): Promise<Answers> {
  const answers: Answers = new Map();
  const deadline = target.begin();
  const sender = async () => {
    while (performance.now() < deadline) {
      const { status } = await Promise.race([sendOne(), delay(deadline - performance.now(), HELD)]);
      count(answers, status);
      // A client that repeats refused requests immediately would mostly use its own processor time.
      if (status !== 200 && status !== 201) await delay(10);
    }
  };
  await Promise.all(Array.from({ length: width }, sender));
  return answers;
}

/** The request was still open when the attack ended. */
const HELD: Sent = { status: 0, body: '' };

function count(answers: Answers, status: number | 'cut'): void {
  answers.set(status, (answers.get(status) ?? 0) + 1);
}

/** Opens `width` connections that send `opening` and then one byte per second; reopens closed ones. */
async function drip(target: Target, width: number, opening: (i: number) => Buffer): Promise<Answers> {
  const answers: Answers = new Map();
  const deadline = target.begin();
  const sockets = new Set<Socket>();
  const open = (i: number): void => {
    const socket = connect({ host: target.host, port: target.port, localAddress: LOCAL_ADDRESS });
    sockets.add(socket);
    let status: number | 'cut' = 'cut';
    socket.on('connect', () => socket.write(opening(i)));
    socket.on('data', (data: Buffer) => {
      status = Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 0);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (performance.now() >= deadline) return;
      count(answers, status);
      setTimeout(() => performance.now() < deadline && open(i), 100);
    });
  };
  for (let i = 0; i < width; i++) {
    open(i);
    if (i % 50 === 49) await delay(5);
  }
  while (performance.now() < deadline) {
    await delay(1_000);
    for (const socket of sockets) socket.write('1');
  }
  answers.set(0, sockets.size);
  for (const socket of sockets) socket.destroy();
  return answers;
}

function head({ host, port, key }: Target, path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

function fill(opening: string, piece: (i: number) => string, closing: string, length = LARGE): Buffer {
  const parts = [opening];
  for (let i = 0, size = opening.length; size < length - closing.length - 40; i++) {
    const part = piece(i);
    parts.push(part);
    size += part.length;
  }
  return Buffer.from(parts.join('') + closing);
}

const PROJECT = { name: 'attack', inputTypes: [] as string[], categories: [] };

function project(inputCount: number, more: object): Buffer {
  return Buffer.from(
    JSON.stringify({
      ...PROJECT,
      inputCount,
      minimums: new Array(inputCount).fill(0),
      maximums: new Array(inputCount).fill(1),
      inputTypes: new Array(inputCount).fill('float'),
      ...more,
    }),
  );
}

async function makeModel(target: Target): Promise<number> {
  const body = Buffer.from(JSON.stringify({ name: `attack ${crypto.randomUUID()}` }));
  return (JSON.parse((await send(target, 'POST', '/v1/models', body)).body) as { id: number }).id;
}

async function makeProject(target: Target, body: Buffer): Promise<string> {
  const path = `/v1/models/${await makeModel(target)}/projects`;
  const { body: answer } = await send(target, 'POST', path, body);
  return `${path}/${/"id":(\d+)/.exec(answer)![1]}`;
}

/** The largest cases that the default limits allow: 500,000 numbers. */
const ROWS = 2_500;
const COLUMNS = 200;
const row = (columns: number): string =>
  JSON.stringify(Array.from({ length: columns }, (_, j) => Math.round(1e15 * Math.abs(Math.sin(j + 1))) / 1e15));

function largestProject(): Buffer {
  const cases = `[${new Array(ROWS).fill(row(COLUMNS)).join(',')}]`;
  return Buffer.from(
    project(COLUMNS, { inputCases: [] }).toString().replace('"inputCases":[]', `"inputCases":${cases}`),
  );
}

async function loadObjectives(target: Target, howMany: number): Promise<readonly string[]> {
  const inputCases = [
    [0, 0],
    [1, 1],
  ];
  const path = await makeProject(target, project(2, { inputCases }));
  const cases = Buffer.from(JSON.stringify({ outputCount: 1, outputCases: [[1], [2]] }));
  const { body } = await send(target, 'POST', `${path}/output-cases`, cases);
  const trial = `${path}/trials/${/"trial_id":(\d+)/.exec(body)![1]}`;
  const objective = { objectives: [-1e6], objectiveTypes: ['lessthan'], desiredL1Norm: 0, initialInput: [0, 0] };
  // Each alone, so that all of them cost the same.
  const text = Buffer.from(JSON.stringify({ ...objective, initialOutput: [1], reuse: false }));
  const paths: string[] = [];
  while (paths.length < howMany) {
    const made = await Promise.all(Array.from({ length: 8 }, () => send(target, 'POST', `${trial}/objectives`, text)));
    for (const { status, body: answer } of made) {
      if (status === 201) paths.push(`${trial}/objectives/${/"id":(\d+)/.exec(answer)![1]}`);
    }
    if (made.some(({ status }) => status === 429)) await delay(1_000);
  }
  return paths;
}

function constrained(inputCount: number, constraints: readonly string[]): Buffer {
  const inputNames = Array.from({ length: inputCount }, (_, i) => `x${i}`);
  return project(inputCount, { maximums: new Array(inputCount).fill(10), inputNames, constraints });
}

function sines(i: number): Buffer {
  const product = Array.from({ length: 12 }, (_, k) => `x${k}`).join('*');
  return constrained(40, new Array<string>(100).fill(`sin(${product}) >= -0.9${i}`));
}

/** Sends a request and disconnects after some milliseconds, unless it is answered before. */
async function abandon(target: Target, path: string, body: Buffer, afterMs: number): Promise<Sent> {
  const socket = connect({ host: target.host, port: target.port, localAddress: LOCAL_ADDRESS });
  let status: number | 'cut' = 'cut';
  socket.on('data', (data) => {
    status = Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? status);
  });
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([Buffer.from(head(target, path, body.length)), body]));
  await delay(afterMs);
  socket.destroy();
  return { status, body: '' };
}

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'slow bodies': (target) => drip(target, 2_100, () => Buffer.from(`${head(target, '/v1/models', 60_000)}{"name":"`)),

  'half-sent headers': (target) =>
    drip(target, 2_100, () => Buffer.from(`POST /v1/models HTTP/1.1\r\nHost: ${target.host}:${target.port}\r\nX: `)),

  'unfinished bodies': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const most = Buffer.concat([Buffer.from(head(target, path, LARGE)), Buffer.alloc(LARGE - MEBIBYTE, ' ')]);
    return drip(target, 100, () => most);
  },

  'unknown keys': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const body = fill('{"name":"abcd"', (i) => `,"k${i}":0`, '}');
    return flood(target, 8, () => send(target, 'POST', path, body));
  },

  'unknown keys without cases': (target) => {
    const body = fill('{"name":"abcd"', (i) => `,"k${i}":0`, '}');
    return flood(target, 8, () => send(target, 'POST', '/v1/models', body));
  },

  'arrays of one': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const body = fill('{"a":[[0]', () => ',[0]', ']}');
    return flood(target, 8, () => send(target, 'POST', path, body));
  },

  'deep bodies': async (target) => {
    const body = Buffer.from(`{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    return flood(target, 16, () => send(target, 'POST', '/v1/models', body));
  },

  'full bodies': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const rows = fill('', () => `${row(COLUMNS)},`, '', LARGE - 10_000);
    const text = project(COLUMNS, { inputCases: [] }).toString();
    const body = Buffer.from(text.replace('"inputCases":[]', `"inputCases":[${rows.toString().replace(/,$/, '')}]`));
    return flood(target, 30, () => send(target, 'POST', path, body));
  },

  'largest projects': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const body = largestProject();
    return flood(target, 12, () => send(target, 'POST', path, body));
  },

  'largest designs': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const body = project(COLUMNS, { caseCount: ROWS });
    return flood(target, 12, () => send(target, 'POST', path, body));
  },

  'designs beyond the limit': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    const body = project(COLUMNS, { caseCount: 10_000 });
    return flood(target, 12, () => send(target, 'POST', path, body));
  },

  'largest reads': async (target) => {
    const path = await makeProject(target, largestProject());
    return flood(target, 24, () => send(target, 'GET', path));
  },

  'expensive waits': async (target) => {
    const paths = await loadObjectives(target, 1_100);
    let next = 0;
    return flood(target, 1_100, () => send(target, 'POST', `${paths[next++ % paths.length]}/inverses`));
  },

  'small requests': (target) => flood(target, 300, () => send(target, 'GET', '/v1/models')),

  /** Well-formed and all different, so that only the database can reject them. */
  'forged keys': (target) =>
    flood(target, 300, () => send(target, 'GET', '/v1/models', undefined, formatApiKey(makeApiKey()))),

  /** 50 inputs, 50 outputs and 500 cases: a suggestion takes seconds. */
  'slow suggestions': async (target) => {
    const [inputs, outputs, cases] = [50, 50, 500];
    const numbers = (rows: number, columns: number, seed: number) =>
      Array.from({ length: rows }, (_, i) =>
        Array.from({ length: columns }, (_, j) => Math.abs(Math.sin(seed + 1.7 * i * columns + j))),
      );
    const path = await makeProject(target, project(inputs, { inputCases: numbers(cases, inputs, 1) }));
    const loaded = Buffer.from(JSON.stringify({ outputCount: outputs, outputCases: numbers(cases, outputs, 2) }));
    const { body } = await send(target, 'POST', `${path}/output-cases`, loaded);
    const trial = `${path}/trials/${/"trial_id":(\d+)/.exec(body)![1]}`;
    const objective = {
      objectives: new Array(outputs).fill(-1e3),
      objectiveTypes: new Array(outputs).fill('lessthan'),
      desiredL1Norm: 0,
      initialInput: new Array(inputs).fill(0.5),
      initialOutput: new Array(outputs).fill(1),
      reuse: false,
    };
    const text = Buffer.from(JSON.stringify(objective));
    return flood(target, 20, async () => {
      const { body: made } = await send(target, 'POST', `${trial}/objectives`, text);
      return send(target, 'POST', `${trial}/objectives/${/"id":(\d+)/.exec(made)?.[1]}/inverses`);
    });
  },

  /** Each batch may have as many calls as an evaluator takes at a time. */
  'silent evaluators': async (target) => {
    const silent = createServer(() => undefined);
    await once(silent.listen(0, LOCAL_ADDRESS), 'listening');
    const url = `http://${LOCAL_ADDRESS}:${(silent.address() as AddressInfo).port}/`;
    const path = await makeProject(
      target,
      project(1, { inputCases: Array.from({ length: 500 }, (_, i) => [i / 500]) }),
    );
    const body = Buffer.from(
      JSON.stringify({
        objectives: [{ objectives: [1], objectiveTypes: ['value'], minimumBounds: [-1], maximumBounds: [1] }],
        evaluator: { kind: 'http', url, timeoutSeconds: 1_209_600 },
      }),
    );
    const made = await Promise.all(Array.from({ length: 16 }, () => send(target, 'POST', `${path}/batches`, body)));
    // Until the calls of the first claims are under way.
    await delay(3_000);
    const answers = await flood(target, 1, () => delay(500).then(() => send(target, 'GET', '/v1/batches?limit=1')));
    for (const { status } of made) count(answers, status);
    const ids = made.map(({ body: answer }) => /"id":(\d+)/.exec(answer)?.[1]);
    await Promise.all(ids.map((id) => send(target, 'POST', `/v1/batches/${id}/cancel`, Buffer.from('{}'))));
    silent.closeAllConnections();
    silent.close();
    return answers;
  },

  /** 5 KB each, all different. */
  'expensive constraints': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    let next = 0;
    return flood(target, 8, () => send(target, 'POST', path, sines(next++)));
  },

  'deep expressions': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    let next = 0;
    const deep = () => `${'min('.repeat(40)}x0${',x1)'.repeat(40)} >= 9.${next++}`;
    return flood(target, 8, () => send(target, 'POST', path, constrained(20, [deep(), 'sin(x2*x3*x4) >= 0.9'])));
  },

  /** Whoever sends them disconnects before they are done. */
  'abandoned designs': async (target) => {
    const path = `/v1/models/${await makeModel(target)}/projects`;
    let next = 0;
    return flood(target, 8, () => abandon(target, path, sines(next++), 400));
  },

  'large registrations': (target) => {
    const body = fill('{"company":"', () => 'x'.repeat(1_000), '"}');
    return flood(target, 12, () => send(target, 'POST', '/api/accounts/register', body, ''));
  },
};
