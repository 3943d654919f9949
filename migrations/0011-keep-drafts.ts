/**
 * What a person typed on the page and has not sent yet, so that it survives the browser: one draft for each subject and browser. They are
 * few and small, and end by themselves; they are neither counted nor exported.
 */
export const sql = `
create table page_drafts (
  account_id bigint not null references accounts (id),
  subject text not null,
  writer text not null,
  objective_id bigint,
  inverse_id bigint,
  text text not null,
  updated_at timestamptz not null default now(),
  primary key (account_id, subject, writer)
);
create index page_drafts_objective on page_drafts (objective_id) where objective_id is not null;
`;
