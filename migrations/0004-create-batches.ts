/** Batches, the workbooks that evaluate some of them, and their evaluations: inputs that evaluators claim, run and report. */
export const sql = `
-- A workbook that people uploaded: the file as it came, and which of its cells may be inputs and outputs.
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

-- A project, or a trial of it, that is worked through unattended. status: evaluating-cases, solving, completed, failed, cancelled.
-- evaluator: {"kind": "pull"}, or {"kind": "http", "url": ..., ...}, whose calls are signed with evaluator_secret, or the workbook of
-- workbook_id.
-- output_count: of every evaluation. due_at: when it is looked at again, unless something happens before.
create table batches (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null references models (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  trial_id bigint references trials (id) on delete cascade,
  name text,
  status text not null,
  is_paused boolean not null default false,
  parallelism smallint not null,
  evaluator jsonb not null,
  evaluator_secret bytea,
  output_count integer not null,
  timeout_seconds integer not null,
  maximum_tries smallint not null,
  maximum_losses smallint not null,
  stop_after_failures integer not null,
  failure_reason text,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  workbook_id bigint references workbooks (id),
  constraint batches_status_known check (status in ('evaluating-cases', 'solving', 'completed', 'failed', 'cancelled'))
);
create index batches_project on batches (project_id, id);
create index batches_model on batches (model_id);
create index batches_trial on batches (trial_id);
create index batches_account on batches (account_id, id);
create index batches_open on batches (account_id, id) where status in ('evaluating-cases', 'solving') and not is_paused;
create index batches_workbook on batches (workbook_id);
-- Those that workers serve.
create index batches_served on batches (id)
  where status in ('evaluating-cases', 'solving') and not is_paused and evaluator->>'kind' <> 'pull';
create index batches_due on batches (due_at) where status in ('evaluating-cases', 'solving');

-- definition: as the batch stated it. objective_id: null until its time has come. failure_reason: why it could not be created.
create table batch_objectives (
  batch_id bigint not null references batches (id) on delete cascade,
  position integer not null,
  account_id bigint not null references accounts (id),
  definition jsonb not null,
  objective_id bigint,
  failure_reason text,
  constraint batch_objectives_primary primary key (batch_id, position)
);
create index batch_objectives_waiting on batch_objectives (batch_id, position)
  where objective_id is null and failure_reason is null;

-- One input to be run: a designed case (case_number, from 1) or an inverse. state: waiting, leased, done, failed, cancelled.
-- visible_at: when it can be claimed; while it is leased, when the lease expires. tries: claims that ended in a failure.
-- losses: leases that expired. output: of a case, until the batch has loaded it. is_pushed: the worker calls the evaluator.
-- jacobian, source: as those of inverses.
create table evaluations (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  batch_id bigint not null references batches (id) on delete cascade,
  project_id bigint not null,
  case_number integer,
  objective_id bigint,
  inverse_id bigint,
  input double precision[] not null,
  output double precision[],
  state text not null default 'waiting',
  is_pushed boolean not null,
  tries smallint not null default 0,
  losses smallint not null default 0,
  visible_at timestamptz not null default now(),
  lease_token uuid,
  lease_seconds double precision,
  evaluator text,
  claimed_at timestamptz,
  progress double precision,
  message text,
  failure_reason text,
  compute_time_ns bigint,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  jacobian double precision[],
  source text,
  constraint evaluations_state_known check (state in ('waiting', 'leased', 'done', 'failed', 'cancelled')),
  constraint evaluations_of_one_input check ((case_number is null) <> (inverse_id is null)),
  constraint evaluations_one_per_case unique (batch_id, case_number),
  constraint evaluations_one_per_inverse unique (inverse_id)
);
create index evaluations_batch on evaluations (batch_id, id);
create index evaluations_states on evaluations (batch_id, state);
create index evaluations_finished on evaluations (batch_id, finished_at desc, id desc) where state in ('done', 'failed');
create index evaluations_account on evaluations (account_id, id);
create index evaluations_claimable on evaluations (batch_id, visible_at, id) where state in ('waiting', 'leased');
-- For expired leases, whichever batch they belong to.
create index evaluations_leased on evaluations (visible_at) where state = 'leased';
`;
