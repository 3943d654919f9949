/** Types of the tables of what accounts store and delete, as in schema.ts. */
import type { Generated } from 'kysely';

/** Written only by the count of storage: what an account stores is the sum over its rows in storage_counts. */
interface AccountUsageTable {
  account_id: number;
  stored_bytes: number;
  stored_rows: number;
}

/** When each slice of a table was counted. */
interface StorageSlicesTable {
  kind: string;
  slice: number;
  counted_at: Date;
  grown_at: Date;
  through: number;
}

/** What a slice of a table held of an account at its last count. */
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
  /** When its retention period begins; -infinity to purge it at once. */
  counts_from: Date;
  purging_since: Date | null;
}

export interface StorageTables {
  account_usage: AccountUsageTable;
  storage_slices: StorageSlicesTable;
  storage_counts: StorageCountsTable;
  storage_changes: StorageChangesTable;
  deletions: DeletionsTable;
}
