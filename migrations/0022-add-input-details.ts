/**
 * What a client states about the inputs of a project beyond bounds and types: names, units, scales, steps, levels, likely ranges
 * and constraints, with what the constraints mean. Null for nothing, as in all earlier projects. It counts towards the storage of
 * the account. A container of the version before ignores it, so that a suggestion which it computes during the upgrade may break
 * a constraint of a project that a newer container has created meanwhile.
 */
export const sql = `
alter table projects add column input_details jsonb;

create or replace function count_project() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id,
    project_bytes(input_count, categories, input_cases) + coalesce(pg_column_size(input_details), 0), 1)
  from projects where id = new.id;
  return null;
end $$;

create or replace function uncount_projects() returns trigger language plpgsql as $$
begin
  perform count_stored(account_id, -sum(
    project_bytes(input_count, categories, input_cases) + coalesce(pg_column_size(input_details), 0))::bigint, -count(*))
  from changed group by account_id;
  return null;
end $$;
`;
