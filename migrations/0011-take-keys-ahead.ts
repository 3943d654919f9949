/** What a new key costs: one statement that need not be waited for, and no look-up of its account. */
export const sql = `
-- Every keyed request looked up its account once more and locked the row, for a reference that nothing can break: accounts
-- are never deleted, the id comes from the API key, and a row lives for a day.
alter table idempotency_keys drop constraint idempotency_keys_account_id_fkey;

-- Takes a key that has no row for the rest of the transaction. Fails otherwise, and with it whatever was sent behind it in the
-- same transaction: when the key has a row, be it expired, and when another transaction runs under it.
create function take_new_idempotency_key(of_account bigint, of_key text, of_method text, of_path text, lock_name text)
returns void language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(lock_name, 0)) then
    raise exception 'a transaction runs under the key' using errcode = 'BSKEY';
  end if;
  if exists (select from idempotency_keys k
    where k.account_id = of_account and k.key = of_key and k.method = of_method and k.path = of_path)
  then
    raise exception 'the key is not new' using errcode = 'BSKEY';
  end if;
end $$;
`;
