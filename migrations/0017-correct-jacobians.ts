/**
 * Derivatives of added cases, one row per case, and what a correction made of those of a run: outputs x inputs, NaN where not known; null:
 * none. A run whose output has been corrected had derivatives of its earlier output.
 */
export const sql = `
alter table added_cases add column jacobians double precision[];
alter table added_cases alter column jacobians set storage external;
alter table corrections add column old_jacobian double precision[];
alter table corrections add column new_jacobian double precision[];
update corrections c set old_jacobian = i.jacobian, new_jacobian = case when c.new_output is not distinct from c.old_output then i.jacobian end
from inverses i
where i.id = c.inverse_id and i.jacobian is not null and not exists (
  select from corrections e where e.inverse_id = i.id and e.revision < c.revision and e.new_output is distinct from e.old_output);
update inverses i set jacobian = null where i.jacobian is not null and exists (
  select from corrections c where c.inverse_id = i.id and not c.is_note and c.new_output is distinct from c.old_output);
update corrections c set new_jacobian = (select array_agg(v) from unnest(s.jacobians[c.case_number:c.case_number]) v)
from trials t, output_case_sets s
where t.id = c.trial_id and s.id = t.output_case_set_id and s.jacobians is not null and c.case_number <= s.case_count
  and c.new_output = (select array_agg(v) from unnest(s.output_cases[c.case_number:c.case_number]) v);
`;
