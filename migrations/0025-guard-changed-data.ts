/**
 * What an explanation rests on may become less (excluded runs): which one is newer is told by its inverse, no longer by its number
 * of cases alone. null: written by the version before.
 *
 * Containers of the version before, which serve until they are replaced, keep names with the details of the inputs, and know no
 * revisions: they judge a new objective by the cases as they were loaded. Triggers put both right.
 */
export const sql = `
alter table explanations add column inverse_id bigint;

create function move_labels() returns trigger language plpgsql as $$
begin
  if jsonb_typeof(new.input_details->'inputNames') = 'array' then
    new.input_names := (select array_agg(name order by position)
      from jsonb_array_elements_text(new.input_details->'inputNames') with ordinality l (name, position));
  end if;
  if jsonb_typeof(new.input_details->'inputUnits') = 'array' then
    new.input_units := (select array_agg(unit order by position)
      from jsonb_array_elements_text(new.input_details->'inputUnits') with ordinality l (unit, position));
  end if;
  return new;
end $$;

create trigger move_labels before insert on projects for each row
  when (new.input_names is null and new.input_units is null and new.input_details is not null)
  execute function move_labels();

create function adopt_revision() returns trigger language plpgsql as $$
declare
  current_revision integer := (select revision from trials where id = new.trial_id);
begin
  if current_revision <> new.data_revision then
    new.data_revision := current_revision;
    new.judged_through := null;
    new.nearest_iteration := null;
    new.nearest_case := null;
    new.nearest_case_input := null;
    new.nearest_case_output := null;
  end if;
  return new;
end $$;

create trigger adopt_revision before insert on objectives for each row
  when (new.data_revision = 0) execute function adopt_revision();
`;
