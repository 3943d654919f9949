import { listAllObjectives } from '../../application/read-overview.ts';
import type { StopReason } from '../../domain/stop-reason.ts';
import { pageOf } from '../answer/answers.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { objectiveGlanceSchema, presentGlance } from './overview.wire.ts';

export const overviewOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/objectives',
    operationId: 'listAllObjectives',
    tag: 'Objectives',
    summary: 'List all objectives of the account at a glance',
    description: 'Newest first; after takes the id of the last one seen.',
    isList: true,
    numbers: {
      stopReason: {
        description: 'Only those that run (0), are satisfied (1), were stopped (2) or are exhausted (3).',
        minimum: 0,
        maximum: 3,
        default: null,
      },
    },
    answers: pageOf.spec('The objectives, newest first.', objectiveGlanceSchema),
    handle: async (call) => {
      const stopReason = call.numbers['stopReason'] as StopReason | null;
      const page = await listAllObjectives(call.deps.db, call.accountId, stopReason, call.page);
      return pageOf.written(call, page, presentGlance);
    },
  }),
];
