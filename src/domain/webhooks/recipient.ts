/**
 * People who are told by e-mail when a search ends or an input waits. In the database they are receivers of events beside webhooks. Each
 * has to agree first, by a link in an e-mail; nothing else is sent before.
 */
import type { EventName } from './event.ts';

/** Subjects that people can be told about, with their events. */
export const TOLD = {
  ended: ['objective.satisfied', 'objective.stopped', 'objective.exhausted', 'batch.completed', 'batch.failed'],
  waiting: ['inverse.suggested'],
} as const satisfies Record<string, readonly EventName[]>;
export type ToldKind = keyof typeof TOLD;
export const TOLD_KINDS = Object.keys(TOLD) as readonly ToldKind[];

/** An input that waits is told after this time. */
export const TOLD_AFTER_SECONDS = 120;
/** Inputs of an objective that are suggested within this time are told together. */
export const TOGETHER_SECONDS = 300;
/** Limit for an account. */
export const MAXIMUM_RECIPIENTS = 50;
/** Days after which a recipient who has not agreed is removed. */
export const UNCONFIRMED_DAYS = 7;

export interface Recipient {
  readonly id: number;
  readonly email: string;
  /** null: of the whole account. */
  readonly objectiveId: number | null;
  readonly tells: readonly ToldKind[];
  readonly createdAt: Date;
  /** null: has not agreed yet. */
  readonly confirmedAt: Date | null;
  /** Since when e-mails have failed; null: the last one was accepted. */
  readonly failingSince: Date | null;
  readonly lastError: string | null;
  /** false: the mailbox does not exist. */
  readonly isEnabled: boolean;
}

/** Acts of the links in e-mails. */
export const MAIL_ACTS = ['confirm', 'stop'] as const;
export type MailAct = (typeof MAIL_ACTS)[number];

/** An e-mail, before it is written for SMTP. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  /** Stops all e-mails of this kind, also at one click of a mail program (RFC 8058). */
  readonly stopUrl: string;
}
