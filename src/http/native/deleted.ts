import { listDeleted, purgeAtOnce } from '../../application/purge-deleted.ts';
import { type AnswerSpec, defineOperation, type Operation } from '../operation.ts';
import { pageOf } from '../answer/answers.ts';
import { deletionSchema, presentDeletion } from './deleted.wire.ts';

const tag = 'Deleted records';

const accepted: Readonly<Record<number, AnswerSpec>> = { 202: { description: 'A worker purges it within a minute.' } };

export const deletedOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/deleted',
    operationId: 'listDeleted',
    tag,
    summary: 'List what was deleted and is not purged yet',
    description:
      'One entry per record that was deleted by itself, none for what fell with it. Until it is purged it can be read and exported, and counts for the account.',
    isList: true,
    answers: pageOf.spec('The deletions, oldest first.', deletionSchema),
    handle: async (call) => {
      const keptDays = call.deps.settings.deletedDataKeptDays ?? 0;
      return pageOf.answer(call, await listDeleted(call.deps.db, call.accountId, keptDays, call.page), presentDeletion);
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: '/deleted',
    operationId: 'purgeDeleted',
    tag,
    summary: 'Purge everything that was deleted, without waiting for its time',
    description: 'It is gone for good then, and counts no more.',
    answers: accepted,
    handle: async ({ deps, accountId }) => {
      await purgeAtOnce(deps.db, accountId, null);
      return { status: 202 };
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: '/deleted/{deletion_id}',
    operationId: 'purgeDeletion',
    tag,
    summary: 'Purge what one deletion covers, without waiting for its time',
    answers: accepted,
    handle: async ({ deps, accountId, ids }) => {
      await purgeAtOnce(deps.db, accountId, ids.deletionId);
      return { status: 202 };
    },
  }),
];
