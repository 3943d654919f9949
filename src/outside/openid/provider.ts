/** An OpenID provider: the code flow with PKCE. The library checks states, nonces, signatures, issuers, audiences and clocks. */
import * as client from 'openid-client';
import { isUnseen } from '../../domain/look-alikes.ts';
import { isLoopback } from '../../domain/loopback.ts';
import {
  type GroupSeparator,
  isVerified,
  type OpenIdChecks,
  type OpenIdClaims,
  OpenIdFailure,
  readGroups,
} from '../../domain/people/openid.ts';

export interface OpenIdProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string | undefined;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly groupsSeparator: GroupSeparator;
  /** Those that give roles; without any, the claim is not read. */
  readonly knownGroups: ReadonlySet<string>;
}

/** A person waits for it. */
const TIMEOUT_SECONDS = 8;
/** Signing keys and addresses of a provider change rarely. */
const CONFIGURATION_LIFE_MS = 3_600_000;
const LONGEST_NAME = 100;

export class OpenIdProvider {
  readonly #options: OpenIdProviderOptions;
  #known: { readonly configuration: Promise<client.Configuration>; readonly until: number } | undefined;

  constructor(options: OpenIdProviderOptions) {
    this.#options = options;
  }

  /** The address to send the browser to, and the values to check when it comes back to `redirectUri`. Throws OpenIdFailure. */
  async begin(redirectUri: string): Promise<OpenIdChecks & { readonly url: string }> {
    const configuration = await this.#configuration();
    const codeVerifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, state, nonce, codeVerifier };
  }

  /** Identifies the person who came back to `url`. Throws OpenIdFailure. */
  async finish(url: URL, { state, nonce, codeVerifier }: OpenIdChecks): Promise<OpenIdClaims> {
    const configuration = await this.#configuration();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      return this.#toClaims(claims, await this.#userInfo(configuration, tokens.access_token, claims));
    } catch (error) {
      throw toFailure(error);
    }
  }

  /** Read once; again after an hour, or after an attempt that failed. */
  async #configuration(): Promise<client.Configuration> {
    if (this.#known === undefined || this.#known.until < performance.now()) {
      this.#known = { configuration: this.#discover(), until: performance.now() + CONFIGURATION_LIFE_MS };
    }
    try {
      return await this.#known.configuration;
    } catch (error) {
      this.#known = undefined;
      throw new OpenIdFailure('unavailable', 'the OpenID provider does not answer as one', { cause: error });
    }
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const url = new URL(issuer);
    const isInsecure = url.protocol === 'http:' && isLoopback(url.hostname);
    return client.discovery(url, clientId, clientSecret, clientSecret === undefined ? client.None() : undefined, {
      timeout: TIMEOUT_SECONDS,
      execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
    });
  }

  /** Many providers keep what a token says short. */
  async #userInfo(configuration: client.Configuration, accessToken: string, claims: Claims): Promise<Claims> {
    const needed = ['name', 'email', 'email_verified', this.#options.groupsClaim];
    const hasAll = needed.every((name) => claims[name] !== undefined);
    if (hasAll || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const info: Claims = await client.fetchUserInfo(configuration, accessToken, String(claims['sub']));
    // It says whether its own address is verified, not that of the token.
    const isOther = claims['email'] !== undefined && info['email'] !== undefined && info['email'] !== claims['email'];
    const { email_verified: verified, ...others } = info;
    return { ...others, ...(!isOther && verified !== undefined && { email_verified: verified }), ...claims };
  }

  #toClaims({ iss, sub }: { readonly iss: string; readonly sub: string }, found: Claims): OpenIdClaims {
    const email = textOf(found['email']);
    const names = [found['name'], found['preferred_username'], email].map(nameOf);
    return {
      issuer: iss,
      subject: sub,
      name: names.find((one) => one !== undefined) ?? sub,
      email,
      isEmailVerified: isVerified(found['email_verified']),
      groups: this.#groupsOf(found),
    };
  }

  #groupsOf(found: Claims): readonly string[] {
    const { groupsClaim, groupsSeparator: separator, knownGroups: known } = this.#options;
    if (known.size === 0) return [];
    if (found[groupsClaim] === undefined && isLeftOut(found, groupsClaim)) {
      const message = `the provider left out ${groupsClaim}, because the person is in too many: have it send only those of this service`;
      throw new OpenIdFailure('groups', message);
    }
    return readGroups(found[groupsClaim], { separator, known });
  }
}

/** Whether the claim is elsewhere (OpenID Connect Core, 5.6.2), as Microsoft Entra ID has it with more than 200 groups. */
function isLeftOut(found: Claims, name: string): boolean {
  const names = found['_claim_names'];
  return (typeof names === 'object' && names !== null && name in names) || found['hasgroups'] === true;
}

/** A name that can be shown; undefined for a claim that has none. */
function nameOf(claim: unknown): string | undefined {
  const text = textOf(claim)
    ?.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .slice(0, LONGEST_NAME)
    .trim();
  return text === undefined || isUnseen(text) ? undefined : text.toWellFormed();
}

type Claims = Readonly<Record<string, unknown>>;

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null;
}

/** Codes of the library for a provider that does not answer, and not for an answer that fails a check. */
const UNAVAILABLE = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

function toFailure(error: unknown): OpenIdFailure {
  if (error instanceof OpenIdFailure) return error;
  if (error instanceof client.AuthorizationResponseError) {
    return new OpenIdFailure('denied', `the provider answered ${error.error}`, { cause: error });
  }
  const code = (error as { readonly code?: string }).code ?? '';
  const isAway = UNAVAILABLE.has(code) || (error instanceof TypeError && error.message.includes('fetch failed'));
  const status = error instanceof client.ResponseBodyError ? error.status : 0;
  return isAway || status >= 500
    ? new OpenIdFailure('unavailable', 'the OpenID provider does not answer', { cause: error })
    : new OpenIdFailure('refused', 'an answer of the provider did not pass a check', { cause: error });
}
