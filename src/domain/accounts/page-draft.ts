/** Texts typed on the page and not sent yet, kept for each subject and browser. */

/** Characters of a draft; a longer one stays in its browser. */
export const LARGEST_DRAFT = 65_536;
/** Limit for an account; beyond it the oldest draft ends. */
export const MAXIMUM_DRAFTS = 100;
/** A draft ends this many days after its last change. */
export const DRAFT_DAYS = 30;

/** The new problem, or the outputs of an inverse of an objective. */
export const SUBJECT_PATTERN = /^(?:new-problem|outputs\/([1-9]\d{0,14})\/([1-9]\d{0,14}))$/;

export interface PageDraft {
  readonly subject: string;
  /** The browser, by a random name of its own. */
  readonly writer: string;
  readonly text: string;
  readonly updatedAt: Date;
}

/** Somebody has typed outputs of an inverse. */
export interface TypedElsewhere {
  readonly inverseId: number;
  readonly writer: string;
  /** As the interface writes it. */
  readonly updatedAt: string;
}

/** The objective and the inverse that the subject is part of. */
export function ownersOf(subject: string): { readonly objectiveId: number | null; readonly inverseId: number | null } {
  const [, objectiveId, inverseId] = SUBJECT_PATTERN.exec(subject) ?? [];
  return objectiveId === undefined
    ? { objectiveId: null, inverseId: null }
    : { objectiveId: Number(objectiveId), inverseId: Number(inverseId) };
}
