/**
 * Table types as Kysely reads them; names as in SQL. The migrations are the truth: test/db/schema.test.ts compares this file
 * with a migrated database.
 */
import type { ColumnType, Generated } from 'kysely';

type Stamp = Generated<Date>;
type Vector = readonly number[];
/** Written and read in binary form; see matrices.ts. */
type Matrix = ColumnType<never, Buffer, Buffer>;

interface Numbered {
  id: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
}

interface Lifetime extends Numbered {
  disabled_at: Date | null;
}

export interface AccountsTable extends Lifetime {
  name: string;
  company: string | null;
  full_name: string | null;
  first_name: string | null;
  last_name: string | null;
  time_zone: string | null;
  invitation_id: number | null;
}

export interface ModelsTable extends Lifetime {
  account_id: number;
  name: string;
  description: string | null;
}

export interface ProjectsTable extends Lifetime {
  account_id: number;
  model_id: number;
  name: string;
  input_count: number;
  minimums: Vector;
  maximums: Vector;
  input_types: readonly string[];
  /** Written as JSON text, read as parsed lists. */
  categories: ColumnType<string[][], string, string>;
  /** Written as JSON text, read as parsed; null when nothing but bounds and types was stated. */
  input_details: ColumnType<unknown, string | null, string | null> | null;
  input_names: readonly string[] | null;
  input_units: readonly string[] | null;
  output_names: readonly string[] | null;
  output_units: readonly string[] | null;
  maximum_evaluations: number | null;
  /** Written as JSON text, read as parsed; null without cheaper sources. */
  sources: ColumnType<unknown, string | null, string | null> | null;
  input_cases: Matrix;
  case_count: number;
  output_count: number | null;
  seed: number;
  developed_at: Date | null;
}

export interface OutputCaseSetsTable extends Lifetime {
  account_id: number;
  model_id: number;
  project_id: number;
  output_count: number;
  output_cases: Matrix;
  /** null in rows from versions before 0.1.0. */
  case_count: number | null;
  failed_cases: Vector;
  jacobians: Matrix | null;
}

export interface TrialsTable extends Lifetime {
  account_id: number;
  model_id: number;
  project_id: number;
  output_case_set_id: number;
  number: number;
  status: Generated<string>;
  revision: Generated<number>;
}

export interface AddedCasesTable {
  id: Generated<number>;
  account_id: number;
  trial_id: number;
  revision: number;
  first_number: number;
  case_count: number;
  inputs: Matrix;
  outputs: Matrix;
  failed_cases: Vector;
  source: string | null;
  jacobians: Matrix | null;
  created_at: Stamp;
}

export interface CorrectionsTable {
  id: Generated<number>;
  account_id: number;
  trial_id: number;
  revision: number;
  case_number: number | null;
  objective_id: number | null;
  inverse_id: number | null;
  iteration: number | null;
  old_output: Vector | null;
  old_failure_reason: string | null;
  was_excluded: boolean;
  new_output: Vector | null;
  new_failure_reason: string | null;
  is_excluded: boolean;
  reason: string;
  corrected_by: string;
  created_at: Stamp;
  is_note: Generated<boolean>;
  old_jacobian: Vector | null;
  new_jacobian: Vector | null;
}

export interface ObjectivesTable extends Lifetime {
  account_id: number;
  model_id: number;
  project_id: number;
  trial_id: number;
  number: number;
  objectives: Vector;
  objective_types: readonly string[];
  minimum_bounds: readonly (number | null)[];
  maximum_bounds: readonly (number | null)[];
  desired_l1_norm: number;
  convergence: number;
  initial_input: Vector;
  initial_output: Vector;
  maximum_attempts: number;
  attempt_count: Generated<number>;
  stop_reason: Generated<number>;
  optimal_inverse_id: number | null;
  seed: number;
  nearest_case: number | null;
  nearest_case_input: Vector | null;
  nearest_case_output: Vector | null;
  nearest_iteration: number | null;
  judged_through: number | null;
  reuse: Generated<boolean>;
  continues_id: number | null;
  fixed_inputs: readonly (number | null)[] | null;
  /** Written as JSON text, read as parsed. */
  constraints: ColumnType<unknown, string | null, string | null> | null;
  data_revision: Generated<number>;
  parallelism: Generated<number>;
  version: Generated<number>;
  hold_back: Generated<boolean>;
  completed_count: Generated<number>;
  nothing_new_at: number | null;
  batch_id: number | null;
  /** Written as JSON text, read as parsed. */
  options: ColumnType<unknown, string | null, string | null> | null;
  ended: ColumnType<unknown, string | null, string | null> | null;
  label: string | null;
  archived_at: Date | null;
}

