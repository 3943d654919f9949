/** Read-only links to one objective: made, listed, revoked, and followed without a key. */
import { lockAccount } from '../../db/accounts/accounts.ts';
import { type Db, inTransaction } from '../../db/connection/transaction.ts';
import * as links from '../../db/exports/shared-links.ts';
import { findObjective } from '../../db/search/objectives.ts';
import { hashSecret } from '../../domain/accounts/api-key.ts';
import { makeToken, parseToken } from '../../domain/accounts/browser-session.ts';
import type { StorageQuota } from '../../domain/accounts/storage.ts';
import { DomainError, makeViolation, notFound, refuseViolations } from '../../domain/errors.ts';
import {
  DEFAULT_LINK_DAYS,
  LONGEST_LINK_DAYS,
  MAXIMUM_LINKS,
  type ReportFiles,
  type SharedKind,
  type SharedLink,
  type SharedSubject,
} from '../../domain/exports/shared-link.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { refuseOverQuota } from '../accounts/account-limits.ts';
import { isUnder, missingInPath, type ObjectivePath, parentsOf, refuseDisabled } from '../paths.ts';

export interface NewLink {
  readonly kind: SharedKind;
  readonly label: string | null;
  readonly createdBy: string;
  /** null: after the usual time. */
  readonly expiresAt: Date | null;
}

export interface MadeLink {
  readonly link: SharedLink;
  /** Returned here and never again. */
  readonly token: string;
}

const DAY_MS = 86_400_000;
const ROW_BYTES = 512;

/**
 * `report` is what a link to a report keeps. Throws NOT_FOUND, VALIDATION_FAILED for an end that is past or too far away, LIMIT_REACHED,
 * QUOTA_EXCEEDED.
 */
export async function createSharedLink(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  wanted: NewLink & { readonly report: ReportFiles | null },
  quota?: StorageQuota,
): Promise<MadeLink> {
  await requireObjective(db, accountId, path);
  const token = makeToken();
  const link = await inTransaction(db, async (trx) => {
    const now = await lockAccount(trx, accountId);
    if (await links.hasMostLinks(trx, accountId)) {
      const message = `The account already has ${MAXIMUM_LINKS} links, those that have expired included; revoke one first.`;
      throw new DomainError('LIMIT_REACHED', message);
    }
    const { kind, label, createdBy, report } = wanted;
    const bytes = ROW_BYTES + (report?.html.length ?? 0) + (report?.pdf.length ?? 0);
    await refuseOverQuota(trx, accountId, quota, { bytes, rows: 1 });
    const expiresAt = endOf(wanted.expiresAt, now);
    const row = {
      objectiveId: path.objectiveId,
      tokenHash: hashSecret(token),
      kind,
      label,
      createdBy,
      expiresAt,
      report,
    };
    return links.insertSharedLink(trx, accountId, row);
  });
  return { link, token };
}

function endOf(wanted: Date | null, now: Date): Date {
  if (wanted === null) return new Date(now.getTime() + DEFAULT_LINK_DAYS * DAY_MS);
  const latest = new Date(now.getTime() + LONGEST_LINK_DAYS * DAY_MS);
  const refuse = (message: string) => refuseViolations([makeViolation(['expiresAt'], message)]);
  if (wanted <= now) refuse(`must be in the future; the time of the service is ${now.toISOString()}.`);
  if (wanted > latest) refuse(`must be within ${LONGEST_LINK_DAYS} days, by ${latest.toISOString()}.`);
  return wanted;
}

/** Those of one objective. Throws NOT_FOUND. */
export async function listLinksOf(
  db: Db,
  accountId: number,
  path: ObjectivePath,
  page: PageRequest,
): Promise<Page<SharedLink>> {
  await requireObjective(db, accountId, path);
  return links.listSharedLinks(db, accountId, path.objectiveId, page);
}

export function listLinks(db: Db, accountId: number, page: PageRequest): Promise<Page<SharedLink>> {
  return links.listSharedLinks(db, accountId, null, page);
}

/** Ends a link immediately and removes it. Throws NOT_FOUND. */
export async function revokeLink(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await links.removeSharedLink(db, accountId, id))) throw notFound('link', id);
}

/** Throws SHARED_LINK_ENDED, with the same text for a token that is mistyped, revoked or expired, and for what is deleted. */
export async function followLink(db: Db, token: string): Promise<SharedSubject> {
  const isToken = parseToken(token) !== undefined;
  const subject = isToken ? await links.findSharedSubject(db, hashSecret(token)) : undefined;
  if (subject !== undefined) return subject;
  const message =
    'This link does not work any more, or its address is not complete. Ask whoever sent it to you for a new one.';
  throw new DomainError('SHARED_LINK_ENDED', message);
}

/** The file of a report as it was kept; undefined for a link that shows the present state. */
export function readKeptFile(db: Db, subject: SharedSubject, format: 'html' | 'pdf') {
  return links.readSharedFile(db, subject, format);
}

/** One pass of the schedule. */
export async function purgeLinks(db: Db): Promise<{ readonly purged: number }> {
  return { purged: await links.removeExpiredLinks(db) };
}

async function requireObjective(db: Db, accountId: number, path: ObjectivePath): Promise<void> {
  const objective = await findObjective(db, accountId, path.objectiveId);
  if (objective === undefined || !isUnder(path, parentsOf(objective))) {
    throw await missingInPath(db, accountId, path, { resource: 'objective', id: path.objectiveId });
  }
  refuseDisabled(objective, 'objective');
}
