/** What the optimizer has learned about an objective; one row each, rewritten with every suggestion, never fenced. */
export const sql = `
create table explanations (
  objective_id bigint primary key references objectives (id),
  account_id bigint not null references accounts (id),
  case_count integer not null,
  insight jsonb,
  diagnosis jsonb,
  updated_at timestamptz not null default now()
);
`;