export interface InversesTable extends Lifetime {
  account_id: number;
  objective_id: number;
  iteration: number;
  status: Generated<string>;
  input: Vector | null;
  output: Vector | null;
  suggest_time_ns: Generated<number>;
  compute_time_ns: Generated<number>;
  suggested_at: Date | null;
  loaded_at: Date | null;
  satisfied_at: Date | null;
  stopped_at: Date | null;
  exhausted_at: Date | null;
  failed_at: Date | null;
  failure_reason: string | null;
  excluded_at: Date | null;
  /** Written as JSON text, read as parsed. */
  learned_from: ColumnType<unknown, string | null, string | null> | null;
  expected: Vector | null;
  jacobian: Vector | null;
  basis: number | null;
  pending: Vector | null;
  chance: number | null;
  source: string | null;
  completed_order: number | null;
  asked_by: string | null;
  requested_by: string | null;
  loaded_by: string | null;
  repeat_of: number | null;
}

export interface SuggestionJobsTable {
  id: Generated<number>;
  account_id: number;
  objective_id: number;
  inverse_id: number;
  state: Generated<string>;
  attempts: Generated<number>;
  visible_at: Stamp;
  lease_token: string | null;
  leased_by: string | null;
  last_error: string | null;
  request_id: string | null;
  trace_parent: string | null;
  created_at: Stamp;
  askers: Generated<readonly string[]>;
}

export interface BatchesTable extends Numbered {
  account_id: number;
  model_id: number;
  project_id: number;
  trial_id: number | null;
  name: string | null;
  status: string;
  is_paused: Generated<boolean>;
  parallelism: number;
  /** Written as JSON text, read as parsed. */
  evaluator: ColumnType<unknown, string, string>;
  evaluator_secret: Buffer | null;
  workbook_id: number | null;
  output_count: number;
  timeout_seconds: number;
  maximum_tries: number;
  maximum_losses: number;
  stop_after_failures: number;
  failure_reason: string | null;
  due_at: Stamp;
  finished_at: Date | null;
}

export interface WorkbooksTable {
  id: Generated<number>;
  account_id: number;
  name: string;
  content: Buffer;
  /** Written as JSON text, read as parsed. */
  cells: ColumnType<unknown, string, string>;
  created_at: Stamp;
}

export interface BatchObjectivesTable {
  batch_id: number;
  position: number;
  account_id: number;
  /** Written as JSON text, read as parsed. */
  definition: ColumnType<unknown, string, string>;
  objective_id: number | null;
  failure_reason: string | null;
}

export interface EvaluationsTable extends Numbered {
  account_id: number;
  batch_id: number;
  project_id: number;
  case_number: number | null;
  objective_id: number | null;
  inverse_id: number | null;
  source: string | null;
  input: Vector;
  output: Vector | null;
  jacobian: Vector | null;
  state: Generated<string>;
  is_pushed: boolean;
  tries: Generated<number>;
  losses: Generated<number>;
  visible_at: Stamp;
  lease_token: string | null;
  lease_seconds: number | null;
  evaluator: string | null;
  claimed_at: Date | null;
  progress: number | null;
  message: string | null;
  failure_reason: string | null;
  compute_time_ns: number | null;
  finished_at: Date | null;
}

export interface WebhooksTable extends Numbered {
  account_id: number;
  url: string;
  description: string | null;
  event_names: readonly string[] | null;
  secret: Buffer;
  enabled: Generated<boolean>;
  failing_since: Date | null;
  kind: Generated<string>;
  /** null: of the whole account. */
  objective_id: number | null;
  /** Confirmation by a person who is told by e-mail. */
  confirmed_at: Date | null;
}

