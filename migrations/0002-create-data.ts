/**
 * Models, projects, trials and their cases. Vectors are double precision[] (exact both ways), lists of cases double precision[][].
 * Nothing that can be derived from an output (results, norms, verdicts) is stored.
 */
export const sql = `
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

-- input_details: what a client states about the inputs beyond bounds and types: scales, steps, levels, likely ranges and
-- constraints, with what the constraints mean; null for nothing. maximum_evaluations: those of its batches that may be open together;
-- null: any number. sources: cheaper sources of its outputs, with the cost of a run; null: none. Cases are stored uncompressed: doubles
-- hardly compress, and trying to takes longer than writing them.
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
  disabled_at timestamptz,
  input_details jsonb,
  input_names text[],
  input_units text[],
  output_names text[],
  output_units text[],
  maximum_evaluations integer,
  sources jsonb
);
alter table projects alter column input_cases set storage external;
create index projects_model on projects (model_id, id);

-- jacobians: derivatives of the outputs of each case by its inputs, one row per case, outputs x inputs, NaN where not known; null: none.
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
  disabled_at timestamptz,
  case_count integer,
  jacobians double precision[]
);
alter table output_case_sets alter column output_cases set storage external, alter column jacobians set storage external;
create index output_case_sets_project on output_case_sets (project_id, id);
create index output_case_sets_model on output_case_sets (model_id);

-- revision: every change of the trial's data (added cases, a correction) gives it the next one, behind the lock of the trial, and
-- passes it on to its objectives: what was computed from older data is then not stored as a verdict.
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
  revision integer not null default 0,
  constraint trials_number_per_project unique (project_id, number),
  constraint trials_status_known check (status in ('active', 'completed', 'failed'))
);
create index trials_output_case_set on trials (output_case_set_id);
create index trials_model on trials (model_id);

-- Numbered on from the cases of the trial's output case set: the case in row i has the number first_number + i.
-- failed_cases: zero-based rows whose run failed. jacobians: as those of output_case_sets.
create table added_cases (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  trial_id bigint not null references trials (id) on delete cascade,
  revision integer not null,
  first_number integer not null,
  case_count integer not null,
  inputs double precision[] not null,
  outputs double precision[] not null,
  failed_cases integer[] not null,
  source text,
  created_at timestamptz not null default now(),
  jacobians double precision[],
  constraint added_cases_numbered unique (trial_id, first_number)
);
alter table added_cases alter column jacobians set storage external;

-- Corrections of a case (case_number, from 1) or of an inverse, in the order of the trial's revisions. An output that is null
-- is that of a failed run. Derivatives belong to the output that they came with: a corrected one has none.
-- is_note: a note on the run, which leaves its result as it is; reason is its text.
create table corrections (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  trial_id bigint not null references trials (id) on delete cascade,
  revision integer not null,
  case_number integer,
  objective_id bigint,
  inverse_id bigint,
  iteration integer,
  old_output double precision[],
  old_failure_reason text,
  was_excluded boolean not null,
  new_output double precision[],
  new_failure_reason text,
  is_excluded boolean not null,
  reason text not null,
  corrected_by text not null,
  created_at timestamptz not null default now(),
  is_note boolean not null default false,
  old_jacobian double precision[],
  new_jacobian double precision[],
  constraint corrections_in_order unique (trial_id, revision),
  constraint corrections_of_one_run check ((case_number is null) <> (inverse_id is null))
);
create index corrections_of_cases on corrections (trial_id, case_number, revision) where case_number is not null;
create index corrections_of_inverses on corrections (inverse_id, revision) where inverse_id is not null;

-- What was deleted by itself (repeatable/note-deletions.sql): what fell with it is not noted again. The record is gone for good when the
-- deletion is. counts_from: when its retention period begins; -infinity to purge it immediately.
-- purging_since: set before the first row goes.
create table deletions (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  model_id bigint not null,
  kind text not null,
  record_id bigint not null,
  deleted_at timestamptz not null,
  counts_from timestamptz not null,
  purging_since timestamptz,
  constraint deletions_kind_known check (kind in ('model', 'project', 'trial', 'objective'))
);
create index deletions_due on deletions (counts_from, id);
create index deletions_account on deletions (account_id, id);
create index deletions_model on deletions (model_id);
`;
