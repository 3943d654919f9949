/**
 * Links that show one objective, or its report, to whoever has them, without a key and read-only. The token of a link has the form of
 * the tokens of sessions (browser-session.ts) and is stored as a SHA-256 only.
 */

/** The present state of the objective, or its report as it was when the link was made. */
export const SHARED_KINDS = ['objective', 'report'] as const;
export type SharedKind = (typeof SHARED_KINDS)[number];

/** Lifetimes of a link: by default, and at most. */
export const DEFAULT_LINK_DAYS = 30;
export const LONGEST_LINK_DAYS = 366;
/** Limit for an account, expired links included. */
export const MAXIMUM_LINKS = 200;
/** For so long an expired link stays in the list. */
export const EXPIRED_LINK_DAYS = 30;

export interface SharedLink {
  readonly id: number;
  readonly objectiveId: number;
  readonly kind: SharedKind;
  readonly label: string | null;
  /** As whom records name whoever made it. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
}

/** A report as it is kept. */
export interface ReportFiles {
  /** Name of the HTML file; that of the PDF has the other ending. */
  readonly fileName: string;
  readonly html: Uint8Array;
  readonly pdf: Uint8Array;
}

/** Record that a token leads to. */
export interface SharedSubject {
  readonly linkId: number;
  readonly accountId: number;
  readonly objectiveId: number;
  readonly kind: SharedKind;
}