export interface WebhookPreviousSecretsTable {
  account_id: number;
  webhook_id: number;
  secret: Buffer;
  until: Date;
}

export interface EventsTable {
  id: Generated<number>;
  account_id: number;
  name: string;
  resource_id: number;
  created_at: Stamp;
}

export interface WebhookDeliveriesTable {
  id: Generated<number>;
  account_id: number;
  webhook_id: number;
  event_id: number;
  state: Generated<string>;
  attempts: Generated<number>;
  visible_at: Stamp;
  lease_token: string | null;
  leased_by: string | null;
  attempted_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  delivered_at: Date | null;
  created_at: Stamp;
}

export interface IdempotencyKeysTable {
  account_id: number;
  key: string;
  method: string;
  path: string;
  fingerprint: Buffer;
  /** Written as JSON text, read parsed. */
  outcome: ColumnType<unknown, string, string>;
  created_at: Stamp;
}

/** Knowledge of the optimizer about an objective; see explanations.ts. */
export interface ExplanationsTable {
  objective_id: number;
  account_id: number;
  case_count: number;
  /** For whose suggestion it was computed; null if the version before did. */
  inverse_id: number | null;
  /** Written as JSON text, read parsed. */
  insight: ColumnType<unknown, string, string> | null;
  diagnosis: ColumnType<unknown, string, string> | null;
  standing: ColumnType<unknown, string | null, string | null> | null;
  advice: ColumnType<unknown, string | null, string | null> | null;
  updated_at: Stamp;
}

/** Unlogged; written by rate-limiter-flexible. */
export interface RateLimitsTable {
  key: string;
  points: number;
  expire: number;
}

/** Applied revision of each repeatable migration; see migrate.ts. */
export interface RepeatableMigrationsTable {
  name: string;
  revision: number;
  checksum: string;
  applied_at: Stamp;
}

// Credentials, people and the page

interface ApiKeysTable {
  id: Generated<number>;
  account_id: number;
  key_id: string;
  secret_hash: Buffer;
  label: string | null;
  scopes: ColumnType<string[], readonly string[] | undefined, readonly string[]>;
  created_at: Stamp;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  successor_id: number | null;
  person_id: number | null;
  is_bound: Generated<boolean>;
  created_by: string | null;
}

interface BrowserSessionsTable {
  id: Generated<number>;
  token_hash: Buffer;
  /** null: began before sessions were bound to their page, and counts no more. */
  page_hash: Buffer | null;
  account_id: number;
  /** null: a sign-in link began it. */
  key_id: number | null;
  scopes: readonly string[];
  created_at: Stamp;
  last_used_at: Stamp;
  expires_at: Date;
  person_id: number | null;
  is_bound: Generated<boolean>;
  browser: string | null;
  lent_by: number | null;
  lent_key: number | null;
}

interface SignInLinksTable {
  token_hash: Buffer;
  account_id: number;
  scopes: readonly string[];
  created_at: Stamp;
  expires_at: Date;
  used_at: Date | null;
  person_id: number | null;
  is_bound: Generated<boolean>;
  lent_by: number | null;
  lent_key: number | null;
}

interface PeopleTable {
  id: Generated<number>;
  name: string;
  email: string | null;
  issuer: string | null;
  subject: string | null;
  created_at: Stamp;
}

interface MembershipsTable {
  account_id: number;
  person_id: number;
  role: string;
  is_by_group: Generated<boolean>;
  created_at: Stamp;
  group_role: string | null;
  is_edited: Generated<boolean>;
  counts_until: Date | null;
}

interface InvitationsTable {
  id: Generated<number>;
  account_id: number;
  token_hash: Buffer;
  opens: string;
  role: string;
  inviter_role: string | null;
  label: string | null;
  created_by: number | null;
  created_by_name: string;
  maximum_uses: number | null;
  uses: Generated<number>;
  created_at: Stamp;
  expires_at: Date;
  revoked_at: Date | null;
  created_by_key: number | null;
  lent_by: number | null;
  lent_key: number | null;
}

