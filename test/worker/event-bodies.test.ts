import { expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/domain/webhooks/event.ts';
import { EventBodies } from '../../src/worker/event-bodies.ts';

const MEBIBYTE = 1024 * 1024;

function eventOf(id: number): RecordedEvent {
  return { id, accountId: 1, name: 'project.created', resourceId: 1, createdAt: new Date(0) };
}

/** A cache whose renderings end when the test resolves them, with a simulated clock. */
function makeBodies() {
  const renderings: { readonly id: number; readonly end: PromiseWithResolvers<Uint8Array | undefined> }[] = [];
  let now = 0;
  const bodies = new EventBodies(
    ({ id }) => {
      const end = Promise.withResolvers<Uint8Array | undefined>();
      renderings.push({ id, end });
      return end.promise;
    },
    () => now,
  );
  const advance = (ms: number) => {
    now += ms;
  };
  return { bodies, renderings, advance };
}

it('an event is rendered once for all requests during the rendering and for 3 s after', async () => {
  const t = makeBodies();
  const asked = [t.bodies.of(eventOf(1)), t.bodies.of(eventOf(1))];
  expect(t.renderings).toHaveLength(1);
  const body = new Uint8Array(5);
  t.renderings[0]!.end.resolve(body);
  expect(await Promise.all(asked)).toEqual([body, body]);
  t.advance(2_999);
  expect(await t.bodies.of(eventOf(1))).toBe(body);
  expect(t.renderings).toHaveLength(1);
});

it('a body is rendered again after 3 s, so that a retry shows the record as it is then', async () => {
  const t = makeBodies();
  const first = t.bodies.of(eventOf(1));
  t.renderings[0]!.end.resolve(new Uint8Array(1));
  await first;
  t.advance(3_000);
  const second = t.bodies.of(eventOf(1));
  t.renderings[1]!.end.resolve(new Uint8Array(2));
  expect(await second).toHaveLength(2);
});

it('a failure is not cached, but the absence of a record is', async () => {
  const t = makeBodies();
  const failed = t.bodies.of(eventOf(1));
  t.renderings[0]!.end.reject(new Error('the database is away'));
  await expect(failed).rejects.toThrow('away');
  const gone = t.bodies.of(eventOf(1));
  t.renderings[1]!.end.resolve(undefined);
  expect(await gone).toBeUndefined();
  expect(await t.bodies.of(eventOf(1))).toBeUndefined();
  expect(t.renderings).toHaveLength(2);
});

it('at most 16 MiB are cached, and the oldest bodies are dropped first', async () => {
  const t = makeBodies();
  for (const id of [1, 2, 3]) {
    const body = t.bodies.of(eventOf(id));
    t.renderings.at(-1)!.end.resolve(new Uint8Array(6 * MEBIBYTE));
    await body;
  }
  for (const id of [3, 2]) await t.bodies.of(eventOf(id));
  expect(t.renderings).toHaveLength(3);
  void t.bodies.of(eventOf(1));
  expect(t.renderings.map(({ id }) => id)).toEqual([1, 2, 3, 1]);
});

it('at most four bodies are rendered at a time', async () => {
  const t = makeBodies();
  const asked = [1, 2, 3, 4, 5, 6].map((id) => t.bodies.of(eventOf(id)));
  expect(t.renderings.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  t.renderings[0]!.end.resolve(undefined);
  await asked[0];
  await expect.poll(() => t.renderings.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  for (const { end } of t.renderings) end.resolve(undefined);
  await expect.poll(() => t.renderings.length).toBe(6);
  t.renderings[5]!.end.resolve(undefined);
  await Promise.all(asked);
});
