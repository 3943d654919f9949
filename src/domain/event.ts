/**
 * What is told to webhooks. An event is recorded in the transaction of what it tells about; a delivery is one event on
 * its way to one webhook. States of a delivery: waiting (nobody sends it), leased (a worker sends it until the lease
 * expires), delivered (the receiver answered 2xx), dead (every attempt failed). Redelivery by hand leads from any of
 * them back to waiting.
 */
import type { Inverse } from './inverse.ts';
import type { Matrix } from './matrix.ts';
import type { Objective, ObjectiveWithInverses } from './objective.ts';
import type { Project } from './project.ts';
import { StopReason } from './stop-reason.ts';
import type { OutputCaseSet, Trial } from './trial.ts';

/** The kind of record that an event carries. */
const KINDS = {
  'project.created': 'project',
  'output_cases.loaded': 'trial',
  'objectives.loaded': 'objective',
  'inverse.suggested': 'inverse',
  'inverse.output_loaded': 'objective',
  'objective.satisfied': 'objective',
  'objective.stopped': 'objective',
  'objective.exhausted': 'objective',
} as const;

export type EventName = keyof typeof KINDS;
export type EventKind = (typeof KINDS)[EventName];

export const EVENT_NAMES = Object.keys(KINDS) as readonly EventName[];

export function kindOf(name: EventName): EventKind {
  return KINDS[name];
}

/** The record of an event, as it is when the event is sent. What could not fit into a body is not read. */
export type EventRecord =
  /** Cases are read all or, as null, not at all. */
  | { readonly kind: 'project'; readonly project: Project; readonly inputCases: Matrix | null }
  | {
      readonly kind: 'trial';
      readonly trial: Trial;
      readonly set: OutputCaseSet;
      readonly outputCases: Matrix | null;
    }
  | {
      readonly kind: 'objective';
      /** With its newest inverses that have an input. */
      readonly objective: ObjectiveWithInverses;
      /** Also when it is none of those. */
      readonly optimalInverse: Inverse | null;
      /** Whether older inverses were left out. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'inverse'; readonly objective: Objective; readonly inverse: Inverse };

export interface NewEvent {
  readonly name: EventName;
  /** Id of the record that the name tells the kind of. */
  readonly resourceId: number;
}

export interface RecordedEvent extends NewEvent {
  readonly id: number;
  readonly accountId: number;
  readonly createdAt: Date;
}

/** How events look to those who receive them. */
export interface EventForm {
  /** Fewest bytes that an inverse can take: no more inverses are read than could fit. */
  fewestInverseBytes(size: {
    readonly inputCount: number;
    readonly outputCount: number;
    readonly hasOutput: boolean;
  }): number;
  /** The body as JSON of at most so many bytes; a record that does not fit is shortened, and says so. */
  render(event: RecordedEvent, record: EventRecord, maximumBytes: number): Uint8Array;
}

/** The event that reaching `stopReason` is, or undefined while the objective is running. */
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

export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly description: string | null;
  /** null: every event. */
  readonly eventNames: readonly EventName[] | null;
  /** A webhook that is switched off keeps what is waiting and hears of no new events. */
  readonly enabled: boolean;
  /** Since when attempts fail, or null while the last one succeeded. */
  readonly failingSince: Date | null;
  /** Until when deliveries are signed with an older secret too; null: with the newest alone. */
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
  /** When the next attempt is due; null when none follows. */
  readonly nextAttemptAt: Date | null;
  readonly attemptedAt: Date | null;
  /** HTTP status of the last answer, or null when none came. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly deliveredAt: Date | null;
  readonly createdAt: Date;
}

/** A delivery in the hands of a worker, with all that sending it needs. */
export interface LeasedDelivery {
  readonly id: number;
  readonly webhookId: number;
  readonly leaseToken: string;
  /** This attempt included. */
  readonly attempt: number;
  readonly url: string;
  /** The newest first: those of a rotation under way are used together. */
  readonly secrets: readonly Uint8Array[];
  /** Whether the receiver failed the last time. */
  readonly isFailing: boolean;
  readonly event: RecordedEvent;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pause after the first, second, ... failed attempt: about 21 hours in all, so that a receiver may fail overnight. */
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

/** The first attempt and one after every pause; a crash of the worker while sending counts as an attempt. */
export const MAXIMUM_DELIVERY_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/** Pause before the next attempt after `attempt` (1, 2, ...) failed, or undefined: the delivery is dead. */
export function deliveryDelayMs(attempt: number): number | undefined {
  return RETRY_DELAYS_MS[attempt - 1];
}