interface OpenidSignInsTable {
  token_hash: Buffer;
  state: string;
  nonce: string;
  code_verifier: string;
  invitation_hash: Buffer | null;
  return_to: string;
  expires_at: Date;
}

interface PageDraftsTable {
  account_id: number;
  subject: string;
  writer: string;
  objective_id: number | null;
  inverse_id: number | null;
  text: string;
  updated_at: Stamp;
}

interface SharedLinksTable {
  id: Generated<number>;
  account_id: number;
  objective_id: number;
  token_hash: Buffer;
  kind: string;
  label: string | null;
  created_by: string;
  /** null, as the next two, unless it keeps a report. */
  file_name: string | null;
  html: Buffer | null;
  pdf: Buffer | null;
  created_at: Stamp;
  expires_at: Date;
  last_used_at: Date | null;
}

// Notes and their files

interface NotesTable {
  id: Generated<number>;
  account_id: number;
  objective_id: number;
  inverse_id: number | null;
  iteration: number | null;
  text: string;
  written_by: string;
  created_at: Stamp;
  edited_by: string | null;
  edited_at: Date | null;
  disabled_at: Date | null;
  counts_from: Date | null;
  file_name: string | null;
  file_type: string | null;
  file_bytes: number | null;
  content: Buffer | null;
  storage_key: string | null;
  thumbnail: Buffer | null;
}

/** Keys of a store of objects whose files go when they are due. */
interface FileRemovalsTable {
  storage_key: string;
  due_at: Date;
}

// Storage of accounts, and deletions

/** Written only by the count of storage: what an account stores is the sum over its rows in storage_counts. */
interface AccountUsageTable {
  account_id: number;
  stored_bytes: number;
  stored_rows: number;
}

/** Time of the last count of each slice of a table. */
interface StorageSlicesTable {
  kind: string;
  slice: number;
  counted_at: Date;
  grown_at: Date;
  through: number;
}

/** Records of an account in a slice of a table at its last count. */
interface StorageCountsTable {
  kind: string;
  slice: number;
  account_id: number;
  bytes: number;
  rows: number;
}

/** Slices that have to be counted again. */
interface StorageChangesTable {
  kind: string;
  slice: number;
}

/** Written by triggers (note_deletion), one row per deletion. */
interface DeletionsTable {
  id: Generated<number>;
  account_id: number;
  model_id: number;
  kind: string;
  record_id: number;
  deleted_at: Date;
  /** Start of its retention period; -infinity to purge it immediately. */
  counts_from: Date;
  purging_since: Date | null;
}

export interface Database {
  accounts: AccountsTable;
  models: ModelsTable;
  projects: ProjectsTable;
  output_case_sets: OutputCaseSetsTable;
  trials: TrialsTable;
  added_cases: AddedCasesTable;
  corrections: CorrectionsTable;
  objectives: ObjectivesTable;
  inverses: InversesTable;
  suggestion_jobs: SuggestionJobsTable;
  batches: BatchesTable;
  workbooks: WorkbooksTable;
  batch_objectives: BatchObjectivesTable;
  evaluations: EvaluationsTable;
  webhooks: WebhooksTable;
  webhook_previous_secrets: WebhookPreviousSecretsTable;
  events: EventsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  idempotency_keys: IdempotencyKeysTable;
  explanations: ExplanationsTable;
  rate_limits: RateLimitsTable;
  repeatable_migrations: RepeatableMigrationsTable;
  shared_links: SharedLinksTable;
  page_drafts: PageDraftsTable;
  api_keys: ApiKeysTable;
  browser_sessions: BrowserSessionsTable;
  sign_in_links: SignInLinksTable;
  people: PeopleTable;
  memberships: MembershipsTable;
  invitations: InvitationsTable;
  openid_sign_ins: OpenidSignInsTable;
  notes: NotesTable;
  file_removals: FileRemovalsTable;
  account_usage: AccountUsageTable;
  storage_slices: StorageSlicesTable;
  storage_counts: StorageCountsTable;
  storage_changes: StorageChangesTable;
  deletions: DeletionsTable;
}
