/** Sign-ins that are under way at the OpenID provider. */
import { sql } from 'kysely';
import { OPENID_MINUTES, type OpenIdChecks } from '../../domain/people/openid.ts';
import type { Db } from '../connection/transaction.ts';

export interface OpenIdSignIn extends OpenIdChecks {
  /** Hash of the invitation that the person accepts. */
  readonly invitationHash: Buffer | null;
  /** Path on the page. */
  readonly returnTo: string;
}

export async function insertOpenIdSignIn(db: Db, tokenHash: Buffer, begun: OpenIdSignIn): Promise<void> {
  const { state, nonce, codeVerifier, invitationHash, returnTo } = begun;
  await sql`
    insert into openid_sign_ins (token_hash, state, nonce, code_verifier, invitation_hash, return_to, expires_at)
    values (${tokenHash}, ${state}, ${nonce}, ${codeVerifier}, ${invitationHash}, ${returnTo},
      now() + make_interval(mins => ${sql.lit(OPENID_MINUTES)}))`.execute(db);
}

/** Removes it: nothing is finished twice. Undefined for one that is unknown or took too long. Primary key. */
export async function takeOpenIdSignIn(db: Db, tokenHash: Buffer): Promise<OpenIdSignIn | undefined> {
  const { rows } = await sql<OpenIdSignIn & { isOver: boolean }>`
    delete from openid_sign_ins where token_hash = ${tokenHash}
    returning state, nonce, code_verifier as "codeVerifier", invitation_hash as "invitationHash", return_to as "returnTo",
      expires_at <= now() as "isOver"`.execute(db);
  return rows[0]?.isOver === false ? rows[0] : undefined;
}
