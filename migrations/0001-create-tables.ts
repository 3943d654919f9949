/**
 * The whole first schema. Vectors are double precision[] (exact both ways), lists of cases double precision[][].
 * Nothing that can be derived from a step's output (results, norms, verdicts) is stored.
 */
export const sql = `
create table accounts (
  id bigint generated always as identity primary key,
  name text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint accounts_name_unique unique (name)
);

create table api_keys (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  key_id text not null,
  secret_hash bytea not null,
  label text,
  scopes text[] not null default '{read,write,admin}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys_key_id_unique unique (key_id)
);
create index api_keys_account on api_keys (account_id);

create table models (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  name text not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz
);
create unique index models_name_per_account on models (account_id, name) where disabled_at is null;
create index models_account on models (account_id, id);

create table projects (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null references models (id),
  name text not null,
  input_count integer not null,
  minimums double precision[] not null,
  maximums double precision[] not null,
  input_types text[] not null,
  categories jsonb not null,
  input_cases double precision[] not null,
  case_count integer not null,
  output_count integer,
  seed bigint not null,
  developed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz
);
create index projects_model on projects (model_id, id);

create table output_case_sets (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null references models (id),
  project_id bigint not null references projects (id),
  output_count integer not null,
  output_cases double precision[] not null,
  failed_cases integer[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz
);
create index output_case_sets_project on output_case_sets (project_id, id);

create table trials (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null references models (id),
  project_id bigint not null references projects (id),
  output_case_set_id bigint not null references output_case_sets (id),
  number integer not null,
  status text not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint trials_number_per_project unique (project_id, number),
  constraint trials_status_known check (status in ('active', 'completed', 'failed'))
);
create index trials_output_case_set on trials (output_case_set_id);
create index trials_model on trials (model_id);

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
  constraint objectives_number_per_trial unique (trial_id, number),
  constraint objectives_stop_reason_known check (stop_reason between 0 and 3)
);
create index objectives_project on objectives (project_id);
create index objectives_model on objectives (model_id);

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
  constraint inverses_one_per_iteration unique (objective_id, iteration),
  constraint inverses_status_known check (status in ('active', 'converged', 'max_iterations', 'stopped', 'failed'))
);

-- Only open requests live here; a finished job is deleted, so the table stays as small as the queue.
-- visible_at: when a waiting job may be claimed, or when the lease of a leased one runs out.
create table suggestion_jobs (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  objective_id bigint not null references objectives (id),
  inverse_id bigint not null references inverses (id),
  state text not null default 'waiting',
  attempts integer not null default 0,
  visible_at timestamptz not null default now(),
  lease_token uuid,
  leased_by text,
  last_error text,
  request_id text,
  created_at timestamptz not null default now(),
  constraint suggestion_jobs_one_open_per_objective unique (objective_id),
  constraint suggestion_jobs_state_known check (state in ('waiting', 'leased')),
  constraint suggestion_jobs_token_while_leased check ((state = 'leased') = (lease_token is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index suggestion_jobs_claimable on suggestion_jobs (visible_at, id);
`;
