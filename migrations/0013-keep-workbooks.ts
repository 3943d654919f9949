/**
 * Workbooks that people upload, so that the service evaluates them: each is the file as it came, and which of its cells may be inputs and
 * outputs. A batch whose evaluator is a workbook names it. The index of batches that workers serve has those as well.
 */
export const sql = `
create table workbooks (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  name text not null,
  content bytea not null,
  cells jsonb not null,
  created_at timestamptz not null default now()
);
-- It is compressed already.
alter table workbooks alter column content set storage external;
create index workbooks_account on workbooks (account_id, id);
alter table batches add column workbook_id bigint references workbooks (id);
create index batches_workbook on batches (workbook_id);
create index batches_served on batches (id)
  where status in ('evaluating-cases', 'solving') and not is_paused and evaluator->>'kind' <> 'pull';
drop index batches_pushed;
`;
