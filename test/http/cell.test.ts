/** A service with a label of its own among several behind one address. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cellOf, inCell } from '../../src/domain/accounts/api-key.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startTestService({ worker: false, settings: { CELL: 'c2' } });
  url = service.service.url!;
});
afterAll(() => service.close());

test('keys that the interface makes name the cell, and work with and without its label', async () => {
  const made = await service.ok<{ id: number; key: string }>('POST', '/keys', { scopes: ['read', 'admin'] });
  const rotated = await service.ok<{ key: string }>('POST', `/keys/${made.id}/rotate`, { overlapSeconds: 60 });
  for (const { key } of [made, rotated]) {
    expect(cellOf(key)).toBe('c2');
    for (const text of [key, key.replace('bks_c2_', 'bks_')]) {
      const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${text}` } });
      expect(await answer.json()).toMatchObject({ cell: 'c2' });
    }
  }
});

test('the page gives the browser a cookie by which a proxy finds the cell', async () => {
  const answer = await fetch(`${url}/page?cell=c2`);
  expect(answer.headers.get('set-cookie')).toMatch(/^bks_cell=c2; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
});

test('a key of another cell is refused on the page with the address where it works', async () => {
  const signIn = (key: string) =>
    fetch(`${url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ key }),
    });
  const answer = await signIn(inCell(service.key, 'c3'));
  expect(answer.status).toBe(401);
  expect(await answer.text()).toContain('This key belongs to cell c3: open /page?cell=c3 and sign in there.');
  expect((await signIn(inCell(service.key, 'c2'))).status).toBe(201);
});

test('the proxies of deploy/cells find the cell of a key, a sign-in link and a cookie', () => {
  const key = inCell(service.key, 'c2');
  const proxy = readFileSync('deploy/cells/haproxy.cfg', 'utf8');
  expect(proxy).toContain('req.hdr(authorization),word(2,_),map_str(cells.map)');
  const known = new Map(
    readFileSync('deploy/cells/cells.map', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  const backendOf = (text: string) => known.get(`Bearer ${text}`.split('_')[1]!);
  expect([backendOf(key), backendOf(service.key)]).toEqual(['c2', undefined]);
  for (const backend of known.values()) expect(proxy).toContain(`\nbackend ${backend}\n`);

  const envoy = parse(readFileSync('deploy/cells/envoy.yaml', 'utf8'), { merge: true });
  const manager = envoy.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
  const routes = manager.route_config.virtual_hosts[0].routes as readonly Route[];
  const clusterFor = (request: Request) => routes.find(({ match }) => matches(match, request))!.route.cluster;
  expect(clusterFor({ authorization: `Bearer ${key}`, cookie: 'bks_cell=c1' })).toBe('c2');
  expect(clusterFor({ authorization: `Bearer ${service.key}`, cookie: 'bks_cell=c2' })).toBe('c1');
  expect(clusterFor({ 'x-api-key': key })).toBe('c2');
  expect(clusterFor({ cell: 'c2' })).toBe('c2');
  expect(clusterFor({ cookie: 'a=b; bks_cell=c2; c=d' })).toBe('c2');
  expect(clusterFor({ cookie: 'bks_cell=c22' })).toBe('c1');
  expect(clusterFor({})).toBe('c1');
});

/** The headers of a request, and the parameter `cell`. */
type Request = Readonly<Record<string, string>>;

interface Condition {
  readonly name: string;
  readonly present_match?: boolean;
  readonly string_match?: {
    readonly exact?: string;
    readonly prefix?: string;
    readonly safe_regex?: { readonly regex: string };
  };
}

interface Route {
  readonly match: { readonly headers?: readonly Condition[]; readonly query_parameters?: readonly Condition[] };
  readonly route: { readonly cluster: string };
}

/** As Envoy does: every condition, a pattern for the whole text. */
function matches({ headers = [], query_parameters = [] }: Route['match'], request: Request): boolean {
  return [...headers, ...query_parameters].every(({ name, present_match, string_match }) => {
    const value = request[name];
    if (value === undefined || present_match === true) return value !== undefined;
    const { exact, prefix, safe_regex } = string_match!;
    if (safe_regex !== undefined) return new RegExp(`^(?:${safe_regex.regex})$`).test(value);
    return prefix === undefined ? value === exact : value.startsWith(prefix);
  });
}
