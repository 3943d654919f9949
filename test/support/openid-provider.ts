/** A real OpenID provider in this process, with accounts of a test, whose tokens the test may tamper with. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type { OpenId } from '../../src/application/people/openid-sign-in.ts';
import type { GroupSeparator, OpenIdRules } from '../../src/domain/people/openid.ts';
import { OpenIdProvider } from '../../src/outside/openid/provider.ts';

interface ProviderAccount {
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly groups?: unknown;
}

/** Settings of a service for it, with the rules of a test. */
export function openIdOf(
  { issuer, clientId, clientSecret }: Pick<TestProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  rules: OpenIdRules,
  groupsSeparator: GroupSeparator = 'ask',
): OpenId {
  const provider = new OpenIdProvider({
    issuer,
    clientId,
    clientSecret,
    scopes: 'openid profile email groups',
    groupsClaim: 'groups',
    groupsSeparator,
    knownGroups: new Set(rules.groupRoles.map(({ group }) => group)),
  });
  return { provider, rules };
}

/** Changes an ID token: its claims, and with which key it is signed. */
export interface Tampering {
  claims?(claims: Record<string, unknown>): Record<string, unknown>;
  readonly hasWrongSignature?: boolean;
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject. */
  readonly accounts: Map<string, ProviderAccount>;
  /** Tampering with the next tokens. */
  tampering: Tampering | undefined;
  /** Whoever signs in next, without being asked for anything. */
  subject: string;
  /** Signs in as the subject at the address that the service named, and returns where the provider sends the browser. */
  signIn(url: string, subject: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startOpenIdProvider(redirectUri: string): Promise<TestProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const accounts = new Map<string, ProviderAccount>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['backsolve', 'a-secret-of-the-test'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) }),
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  const made: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    accounts,
    tampering: undefined,
    subject: '',
    signIn: async (url, as) => {
      made.subject = as;
      return follow(url, issuer);
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.path !== '/token' || body?.id_token === undefined || made.tampering === undefined) return;
    const { claims = (same) => same, hasWrongSignature = false } = made.tampering;
    body.id_token = signAgain(body.id_token, claims, hasWrongSignature ? otherKey : privateKey);
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/interaction/')) return void answer(request, response);
    // Nobody has to type anything: the person signs in and agrees.
    void (async () => {
      const { prompt, params } = await provider.interactionDetails(request, response);
      const grant = new provider.Grant({ accountId: made.subject, clientId: String(params['client_id']) });
      grant.addOIDCScope(String(params['scope']));
      const result =
        prompt.name === 'login' ? { login: { accountId: made.subject } } : { consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
    })();
  });
  return made;
}

/** Follows redirects at the provider as a browser of its own. */
async function follow(start: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  while (url.origin === issuer) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0]!.split('=') as [string, string];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
  }
  return url;
}

function signAgain(token: string, change: NonNullable<Tampering['claims']>, key: KeyObject): string {
  const [header, payload] = token.split('.') as [string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const changed = Buffer.from(JSON.stringify(change(claims))).toString('base64url');
  const signature = createSign('RSA-SHA256').update(`${header}.${changed}`).sign(key).toString('base64url');
  return `${header}.${changed}.${signature}`;
}
