/** Limits of an account, an address or a connection that leave capacity for others. */
import { type AddressInfo, connect } from 'node:net';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Db } from '../../src/db/connection/transaction.ts';
import { openNativeService, prepareObjective } from './native-service.ts';

async function listen(t: Awaited<ReturnType<typeof openNativeService>>): Promise<number> {
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  return (t.app.server.address() as AddressInfo).port;
}

it('An account has a limited number of requests in progress with all its keys, and others are served meanwhile', async () => {
  const t = await openNativeService({ settings: { requestsPerAccount: 3 } });
  try {
    const { projectUrl } = await prepareObjective(t.send);
    const sibling = t.sendAs(await t.makeKey('test'));
    const other = t.sendAs(await t.makeKey('neighbour'));
    const { renames } = await t.db.transaction().execute(async (trx) => {
      await sql`select 1 from projects for update`.execute(trx);
      const renames = Array.from({ length: 3 }, () => t.send('PATCH', projectUrl, { name: 'renamed' }));
      await expect.poll(() => countWaiting(t.db)).toBe(3);
      const refused = await sibling('GET', '/v1/models');
      expect([refused.status, refused.body.type]).toEqual([429, 'urn:backsolve:problem:account-busy']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await other('GET', '/v1/models')).status).toBe(200);
      return { renames };
    });
    expect((await Promise.all(renames)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await sibling('GET', '/v1/models')).status).toBe(200);
  } finally {
    await t.close();
  }
});

it('Requests beyond the slots of a key are refused without a database query', async () => {
  const t = await openNativeService({ settings: { requestsPerAccount: 1 } });
  try {
    await t.db.transaction().execute(async (trx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(trx);
      const first = t.send('GET', '/v1/models');
      const answers = await Promise.all(Array.from({ length: 20 }, () => t.send('GET', '/v1/models')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
      return { first };
    });
  } finally {
    await t.close();
  }
});

it('An account whose statements wait leaves connections to the others', async () => {
  const t = await openNativeService({ sharesConnections: true });
  try {
    const { projectUrl } = await prepareObjective(t.send);
    const other = t.sendAs(await t.makeKey('neighbour'));
    const waiting = await t.db.transaction().execute(async (trx) => {
      await sql`select 1 from projects for update`.execute(trx);
      const renames = Array.from({ length: 40 }, () => t.send('PATCH', projectUrl, { name: 'renamed' }));
      await expect.poll(() => countWaiting(t.db)).toBeGreaterThan(3);
      expect((await other('GET', '/v1/models')).status).toBe(200);
      return { renames };
    });
    const answers = await Promise.all(waiting.renames);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    await t.close();
  }
});

async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]!.count;
}

it('Connections beyond the limit of an address are closed, and closing one makes room', async () => {
  const t = await openNativeService({ settings: { connections: { total: 100, perAddress: 2 } } });
  try {
    const port = await listen(t);
    const open = async () => {
      const socket = connect(port, '127.0.0.1');
      const isClosed = new Promise<boolean>((resolve) => {
        socket.once('close', () => resolve(true));
        socket.once('data', () => resolve(false));
      });
      socket.on('error', () => undefined);
      socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
      return { socket, isClosed: await isClosed };
    };
    const sockets = [await open(), await open(), await open()];
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, false, true]);
    const gone = new Promise((resolve) => t.app.server.once('connection', resolve));
    sockets[0]!.socket.destroy();
    await expect.poll(async () => (await open()).isClosed).toBe(false);
    await gone;
  } finally {
    await t.close();
  }
});

it('Incomplete headers are answered with 408 and cut off', async () => {
  const t = await openNativeService({ settings: { requestTimeoutMs: 300 } });
  try {
    const port = await listen(t);
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => {
      received += data.toString();
    });
    socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  } finally {
    await t.close();
  }
});

it('A connection that sends its headers slowly delays a closing server no longer than the grace period', async () => {
  const t = await openNativeService({ settings: { shutdownGraceMs: 200 } });
  try {
    const port = await listen(t);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const accepted = new Promise((resolve) => t.app.server.once('connection', resolve));
    socket.write('GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await accepted;
    const dripping = setInterval(() => socket.write('a'), 20);
    const cut = new Promise((resolve) => socket.once('close', resolve));
    await t.app.close();
    await cut;
    clearInterval(dripping);
  } finally {
    await t.close();
  }
});

it('Requests whose clients left while their keys were looked up do not occupy slots forever', async () => {
  const t = await openNativeService({ settings: { requestsPerAccount: 3 } });
  try {
    const port = await listen(t);
    const { projectUrl } = await prepareObjective(t.send);
    await t.db.transaction().execute(async (trx) => {
      await sql`lock table api_keys in access exclusive mode`.execute(trx);
      const socket = connect(port, '127.0.0.1');
      const request = `GET ${projectUrl} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n\r\n`;
      // Pipelined: the later ones never get their own answers.
      socket.write(request.repeat(3));
      await expect.poll(() => countWaiting(t.db)).toBeGreaterThan(0);
      const gone = new Promise((resolve) => socket.once('close', resolve));
      socket.destroy();
      await gone;
    });
    await expect.poll(async () => (await t.send('GET', projectUrl)).status).toBe(200);
    const all = await Promise.all([1, 2, 3].map(() => t.send('GET', projectUrl)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
  } finally {
    await t.close();
  }
});

it('HEAD of a long answer has its headers and no body', async () => {
  const t = await openNativeService();
  try {
    const model = await t.send('POST', '/v1/models', { name: 'pump' });
    const space = { minimums: Array(100).fill(0), maximums: Array(100).fill(1), inputTypes: Array(100).fill('float') };
    const project = { name: 'large', inputCount: 100, caseCount: 200, ...space };
    const { headers } = await t.send('POST', `${model.headers.location}/projects`, project);
    const head = await t.send('HEAD', headers.location as string);
    expect([head.status, head.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(head.body).toBeUndefined();
  } finally {
    await t.close();
  }
});
