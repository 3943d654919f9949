/** A note on a run is an entry in the log of corrections whose reason is the text of the note; the newest one counts. */
export const sql = `
alter table corrections add column is_note boolean not null default false;
`;
