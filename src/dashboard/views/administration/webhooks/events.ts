/** The events that a webhook may take. Needs no browser. */
import type { Webhook, WebhookDelivery } from '../../../../../clients/typescript/src/index.ts';

export type EventName = WebhookDelivery['event'];

const SENT_WHEN: Readonly<Record<EventName, string>> = {
  'project.created': 'a project is created',
  'output_cases.loaded': 'the outputs of cases are loaded',
  'objectives.loaded': 'an objective is loaded',
  'inverse.suggested': 'an input is suggested',
  'inverse.output_loaded': 'an output is loaded',
  'inverse.stopped': 'a run is given up',
  'objective.solution_found': 'one of several solutions is found',
  'objective.satisfied': 'an objective is satisfied',
  'objective.stopped': 'an objective is stopped',
  'objective.exhausted': 'an objective has used all its runs',
  'objective.reopened': 'an objective runs again',
  'batch.completed': 'a batch is completed',
  'batch.failed': 'a batch fails',
};

export const EVENTS = Object.entries(SENT_WHEN) as readonly (readonly [name: EventName, sentWhen: string])[];

export function describeEvents({ events }: Pick<Webhook, 'events'>): string {
  return events === null ? 'all events' : events.join(', ');
}
