/** Objectives, their inverses, the jobs that compute them, what was learned, and notes. */
export const sql = `
-- nearest_*: the run that comes nearest to the objective, so that no read has to judge thousands of cases. nearest_case (zero-based) with
-- its input and output; nearest_iteration is the nearest of the iterations up to judged_through, and a reader judges the
-- later ones itself. judged_through is null until a worker has judged the objective by the data of its revision.
-- reuse: whether it learns from the inverses of the trial's other objectives.
-- continues_id: the objective that it went on from. fixed_inputs: null where an input is free.
-- constraints: those of its own, as stated, with what they mean. data_revision: the trial's revision that it was judged by.
-- parallelism: how many inverses may be open. hold_back: whether none is opened while an open one is likely to succeed.
-- version: whatever changes the objective, its inverses or its job raises it, so that a write can see whether anything that it
-- was decided by has changed.
-- completed_count: how often an open inverse was completed or given up; the next one gets this number, plus one, as its order.
-- nothing_new_at: the completed_count at which the search found nothing new although inverses were open.
-- batch_id: the batch that created it.
-- options: what the client asked of the search beyond the targets, by the names of the interface; null when it asked for nothing.
-- ended: why it was stopped, with figures, by the names of src/domain/ending.ts; null while it runs and for an end that its
-- stop_reason explains.
-- label, archived_at: for people, to find the objective again and to put it out of their lists. Neither changes the search.
create table objectives (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null references models (id),
  project_id bigint not null references projects (id),
  trial_id bigint not null references trials (id),
  number integer not null,
  objectives double precision[] not null,
  objective_types text[] not null,
  minimum_bounds double precision[] not null,
  maximum_bounds double precision[] not null,
  desired_l1_norm double precision not null,
  convergence double precision not null,
  initial_input double precision[] not null,
  initial_output double precision[] not null,
  maximum_attempts integer not null,
  attempt_count integer not null default 0,
  stop_reason smallint not null default 0,
  optimal_inverse_id bigint,
  seed bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  nearest_case integer,
  nearest_case_input double precision[],
  nearest_case_output double precision[],
  nearest_iteration integer,
  judged_through integer,
  reuse boolean not null default false,
  continues_id bigint,
  fixed_inputs double precision[],
  constraints jsonb,
  data_revision integer not null default 0,
  parallelism smallint not null default 1,
  version integer not null default 0,
  hold_back boolean not null default true,
  completed_count integer not null default 0,
  nothing_new_at integer,
  batch_id bigint,
  options jsonb,
  ended jsonb,
  label text,
  archived_at timestamptz,
  constraint objectives_number_per_trial unique (trial_id, number),
  constraint objectives_stop_reason_known check (stop_reason between 0 and 3)
);
create index objectives_project on objectives (project_id);
create index objectives_model on objectives (model_id);
create index objectives_unjudged on objectives (id) where judged_through is null;
-- Objectives of an account, newest first, by how they ended. One enters objectives_ended when it ends: what a running one changes
-- costs no further entry. Running ones are also counted, as far as the account's limit.
create index objectives_open on objectives (account_id, id) where stop_reason = 0 and disabled_at is null;
create index objectives_ended on objectives (account_id, stop_reason, id) where stop_reason > 0 and disabled_at is null;
create index objectives_of_batches on objectives (batch_id, stop_reason) where batch_id is not null;
-- Running objectives that end at a time.
create index objectives_until on objectives ((options #>> '{stop,until}'))
where stop_reason = 0 and disabled_at is null and options #>> '{stop,until}' is not null;

-- learned_from: null for the trial's cases at revision 0 and the earlier inverses of its own objective; otherwise
--   {"revision": r, "objectives": [[objective id, last iteration], ...]}.
-- expected: the lower ends of the outputs that the model expected, then the upper ends.
-- basis: completed_count of the objective when it was suggested: of the earlier iterations, those with a completed_order up to it,
--   or without one, and not in pending, were known.
-- pending: the iterations that were open when it was suggested; null for none.
-- chance: how likely the model considered its success, for ranking only.
-- completed_order: its number in the order in which the objective's inverses were completed or given up.
-- asked_by: the request that asked for it, for requests that ask for several.
-- repeat_of: for a run that repeats an input, the inverse that was run there first; 0: a case or a run of another objective was.
--   null: a new input.
-- jacobian: derivatives of the outputs by the inputs, outputs x inputs in one row, NaN where not known; null: none.
-- source: of its output; null for the fine one. requested_by, loaded_by: who asked for the run, and who loaded its output, as they were
--   called then; null: nobody did.
create table inverses (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  iteration integer not null,
  status text not null default 'active',
  input double precision[],
  output double precision[],
  suggest_time_ns bigint not null default 0,
  compute_time_ns bigint not null default 0,
  suggested_at timestamptz,
  loaded_at timestamptz,
  satisfied_at timestamptz,
  stopped_at timestamptz,
  exhausted_at timestamptz,
  failed_at timestamptz,
  failure_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  excluded_at timestamptz,
  learned_from jsonb,
  expected double precision[],
  basis integer,
  pending integer[],
  chance double precision,
  completed_order integer,
  asked_by text,
  repeat_of bigint,
  jacobian double precision[],
  source text,
  requested_by text,
  loaded_by text,
  constraint inverses_one_per_iteration unique (objective_id, iteration),
  constraint inverses_status_known check (status in ('active', 'converged', 'max_iterations', 'stopped', 'failed'))
);

-- Only open requests are here; a finished job is deleted, so the table stays as small as the queue.
-- visible_at: when a waiting job may be claimed, or when the lease of a leased one expires.
-- inverse_id has no reference, which would need an index that every job keeps up: a job and its inverse are written together, and only
-- the purge removes inverses, after their jobs, behind the lock of the objective.
-- trace_parent: the trace of the request that opened the job, as W3C Trace Context writes it.
-- askers: who asked for the inverses that are to follow the one of the job, one entry for each.
create table suggestion_jobs (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  inverse_id bigint not null,
  state text not null default 'waiting',
  attempts integer not null default 0,
  visible_at timestamptz not null default now(),
  lease_token uuid,
  leased_by text,
  last_error text,
  request_id text,
  created_at timestamptz not null default now(),
  trace_parent text,
  askers text[] not null default '{}',
  constraint suggestion_jobs_one_open_per_objective unique (objective_id),
  constraint suggestion_jobs_state_known check (state in ('waiting', 'leased')),
  constraint suggestion_jobs_token_while_leased check ((state = 'leased') = (lease_token is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index suggestion_jobs_claimable_by_account on suggestion_jobs (account_id, visible_at, id);
create index suggestion_jobs_exhausted on suggestion_jobs (visible_at) where attempts >= 5;

-- What the optimizer has learned about an objective: one row each, rewritten with every suggestion, never fenced.
-- inverse_id: which explanation is newer; its number of cases may become smaller (excluded runs).
-- advice: what the runs show that a person can act on, beside what the models say about the outputs.
-- standing: how surely the best input meets the targets, where the objective asks for more than one run; null elsewhere.
create table explanations (
  objective_id bigint primary key references objectives (id),
  account_id bigint not null references accounts (id),
  case_count integer not null,
  insight jsonb,
  diagnosis jsonb,
  updated_at timestamptz not null default now(),
  inverse_id bigint,
  standing jsonb,
  advice jsonb
);

-- Notes on objectives and their runs, each with a text, a file or both. A file is in its note or, by its key, in a store of objects.
-- counts_from: when the retention period of a deleted note begins; -infinity to purge it immediately.
create table notes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  inverse_id bigint,
  iteration integer,
  text text not null,
  written_by text not null,
  created_at timestamptz not null default now(),
  edited_by text,
  edited_at timestamptz,
  disabled_at timestamptz,
  counts_from timestamptz,
  file_name text,
  file_type text,
  file_bytes integer,
  content bytea,
  storage_key text,
  thumbnail bytea,
  constraint notes_count_once_deleted check ((disabled_at is null) = (counts_from is null)),
  constraint notes_of_run check ((inverse_id is null) = (iteration is null)),
  constraint notes_file_is_whole check (num_nulls(file_name, file_type, file_bytes) in (0, 3)
    and num_nonnulls(content, storage_key) = num_nonnulls(file_name) and (thumbnail is null or file_name is not null))
);
-- Photos and archives are compressed already.
alter table notes alter column content set storage external, alter column thumbnail set storage external;
create index notes_objective on notes (objective_id, id);
create index notes_of_runs on notes (inverse_id, id) where inverse_id is not null;
create index notes_due on notes (counts_from) where counts_from is not null;

-- A key of a store is here before its file is stored, and again once its note is gone (repeatable/remove-files.sql): whatever is there
-- when it is due is removed from the store, so that a crash leaves no file behind.
create table file_removals (
  storage_key text primary key,
  due_at timestamptz not null
);
create index file_removals_due on file_removals (due_at);
`;
