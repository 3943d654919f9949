/**
 * Events for webhooks. An event is recorded in the transaction of the change it reports; a delivery is one event on its way
 * to one webhook. States of a delivery: waiting (for its next attempt), leased (a worker is sending it), delivered (the
 * receiver answered 2xx), dead (every attempt failed). A manual redelivery leads from any of them back to waiting.
 */
import type { BatchWithProgress } from '../batches/batch.ts';
import type { OutputCaseSet, Trial } from '../data/trial.ts';
import type { Matrix } from '../matrix.ts';
import type { Project } from '../problem/project.ts';
import type { Answer } from '../search/answer.ts';
import type { Inverse } from '../search/inverse.ts';
import type { Objective, ObjectiveWithInverses } from '../search/objective.ts';
import { StopReason } from '../search/stop-reason.ts';

/** The kind of record that each event carries. */
const KINDS = {
  'project.created': 'project',
  'output_cases.loaded': 'trial',
  'objectives.loaded': 'objective',
  'inverse.suggested': 'inverse',
  'inverse.output_loaded': 'objective',
  'inverse.stopped': 'inverse',
  'objective.solution_found': 'objective',
  'objective.satisfied': 'objective',
  'objective.stopped': 'objective',
  'objective.exhausted': 'objective',
  'objective.reopened': 'objective',
  'batch.completed': 'batch',
  'batch.failed': 'batch',
  /** Asks a person whether they want to be told by e-mail. */
  'recipient.added': 'recipient',
} as const;

export type EventName = keyof typeof KINDS;
export type EventKind = (typeof KINDS)[EventName];

/** Those that webhooks take. */
export const EVENT_NAMES = (Object.keys(KINDS) as readonly EventName[]).filter((name) => KINDS[name] !== 'recipient');

/** Way of deliveries to their receiver: HTTP to webhooks, e-mail to people. */
export type ReceiverKind = 'http' | 'mail';

export function kindOf(name: EventName): EventKind {
  return KINDS[name];
}

/** The record of an event, as it is when the event is sent. Parts that cannot fit into a body are not read. */
export type EventRecord =
  /** inputCases: all of them, or null if they were not read. */
  | { readonly kind: 'project'; readonly project: Project; readonly inputCases: Matrix | null }
  | {
      readonly kind: 'trial';
      readonly trial: Trial;
      readonly set: OutputCaseSet;
      readonly outputCases: Matrix | null;
    }
  | {
      readonly kind: 'objective';
      /** With its newest inverses, those that have an input. */
      readonly objective: ObjectiveWithInverses;
      /** Even if it is not among them. */
      readonly optimalInverse: Inverse | null;
      /** null before a run succeeded. */
      readonly answer: Answer | null;
      /** Whether older inverses were left out. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'inverse'; readonly objective: Objective; readonly inverse: Inverse }
  | { readonly kind: 'batch'; readonly batch: BatchWithProgress };

export interface NewEvent {
  readonly name: EventName;
  /** Id of the record, whose kind follows from the name. */
  readonly resourceId: number;
}

export interface RecordedEvent extends NewEvent {
  readonly id: number;
  readonly accountId: number;
  readonly createdAt: Date;
}

/** Format of events for their receivers. */
export interface EventForm {
  /** The fewest bytes that an inverse can take, so that no more inverses are read than could fit. */
  fewestInverseBytes(size: {
    readonly inputCount: number;
    readonly outputCount: number;
    readonly hasOutput: boolean;
  }): number;
  /** The body as JSON of at most `maximumBytes`; a record that does not fit is shortened and marked as such. */
  render(event: RecordedEvent, record: EventRecord, maximumBytes: number): Uint8Array;
}

/** The event for reaching `stopReason`, or undefined while the objective is running. */
export function endEvent(stopReason: StopReason): EventName | undefined {
  switch (stopReason) {
    case StopReason.satisfied:
      return 'objective.satisfied';
    case StopReason.stopped:
      return 'objective.stopped';
    case StopReason.exhausted:
      return 'objective.exhausted';
    default:
      return undefined;
  }
}

/** The event for a correction that changes the stop reason, or undefined if it does not. */
export function revisionEvent(before: StopReason, after: StopReason): EventName | undefined {
  if (before === after) return undefined;
  return after === StopReason.running ? 'objective.reopened' : endEvent(after);
}

export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly description: string | null;
  /** null: all events. */
  readonly eventNames: readonly EventName[] | null;
  /** A disabled webhook keeps its waiting deliveries and gets no new ones. */
  readonly enabled: boolean;
  /** Since when attempts have failed, or null if the last one succeeded. */
  readonly failingSince: Date | null;
  /** Until when deliveries are also signed with an older secret; null: with the newest only. */
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type DeliveryState = 'waiting' | 'leased' | 'delivered' | 'dead';

export interface Delivery {
  readonly id: number;
  readonly webhookId: number;
  readonly eventId: number;
  readonly eventName: EventName;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Time at which the next attempt is due; null if there is none. */
  readonly nextAttemptAt: Date | null;
  readonly attemptedAt: Date | null;
  /** HTTP status of the last answer, or null if there was none. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
}

/** A delivery leased to a worker, with everything needed to send it. */
export interface LeasedDelivery {
  readonly kind: ReceiverKind;
  readonly id: number;
  readonly webhookId: number;
  readonly leaseToken: string;
  /** Including this attempt. */
  readonly attempt: number;
  /** mailto: and the address, of a person. */
  readonly url: string;
  /** Newest first; during a rotation there are several. */
  readonly secrets: readonly Uint8Array[];
  /** Whether the last attempt at this receiver failed. */
  readonly isFailing: boolean;
  readonly event: RecordedEvent;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay after the first, second, ... failed attempt: about 21 hours in all, so that a receiver may be down overnight. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** The first attempt and one after each delay; a worker that crashes while sending has made an attempt. */
export const MAXIMUM_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/** Delay before the next attempt after `attempt` (1, 2, ...) failed; undefined: the delivery is dead. */
export function deliveryDelayMs(attempt: number): number | undefined {
  return RETRY_DELAYS_MS[attempt - 1];
}
