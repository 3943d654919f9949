/**
 * Who an account belongs to, for accounts that register themselves; accounts made by command have none of it. Such an
 * account is named after its e-mail address, so that the unique name also makes the address unique.
 */
export const sql = `
alter table accounts
  add column company text,
  add column full_name text,
  add column first_name text,
  add column last_name text,
  add column time_zone text,
  add column updated_at timestamptz not null default now();
`;
