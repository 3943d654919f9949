/** Why an objective ended, and the time until which it runs. */
export const sql = `
-- ended: why it was stopped, with figures, by the names of src/domain/ending.ts; null while it runs, for an end that its
-- stop_reason explains, and for one of an earlier release.
alter table objectives add column ended jsonb;

-- Running objectives that end at a time.
create index objectives_until on objectives ((options #>> '{stop,until}'))
where stop_reason = 0 and disabled_at is null and options #>> '{stop,until}' is not null;
`;
