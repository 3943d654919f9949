/** Read-only links to an objective: what they show, to whom, until when, and that nothing else takes their tokens. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seedObjective } from '../../harness/seeded-history.ts';
import { purgeDeleted } from '../../src/application/deletion/purge-deleted.ts';
import { purgeLinks } from '../../src/application/exports/shared-links.ts';
import { MAXIMUM_LINKS } from '../../src/domain/exports/shared-link.ts';
import { WrongKeys } from '../../src/http/fairness/wrong-keys.ts';
import { NATIVE_OPERATIONS } from '../../src/http/native/routes.ts';
import { SDK_OPERATIONS } from '../../src/http/sdk/routes.ts';
import { type NativeService, openNativeService } from './native-service.ts';

const LIMIT = 5;
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let service: NativeService;
let id: number;
const used: number[] = [];
const clock = { ms: 1_000_000 };
beforeAll(async () => {
  const wrongKeys = new WrongKeys({ limit: LIMIT, now: () => clock.ms });
  service = await openNativeService({
    settings: { publicUrl: 'https://backsolve.example' },
    deps: { wrongKeys, noteLinkUse: (link) => void used.push(link) },
  });
  id = await seed();
});
afterAll(() => service.close());
// Another minute: earlier wrong links are forgotten.
beforeEach(() => {
  clock.ms += 120_000;
});

async function seed(): Promise<number> {
  const post = async (method: string, path: string, body: object) => {
    const answer = await service.send(method as 'POST', `/v1${path}`, body);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };
  return seedObjective(post, service.db, { inputs: 2, outputs: 2, runs: 12 });
}

async function share(body: object = {}, objective = id) {
  const made = await service.send('POST', `/v1/objectives/${objective}/links`, body);
  expect(made.status, made.text).toBe(201);
  const url = new URL(made.body.url);
  return { ...made.body, path: url.pathname, token: url.pathname.split('/')[2]! };
}

async function open(path: string, headers: Readonly<Record<string, string>> = BROWSER) {
  const answer = await service.app.inject({ method: 'GET', url: path, headers });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body };
}

const note = (objective: number, text: string) => service.send('PATCH', `/v1/objectives/${objective}`, { label: text });

describe('a link to an objective', () => {
  it('shows its present state without a key, with its runs as CSV and XLSX and the report as PDF', async () => {
    const { url, path } = await share();
    expect(url).toBe(`https://backsolve.example${path}`);
    const page = await open(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h2 dir="auto">Runs</h2>');
    await note(id, 'For the bench in hall 3');
    expect((await open(path)).text).toContain('<h1 dir="auto">For the bench in hall 3</h1>');
    const hrefs = Array.from(page.text.matchAll(/href="([^"]*)"/g), ([, href]) => href!);
    expect(hrefs).toEqual(['report.pdf', 'runs.csv', 'runs.xlsx']);
    const [pdf, csv, xlsx] = await Promise.all(hrefs.map((href) => open(`${path}${href}`)));
    expect(pdf!.bytes.toString('latin1', 0, 5)).toBe('%PDF-');
    expect(csv!.text.trim().split('\r\n')).toHaveLength(1 + 12);
    expect(xlsx!.bytes.toString('latin1', 0, 2)).toBe('PK');
    for (const file of [pdf, csv, xlsx])
      expect(file!.headers['content-disposition']).toMatch(/^attachment; filename="/);
  });

  it('keeps its address to itself, stays out of shared caches and search engines, and runs nothing', async () => {
    const { path } = await share();
    const { headers, text } = await open(path);
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['set-cookie']).toBeUndefined();
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(text)!;
    expect(style).toBeDefined();
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-downloads$/,
    );
    expect(text).not.toMatch(/<script|<link|<img|<form|style=| src=/);
  });

  it('answers 304 to a browser that has the present state, and brings an address without its slash to the page', async () => {
    const { path } = await share();
    const etag = String((await open(path)).headers['etag']);
    expect((await open(path, { ...BROWSER, 'if-none-match': etag })).status).toBe(304);
    const moved = await open(`${path.replace(/\/$/, '')}?cell=c2`);
    expect([moved.status, moved.headers['location']]).toEqual([308, `${path}?cell=c2`]);
  });

  it('is listed without its address, with its last use, for its objective and for the account', async () => {
    const { url: _, path: __, token, ...shown } = await share({ label: 'for the supplier' });
    await open(`/shared/${token}/`);
    expect(used.at(-1)).toBe(shown.id);
    for (const list of [`/v1/objectives/${id}/links`, '/v1/links?limit=100']) {
      const { body, text } = await service.send('GET', list);
      expect(body.at(-1)).toEqual(shown);
      expect(text).not.toContain(token);
    }
    const { body: me } = await service.send('GET', '/v1/me');
    expect(shown.createdBy).toBe(me.actor);
    const days = (Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
  });

  it('leaves nothing but a hash of its token in the database', async () => {
    const { token } = await share();
    const { rows } = await sql<{ text: string }>`select l::text as text from shared_links l`.execute(service.db);
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(token);
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('a link to a report', () => {
  it('shows the report as it was, to the byte, whatever changes', async () => {
    const objective = await seed();
    await note(objective, 'Before');
    const { path } = await share({ kind: 'report' }, objective);
    const [html, pdf] = [await open(path), await open(`${path}report.pdf`)];
    expect(html.text).toContain('<h1 dir="auto">Before</h1>');
    expect(Array.from(html.text.matchAll(/href="([^"]*)"/g), ([, href]) => href)).toEqual(['report.pdf']);
    expect(html.headers['content-disposition']).toBe('inline; filename="Before-report.html"');
    expect(pdf.headers['content-disposition']).toBe('attachment; filename="Before-report.pdf"');
    await note(objective, 'After');
    expect((await open(path)).bytes.equals(html.bytes)).toBe(true);
    expect((await open(`${path}report.pdf`)).bytes.equals(pdf.bytes)).toBe(true);
    expect((await open(`${path}runs.csv`)).status).toBe(404);
  });

  it('makes its report once under an Idempotency-Key, and gives the same address again', async () => {
    const send = () =>
      service.send('POST', `/v1/objectives/${id}/links`, { kind: 'report' }, { 'idempotency-key': 'report-1' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
  });
});

describe('the end of a link', () => {
  const expectEnded = async (path: string) => {
    const page = await open(path);
    expect(page.status).toBe(404);
    expect(page.text).toContain('Ask whoever sent it to you for a new one.');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const problem = await open(`${path}runs.csv`, {});
    expect(JSON.parse(problem.text).type).toBe('urn:backsolve:problem:shared-link-ended');
  };

  it('comes with its revocation', async () => {
    const { path, id: link } = await share();
    expect((await service.send('DELETE', `/v1/links/${link}`)).status).toBe(204);
    await expectEnded(path);
    expect((await service.send('DELETE', `/v1/links/${link}`)).status).toBe(404);
  });

  it('comes at its time; the link stays in the list for a while and then goes', async () => {
    const { path, id: link } = await share();
    const end = (days: number) =>
      sql`update shared_links set expires_at = now() - make_interval(days => ${days}) where id = ${link}`.execute(
        service.db,
      );
    const isListed = async () =>
      (await service.send('GET', '/v1/links?limit=100')).body.some((one: { id: number }) => one.id === link);
    await end(0);
    await expectEnded(path);
    await purgeLinks(service.db);
    expect(await isListed()).toBe(true);
    await end(31);
    expect(await purgeLinks(service.db)).toEqual({ purged: 1 });
    expect(await isListed()).toBe(false);
  });

  it('comes with the deletion of its objective, and no link is made to a deleted one', async () => {
    const objective = await seed();
    const { path } = await share({}, objective);
    const { path: kept } = await share({ kind: 'report' }, objective);
    await service.send('DELETE', `/v1/objectives/${objective}`);
    await expectEnded(path);
    await expectEnded(kept);
    expect((await service.send('POST', `/v1/objectives/${objective}/links`, {})).status).toBe(404);
    await service.send('DELETE', '/v1/deleted');
    await purgeDeleted(service.db, { keptDays: 30 });
    const left = await sql`select from shared_links where objective_id = ${objective}`.execute(service.db);
    expect(left.rows).toHaveLength(0);
  });

  it('comes when the account is disabled', async () => {
    const { path } = await share();
    const disable = (at: string | null) =>
      sql`update accounts set disabled_at = ${at}::timestamptz where name = 'test'`.execute(service.db);
    await disable('2026-01-01');
    await expectEnded(path);
    await disable(null);
    expect((await open(path)).status).toBe(200);
  });
});

describe('refusals', () => {
  it('An end that is past or too far away is refused with the time of the service', async () => {
    for (const [expiresAt, message] of [
      ['2026-01-01T00:00:00Z', 'must be in the future'],
      ['2099-01-01T00:00:00Z', 'must be within 366 days'],
    ]) {
      const { status, body } = await service.send('POST', `/v1/objectives/${id}/links`, { expiresAt });
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ property: 'expiresAt', message: expect.stringContaining(message!) });
    }
  });

  it('An account has a limited number of links', async () => {
    const send = service.sendAs(await service.makeKey('crowded'));
    const model = (await send('POST', '/v1/models', { name: 'crowded' })).body;
    expect(model.id).toBeGreaterThan(0);
    await sql`
      insert into shared_links (account_id, objective_id, token_hash, kind, created_by, expires_at)
      select (select account_id from objectives where id = ${id}), ${id}, sha256(n::text::bytea), 'objective', 'crowd', now()
      from generate_series(1, ${MAXIMUM_LINKS}::int) n`.execute(service.db);
    const { status, body } = await service.send('POST', `/v1/objectives/${id}/links`, {});
    expect([status, body.type]).toEqual([400, 'urn:backsolve:problem:limit-reached']);
    await sql`delete from shared_links where expires_at <= now()`.execute(service.db);
  });

  it('A key that may only read makes and revokes no links', async () => {
    const { id: link } = await share();
    const reader = service.sendAs(await service.makeKey('test', ['read']));
    expect((await reader('POST', `/v1/objectives/${id}/links`, {})).status).toBe(403);
    expect((await reader('DELETE', `/v1/links/${link}`)).status).toBe(403);
  });

  it('An address that tries wrong links has to wait, and one that was right before still works', async () => {
    const { path } = await share();
    expect((await open(path)).status).toBe(200);
    for (let i = 0; i < LIMIT; i++) expect((await open(`/shared/wrong-${i}/`)).status).toBe(404);
    const slowed = await open('/shared/wrong/');
    expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '60']);
    expect(
      (await service.app.inject({ url: '/v1/models', headers: { authorization: 'Bearer bks_x' } })).statusCode,
    ).toBe(429);
    expect((await open(path)).status).toBe(200);
  });
});

const OPERATIONS = [
  ...NATIVE_OPERATIONS.map((operation) => ({ prefix: '/v1', operation })),
  ...SDK_OPERATIONS.map((operation) => ({ prefix: '/api', operation })),
].map(({ prefix, operation: { method, path } }) => ({
  name: `${method} ${prefix}${path}`,
  method,
  path: `${prefix}${path}`,
}));

describe('a token of a link', () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await share());
  });

  it.each(OPERATIONS)('opens nothing as a key, in a header or in a cookie at $name', async ({ method, path }) => {
    const url = path.replace(/\{\w+\}/g, String(id));
    const proofs = [
      { authorization: `Bearer ${token}` },
      { 'x-api-key': token },
      { cookie: `bks_session_80=${token}`, 'x-page-secret': token },
      { cookie: `bks_session_80=${token}` },
    ];
    for (const headers of proofs) {
      clock.ms += 120_000;
      const answer = await service.app.inject({
        method,
        url,
        headers: { 'content-type': 'application/json', ...headers },
        payload: '{}',
      });
      expect(answer.statusCode, answer.body).toBe(401);
    }
  });

  it('starts no session of the page', async () => {
    for (const body of [{ key: token }, { token }]) {
      expect((await service.sendAs('')('POST', '/session', body)).status).toBe(401);
    }
  });
});
