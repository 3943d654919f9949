import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeMemoryWindow, makeRateLimiter } from '../../src/http/fairness/rate-limiter.ts';
import { makeRequestId } from '../../src/http/hooks/request-id.ts';
import { parseId } from '../../src/http/wire/ids.ts';
import { nextPageLink, parsePageQuery } from '../../src/http/wire/pages.ts';
import { applyWait, parsePrefer } from '../../src/http/wire/prefer.ts';
import { presentProblem } from '../../src/http/wire/problem.ts';

describe('Prefer', () => {
  it.each<[string | string[] | undefined, boolean, number | undefined]>([
    [undefined, false, undefined],
    ['', false, undefined],
    ['respond-async', true, undefined],
    ['Respond-Async', true, undefined],
    ['wait=10', false, 10_000],
    ['wait = 10', false, 10_000],
    ['wait="10"', false, 10_000],
    ['WAIT=0', false, 0],
    ['respond-async, wait=10', true, 10_000],
    ['wait=10;x=1, respond-async; y', true, 10_000],
    [['respond-async', 'wait=3'], true, 3_000],
    ['wait=3, wait=9', false, 3_000],
    ['wait', false, undefined],
    ['wait=soon', false, undefined],
    ['wait=-1', false, undefined],
    ['wait=1.5', false, undefined],
    ['wait=99999999999', false, undefined],
    ['return=minimal, handling=lenient', false, undefined],
    ['note="wait=5, respond-async"', false, undefined],
    ['note="open, wait=5', false, 5_000],
    [',,;,=,wait=5', false, 5_000],
  ])('The Prefer header %j is understood', (header, isAsync, waitMs) => {
    expect(parsePrefer(header)).toEqual({ isAsync, waitMs });
  });

  it('Prefer never throws and is read only as far as a known preference can reach', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (header) => void parsePrefer(header)));
    const far = `${'x,'.repeat(5_000)}respond-async`;
    expect(parsePrefer(far)).toEqual({ isAsync: false, waitMs: undefined });
  });

  it('The wait is capped by the setting, and the answer says what was applied', () => {
    const limits = { defaultMs: 20_000, maximumMs: 25_000 };
    const apply = (header: string) => applyWait(parsePrefer(header), limits);
    expect(apply('')).toEqual({ waitMs: 20_000, applied: undefined });
    expect(apply('respond-async')).toEqual({ waitMs: 0, applied: 'respond-async' });
    expect(apply('wait=5')).toEqual({ waitMs: 5_000, applied: 'wait=5' });
    expect(apply('wait=60')).toEqual({ waitMs: 25_000, applied: 'wait=25' });
    expect(apply('wait=60, respond-async')).toEqual({ waitMs: 25_000, applied: 'respond-async, wait=25' });
    expect(apply('wait=0')).toEqual({ waitMs: 0, applied: 'wait=0' });
  });
});

describe('an id', () => {
  it('An id is a positive integer in plain notation', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(parseId(String(id))).toEqual({ kind: 'id', id });
      }),
    );
    for (const text of ['', '0', '00', '01', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '0x1', 'Infinity', '１']) {
      expect(parseId(text)).toEqual({ kind: 'malformed' });
    }
    for (const text of ['9007199254740992', '9223372036854775808', '9'.repeat(400)]) {
      expect(parseId(text)).toEqual({ kind: 'beyond' });
    }
  });
});

describe('a page', () => {
  it('A page has a limit and a cursor, each with its rule', () => {
    expect(parsePageQuery({})).toEqual({ page: { limit: 50, after: null }, violations: [] });
    expect(parsePageQuery({ limit: '200', after: '7' }).page).toEqual({ limit: 200, after: 7 });
    expect(parsePageQuery({ limit: '201', after: '0' }).violations.map(({ property }) => property)).toEqual([
      'limit',
      'after',
    ]);
    expect(parsePageQuery({ limit: ['1', '2'] }).violations).toHaveLength(1);
  });

  it('A page links to the next one if there is one', () => {
    expect(nextPageLink('/v1/models', 50, null)).toBeUndefined();
    expect(nextPageLink('/v1/models', 50, 7)).toBe('</v1/models?limit=50&after=7>; rel="next"');
  });
});

describe('a problem', () => {
  it('A problem has the fields of RFC 9457 and those that clients read', () => {
    const facts = { kind: 'not-found', title: 'Resource not found', status: 404, detail: 'Gone.', instance: '/v1/x' };
    expect(presentProblem(facts)).toEqual({
      type: 'urn:backsolve:problem:not-found',
      title: 'Resource not found',
      status: 404,
      detail: 'Gone.',
      instance: '/v1/x',
      message: 'Gone.',
      errors: [],
    });
  });
});

describe('a request id', () => {
  it('A request id is the one sent if it is sane, otherwise a new one', () => {
    const idOf = (sent: string | undefined) => makeRequestId({ headers: { 'x-request-id': sent } });
    expect(idOf('run-7:a.b/c+d=e_f')).toBe('run-7:a.b/c+d=e_f');
    for (const sent of [undefined, '', 'a b', 'a\nb', '"', 'x'.repeat(129)])
      expect(idOf(sent)).toMatch(/^[\da-f-]{36}$/);
  });
});

describe('the limiter in memory', () => {
  it('The limiter in memory counts per key in windows of a minute', async () => {
    let nowMs = 5_000;
    const limiter = makeRateLimiter(
      { limit: 2 },
      makeMemoryWindow(2, () => nowMs),
      () => nowMs,
    );
    expect(await limiter.take('a')).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 60 });
    nowMs += 20_500;
    expect(await limiter.take('a')).toEqual({ isAllowed: true, remaining: 0, resetSeconds: 40 });
    expect(await limiter.take('a')).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(await limiter.take('b')).toMatchObject({ isAllowed: true, remaining: 1 });
    nowMs += 39_499;
    expect(await limiter.take('a')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
    nowMs += 1;
    expect(await limiter.take('a')).toMatchObject({ isAllowed: true, remaining: 1, resetSeconds: 60 });
  });
});
