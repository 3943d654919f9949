/** The body of a webhook. This dialect's clients parse it with their own event handling, so it has their form. */
import { z } from 'zod';
import { EVENT_NAMES, type EventRecord, kindOf, type RecordedEvent } from '../../domain/event.ts';
import { inverseSchema, presentInverse } from './inverses.wire.ts';
import { objectiveSchema, presentObjective } from './objectives.wire.ts';
import { presentProject, projectSchema } from './projects.wire.ts';
import { presentRecord, recordFields } from './record.wire.ts';
import { presentTrial, trialSchema } from './trials.wire.ts';

export const eventSchema = z.strictObject({
  ...recordFields,
  name: z.enum(EVENT_NAMES),
  subject: z.string().describe('The record that data shows, as kind/id.'),
  data: z.union([projectSchema, trialSchema, objectiveSchema, inverseSchema]),
});

/** Clients want every record to tell when it changed; an event never does. */
export function presentEvent(event: RecordedEvent, record: EventRecord) {
  return {
    ...presentRecord({ ...event, updatedAt: event.createdAt, disabledAt: null }),
    name: event.name,
    subject: `${kindOf(event.name)}/${event.resourceId}`,
    data: presentData(record),
  };
}

/** A project and a trial come without what was built on them since. */
function presentData(record: EventRecord) {
  switch (record.kind) {
    case 'project':
      return presentProject(record.project, record.project.inputCases, []);
    case 'trial':
      return presentTrial(record.trial, record.set, record.set.outputCases, []);
    case 'objective':
      return presentObjective(record.objective);
    case 'inverse':
      return presentInverse(record.objective, record.inverse);
  }
}
