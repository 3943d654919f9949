import { listDeleted, purgeAtOnce, restoreDeletion } from '../../../application/deletion/purge-deleted.ts';
import { noContent, pageOf } from '../../answer/answers.ts';
import { type AnswerSpec, defineOperation, type Operation } from '../../operation/operation.ts';
import { deletionSchema, presentDeletion } from './deleted.wire.ts';

const tag = 'Deleted records';

const accepted: Readonly<Record<number, AnswerSpec>> = { 202: { description: 'A worker purges it within a minute.' } };

export const deletedOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/deleted',
    operationId: 'listDeleted',
    tag,
    summary: 'List deletions that are not yet purged',
    description:
      'One entry per deleted record, none for the records below it. Until they are purged, they can be read and exported, and count for the account.',
    isList: true,
    answers: pageOf.spec('The deletions, oldest first.', deletionSchema),
    handle: async (call) => {
      const keptDays = call.deps.settings.deletedDataKeptDays ?? 0;
      return pageOf.answer(call, await listDeleted(call.deps.db, call.accountId, keptDays, call.page), presentDeletion);
    },
  }),
  defineOperation({
    method: 'POST',
    path: '/deleted/{deletion_id}/restore',
    operationId: 'restoreDeletion',
    tag,
    summary: 'Take a deletion back',
    description:
      'The record is there again, with everything below it that was deleted with it. Searches that the deletion stopped and batches that it cancelled stay so. Not once its purge has begun.',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await restoreDeletion(deps.db, accountId, ids.deletionId);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'DELETE',
    path: '/deleted',
    operationId: 'purgeDeleted',
    tag,
    summary: 'Purge all deleted records immediately',
    description: 'They are removed permanently and no longer count towards the quota.',
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
    summary: 'Purge one deletion immediately',
    answers: accepted,
    handle: async ({ deps, accountId, ids }) => {
      await purgeAtOnce(deps.db, accountId, ids.deletionId);
      return { status: 202 };
    },
  }),
];
