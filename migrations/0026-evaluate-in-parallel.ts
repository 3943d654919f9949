/**
 * Several open inverses per objective, and evaluations: inputs that evaluators claim, run and report, driven by batches.
 *
 * Rows of earlier versions have neither `basis` nor `completed_order`: every iteration below theirs was completed when they were
 * suggested.
 */
export const sql = `
-- parallelism: how many inverses may be open at once. is_parallel: whether it was ever above 1; only then can several be open, be
-- completed in another order, or get an output after they were given up. hold_back: whether none is opened while an open one is likely to succeed.
-- completed_count: how often an open inverse was completed or given up; the next one gets this number, plus one, as its order.
-- nothing_new_at: the completed_count at which the search found nothing new although inverses were open.
-- batch_id: the batch that created it.
alter table objectives
  add column parallelism smallint not null default 1,
  add column is_parallel boolean not null default false,
  add column hold_back boolean not null default true,
  add column completed_count integer not null default 0,
  add column nothing_new_at integer,
  add column batch_id bigint;

-- basis: completed_count of the objective when it was suggested: of the earlier iterations, those with a completed_order up to it,
--   or without one, and not in pending, were known.
-- pending: the iterations that were open when it was suggested; null for none.
-- chance: how likely the model considered its success, for ranking only.
-- completed_order: its number in the order in which the objective's inverses were completed or given up.
-- asked_by: the request that asked for it, for requests that ask for several.
alter table inverses
  add column basis integer,
  add column pending integer[],
  add column chance double precision,
  add column completed_order integer,
  add column asked_by text;

-- askers: who asked for the inverses that are to follow the one of the job, one entry for each.
alter table suggestion_jobs add column askers text[] not null default '{}';

-- The evaluations of its batches that may be open at once; null: any number.
alter table projects add column maximum_evaluations integer;

-- A project, or a trial of it, that is worked through unattended. status: evaluating-cases, solving, completed, failed, cancelled.
-- evaluator: {"kind": "pull"}, or {"kind": "http", "url": ..., ...}, whose calls are signed with evaluator_secret.
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
  constraint batches_status_known check (status in ('evaluating-cases', 'solving', 'completed', 'failed', 'cancelled'))
);
create index batches_project on batches (project_id, id);
create index batches_model on batches (model_id);
create index batches_trial on batches (trial_id);
create index batches_account on batches (account_id, id);
create index batches_due on batches (due_at) where status in ('evaluating-cases', 'solving');
create index objectives_of_batches on objectives (batch_id, stop_reason) where batch_id is not null;

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
  constraint evaluations_state_known check (state in ('waiting', 'leased', 'done', 'failed', 'cancelled')),
  constraint evaluations_of_one_input check ((case_number is null) <> (inverse_id is null)),
  constraint evaluations_one_per_case unique (batch_id, case_number),
  constraint evaluations_one_per_inverse unique (inverse_id)
);
create index evaluations_batch on evaluations (batch_id, id);
create index evaluations_states on evaluations (batch_id, state);
create index evaluations_finished on evaluations (batch_id, finished_at desc, id desc) where state in ('done', 'failed');
create index evaluations_account on evaluations (account_id, id);
create index evaluations_claimable on evaluations (account_id, is_pushed, visible_at, id) where state in ('waiting', 'leased');

do $$
declare
  grantee text;
begin
  for grantee in
    select distinct a.grantee::regrole::text from pg_class c, aclexplode(c.relacl) a
    where c.oid = 'models'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
  loop
    execute 'grant select, insert, update, delete on batches, batch_objectives, evaluations to ' || grantee;
  end loop;
end $$;
`;
