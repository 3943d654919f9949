/** How much an account keeps in the database, how much it may keep, and what becomes of what it deletes. */
import { DomainError } from './errors.ts';

/** What an account may keep; 0 means any amount. */
export interface StorageQuota {
  readonly storedBytes: number;
  readonly storedRows: number;
}

export const NO_QUOTA: StorageQuota = { storedBytes: 0, storedRows: 0 };

/**
 * What an account keeps, deleted records that are not purged yet included. Rows are its records; bytes also hold what goes
 * by itself, such as events.
 */
export interface StorageUsage {
  readonly bytes: number;
  readonly rows: number;
}

/** Whether `usage` with `added` to it stays within the quota. */
export function isWithin(quota: StorageQuota, usage: StorageUsage, added: StorageUsage): boolean {
  const { storedBytes, storedRows } = quota;
  const hasBytes = storedBytes === 0 || usage.bytes + added.bytes <= storedBytes;
  return hasBytes && (storedRows === 0 || usage.rows + added.rows <= storedRows);
}

/** QUOTA_EXCEEDED, with what is used, what is allowed and what to do. */
export function quotaExceeded(quota: StorageQuota, usage: StorageUsage, added: StorageUsage): DomainError {
  const limits = [
    ...(quota.storedBytes === 0 ? [] : [`${grouped(quota.storedBytes)} bytes`]),
    ...(quota.storedRows === 0 ? [] : [`${grouped(quota.storedRows)} rows`]),
  ];
  // Next to nothing is added by most requests: the quota is used up, and that is all there is to say.
  const isLarge = added.bytes >= WORTH_TELLING_BYTES;
  const more = isLarge ? `, and this request would add up to ${grouped(added.bytes)} bytes` : '';
  return new DomainError(
    'QUOTA_EXCEEDED',
    `This account keeps ${grouped(usage.bytes)} bytes in ${grouped(usage.rows)} rows${more}; it may keep ${limits.join(' in ')}. Delete models, projects, trials or objectives that are no longer needed, and have what is deleted purged at once (DELETE /v1/deleted): until then it counts. Outputs of inverses handed out already are still taken.`,
  );
}

/** Of a case; compressed it may be less. */
export const BYTES_PER_NUMBER = 8;

const WORTH_TELLING_BYTES = 1_000_000;

/** 1234567 as 1,234,567. */
function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export const DELETED_KINDS = ['model', 'project', 'trial', 'objective'] as const;
export type DeletedKind = (typeof DELETED_KINDS)[number];

/** A record that was deleted by itself, with everything below it, and is not purged yet. */
export interface Deletion {
  readonly id: number;
  readonly kind: DeletedKind;
  /** Id of the record. */
  readonly recordId: number;
  readonly modelId: number;
  /** Of models and projects; null for records without a name. */
  readonly name: string | null;
  readonly deletedAt: Date;
  /** From when on it is purged, at the next pass. */
  readonly purgeAt: Date;
  /** Whether its first rows are gone already. */
  readonly isBeingPurged: boolean;
}
