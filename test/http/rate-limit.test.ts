import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '../../harness/database-handle.ts';
import { makeSharedWindow, purgeRateLimits } from '../../src/db/accounts/rate-limits.ts';
import type { Db } from '../../src/db/connection/transaction.ts';
import {
  makeMemoryWindow,
  makeRateLimiter,
  type TakeFromWindow,
  WINDOW_SECONDS,
} from '../../src/http/fairness/rate-limiter.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { openNativeService } from './native-service.ts';

let database: TestDatabase;
let db: Db;
const open = (url: string) => connectTo(url, { poolSize: 5 });
beforeAll(async () => {
  database = await createTestDatabase();
  db = open(database.url);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const now = () => performance.now();
/** Like one process. */
const makeProcess = (limit: number, window: TakeFromWindow = shared(limit)) => makeRateLimiter({ limit }, window, now);
const shared = (limit: number) => makeSharedWindow(db, { limit, windowSeconds: WINDOW_SECONDS });

describe('limiters of several processes on one database', () => {
  it.each([1, 3, 100, 2_000])('Limiters admit exactly %i requests of a key, however they are spread', async (limit) => {
    const processes = [makeProcess(limit), makeProcess(limit), makeProcess(limit)];
    const key = `key ${limit}`;
    let allowed = 0;
    for (let request = 0; request < limit + 60; request += 20) {
      const turns = Array.from({ length: 20 }, (_, i) => processes[(request + i) % 3]!.take(key));
      allowed += (await Promise.all(turns)).filter(({ isAllowed }) => isAllowed).length;
      expect(allowed).toBeLessThanOrEqual(limit);
    }
    // A process may withhold at most a batch once it stops asking; here all keep asking.
    expect(allowed).toBe(limit);
  });

  it('Limiters count each key separately', async () => {
    const [one, other] = [makeProcess(2), makeProcess(2)];
    for (const key of ['a', 'b']) {
      expect(await one.take(key)).toMatchObject({ isAllowed: true, remaining: 1 });
      expect(await other.take(key)).toMatchObject({ isAllowed: true, remaining: 0 });
      expect(await one.take(key)).toMatchObject({ isAllowed: false, remaining: 0 });
    }
  });

  it('Limiters query the database about once per hundredth of the limit', async () => {
    let asked = 0;
    const window = shared(1_000);
    const limiter = makeProcess(1_000, (key, wanted) => {
      asked += 1;
      return window(key, wanted);
    });
    for (let request = 0; request < 500; request++) await limiter.take('often');
    expect(asked).toBe(50);
  });

  it('A process that goes idle withholds at most a batch', async () => {
    const [silent, busy] = [makeProcess(1_000), makeProcess(1_000)];
    await silent.take('stranded');
    let allowed = 1;
    while ((await busy.take('stranded')).isAllowed) allowed += 1;
    expect(allowed).toBeGreaterThanOrEqual(1_000 - 9);
  });

  it('Limiters start again when the window ends', async () => {
    const limit = 2;
    for (let request = 0; request < 3; request++) await makeProcess(limit).take('again');
    expect(await makeProcess(limit).take('again')).toMatchObject({ isAllowed: false });
    await sql`update rate_limits set expire = expire - 60000 where key = 'again'`.execute(db);
    expect(await makeProcess(limit).take('again')).toMatchObject({ isAllowed: true, remaining: 1, resetSeconds: 60 });
  });

  it('Limiters leave no row behind long after the window ended', async () => {
    await makeProcess(5).take('gone');
    await makeProcess(5).take('here');
    await sql`update rate_limits set expire = expire - 3700000 where key = 'gone'`.execute(db);
    expect(await purgeRateLimits(db)).toEqual({ purged: 1 });
    expect(await purgeRateLimits(db)).toEqual({ purged: 0 });
    expect(await makeProcess(5).take('here')).toMatchObject({ remaining: 3 });
  });

  it('Limiters count in memory while the database is unavailable', async () => {
    const away = open('postgres://nobody:nothing@127.0.0.1:1/nowhere');
    const limiter = makeProcess(2, makeSharedWindow(away, { limit: 2, windowSeconds: WINDOW_SECONDS }));
    const allowed = [];
    for (let request = 0; request < 3; request++) allowed.push((await limiter.take('key')).isAllowed);
    expect(allowed).toEqual([true, true, false]);
    await away.destroy();
  });
});

describe('a limiter', () => {
  it('A limiter always admits exactly up to the limit in a window', async () => {
    const scenario = fc.record({ limit: fc.integer({ min: 1, max: 500 }), steps: fc.array(fc.nat({ max: 30_000 })) });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ limit, steps }) => {
        let instant = 0;
        const clock = () => instant;
        const limiter = makeRateLimiter({ limit }, makeMemoryWindow(limit, clock), clock);
        for (const step of steps) {
          let allowed = 0;
          let answer = await limiter.take('key');
          const { resetSeconds } = answer;
          for (; answer.isAllowed; answer = await limiter.take('key')) allowed += 1;
          expect(allowed).toBeLessThanOrEqual(limit);
          expect(resetSeconds).toBeLessThanOrEqual(WINDOW_SECONDS);
          expect(resetSeconds).toBeGreaterThan(0);
          instant += step + WINDOW_SECONDS * 1000;
          expect(allowed).toBe(limit);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('the service', () => {
  it('The service reports the remaining requests in both dialects and refuses with 429 beyond the limit of the account, whichever key it uses', async () => {
    const service = await openNativeService({ deps: { rateLimiter: makeProcess(4) } });
    const answers = [];
    const second = service.sendAs(await service.makeKey('test'));
    for (const url of ['/v1/models', '/api/models', '/v1/models']) {
      for (const send of [service.send, second]) answers.push(await send('GET', url));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429]);
    expect(answers[0]!.headers['ratelimit-policy']).toBe('"default";q=4;w=60');
    expect(answers[0]!.headers['ratelimit']).toMatch(/^"default";r=3;t=(5\d|60)$/);
    expect(answers[4]!.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
    expect(Number(answers[4]!.headers['retry-after'])).toBeGreaterThan(0);
    expect(answers[4]!.body).toMatchObject({ status: 429, errors: [] });
    const other = service.sendAs(await service.makeKey('another'));
    expect((await other('GET', '/v1/models')).status).toBe(200);
    await service.close();
  });
});
