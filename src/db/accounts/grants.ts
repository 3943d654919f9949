/** Conditions on which rights depend: memberships that count, and whoever gave them to others. */
import { type RawBuilder, sql } from 'kysely';
import { rolesWith } from '../../domain/people/people.ts';

type Condition = RawBuilder<boolean>;

const ADMIN_ROLES = sql.join(rolesWith('admin').map((role) => sql.lit(role)));

/** Whether memberships of that alias give rights now. */
export function counts(membership: string): Condition {
  const until = sql.ref(`${membership}.counts_until`);
  return sql<boolean>`(${until} is null or ${until} > now())`;
}

/** Whether keys of that alias may be used now. */
export function isKeyUsable(key: string): Condition {
  return sql<boolean>`(${sql.ref(`${key}.revoked_at`)} is null and (${sql.ref(`${key}.expires_at`)} is null or ${sql.ref(`${key}.expires_at`)} > now()))`;
}

/** Whether the key in `column` of that alias, if there is one, may be used now. Primary key. */
export function isItsKeyUsable(row: string, column: string): Condition {
  const id = sql.ref(`${row}.${column}`);
  return sql<boolean>`(${id} is null or exists (select from api_keys own where own.id = ${id} and ${isKeyUsable('own')}))`;
}

/**
 * Whether the owner who let somebody in by a sign-in link, if one did, may still do so: of a session, link or invitation of that alias.
 * Primary keys.
 */
export function isStillLent(row: string): Condition {
  const lender = sql.ref(`${row}.lent_by`);
  return sql<boolean>`((${lender} is null or exists (
      select from memberships lender where lender.account_id = ${sql.ref(`${row}.account_id`)} and lender.person_id = ${lender}
        and lender.role in (${ADMIN_ROLES}) and ${counts('lender')}))
    and ${isItsKeyUsable(row, 'lent_key')})`;
}
