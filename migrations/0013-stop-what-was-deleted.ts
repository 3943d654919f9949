/** What was deleted before deleting stopped it: its inverses stayed open for ever. */
export const sql = `
update objectives set stop_reason = 2 where disabled_at is not null and stop_reason = 0;

update inverses i set status = 'stopped', stopped_at = coalesce(i.disabled_at, o.disabled_at)
from objectives o
where o.id = i.objective_id and o.disabled_at is not null and i.status = 'active' and i.output is null;
`;
