/** Measures what an account stores, limits it, and defines what happens to the records it deletes. */
import { DomainError } from '../errors.ts';

/** The most that an account may store; 0 means no limit. */
export interface StorageQuota {
  readonly storedBytes: number;
  readonly storedRows: number;
}

export const NO_QUOTA: StorageQuota = { storedBytes: 0, storedRows: 0 };

/**
 * Storage of an account, including deleted records that are not yet purged. Rows are its records; bytes also include
 * data that expires, such as events.
 */
export interface StorageUsage {
  readonly bytes: number;
  readonly rows: number;
}

/** Whether `usage` plus `added` is within the quota. */
export function isWithin(quota: StorageQuota, usage: StorageUsage, added: StorageUsage): boolean {
  const { storedBytes, storedRows } = quota;
  const hasBytes = storedBytes === 0 || usage.bytes + added.bytes <= storedBytes;
  return hasBytes && (storedRows === 0 || usage.rows + added.rows <= storedRows);
}

/** QUOTA_EXCEEDED, with the usage, the quota and what to do. */
export function quotaExceeded(quota: StorageQuota, usage: StorageUsage, added: StorageUsage): DomainError {
  const limits = [
    ...(quota.storedBytes === 0 ? [] : [`${grouped(quota.storedBytes)} bytes`]),
    ...(quota.storedRows === 0 ? [] : [`${grouped(quota.storedRows)} rows`]),
  ];
  // Most requests add next to nothing; then only the usage matters.
  const isLarge = added.bytes >= MENTIONED_BYTES;
  const more = isLarge ? `, and this request would add up to ${grouped(added.bytes)} bytes` : '';
  return new DomainError(
    'QUOTA_EXCEEDED',
    `This account stores ${grouped(usage.bytes)} bytes in ${grouped(usage.rows)} rows${more}; its quota is ${limits.join(' in ')}. Delete models, projects, trials or objectives that you no longer need, then purge the deleted records: they count until they are purged, and storage is counted once a minute. Outputs of open runs are still accepted.`,
  );
}

/** Size of a number of a case; compression may reduce it. */
export const BYTES_PER_NUMBER = 8;

const MENTIONED_BYTES = 1_000_000;

/** 1234567 as 1,234,567. */
function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export const DELETED_KINDS = ['model', 'project', 'trial', 'objective'] as const;
export type DeletedKind = (typeof DELETED_KINDS)[number];

/** A deletion of one record with everything below it that is not yet purged. */
export interface Deletion {
  readonly id: number;
  readonly kind: DeletedKind;
  /** Id of the record. */
  readonly recordId: number;
  readonly modelId: number;
  /** Name of models and projects; null for records without one. */
  readonly name: string | null;
  readonly deletedAt: Date;
  /** The first purge after this instant takes it. */
  readonly purgeAt: Date;
  /** Whether some of its rows are already gone. */
  readonly isBeingPurged: boolean;
}
