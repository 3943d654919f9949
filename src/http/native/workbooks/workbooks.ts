import {
  checkWorkbook,
  copyWorkbook,
  deleteWorkbook,
  getWorkbook,
  keepWorkbook,
  listWorkbooks,
  surveyWorkbook,
} from '../../../application/workbooks/keep-workbooks.ts';
import { MAXIMUM_WORKBOOKS, UNUSED_WORKBOOK_DAYS } from '../../../domain/workbooks/workbook.ts';
import { created, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { workbookPath } from '../../wire/native-paths.ts';
import {
  cellChoice,
  cellValues,
  checkedCellsSchema,
  newWorkbook,
  presentSurveyedWorkbook,
  presentWorkbook,
  surveyedWorkbookSchema,
  workbookFileSchema,
  workbookSchema,
} from './workbooks.wire.ts';

const tag = 'Workbooks';
const workbook = '/workbooks/{workbook_id}';
const refusals = {
  403: 'The operator does not let this service calculate workbooks (workbooks-not-allowed).',
  501: 'Nothing here can calculate them yet (workbooks-unavailable).',
};

export const workbookOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: '/workbooks',
    operationId: 'createWorkbook',
    tag,
    summary: 'Upload a workbook of formulas',
    description: `For batches whose evaluator is a workbook. It is taken by its content: an .xlsx without macros and without a password. An account has at most ${MAXIMUM_WORKBOOKS}; one that no batch uses goes after ${UNUSED_WORKBOOK_DAYS} days.`,
    body: newWorkbook,
    answers: created.spec('The workbook, with the cells that may be inputs and outputs.', surveyedWorkbookSchema),
    refusals,
    prepare: ({ deps, accountId, body }) => {
      const file = { accountId, name: body.name, content: Buffer.from(body.content, 'base64') };
      return surveyWorkbook(deps.db, deps.sheets, accountId, file, deps.settings.workbookBytes ?? 0);
    },
    handle: async ({ deps, accountId }, surveyed) => {
      const kept = await keepWorkbook(deps.db, accountId, surveyed, deps.settings.account);
      return created.answer(workbookPath(kept.id), presentSurveyedWorkbook(kept));
    },
    replay: {
      read: async ({ deps, accountId }, id) => presentSurveyedWorkbook(await getWorkbook(deps.db, accountId, id)),
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/workbooks',
    operationId: 'listWorkbooks',
    tag,
    summary: 'List the workbooks of the account',
    isList: true,
    answers: pageOf.spec('The workbooks, oldest first.', workbookSchema),
    handle: async (call) =>
      pageOf.answer(call, await listWorkbooks(call.deps.db, call.accountId, call.page), presentWorkbook),
  }),
  defineOperation({
    method: 'GET',
    path: workbook,
    operationId: 'getWorkbook',
    tag,
    summary: 'Read which cells of a workbook may be inputs and outputs',
    answers: ok.spec('The workbook.', surveyedWorkbookSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentSurveyedWorkbook(await getWorkbook(deps.db, accountId, ids.workbookId))),
  }),
  defineOperation({
    method: 'DELETE',
    path: workbook,
    operationId: 'deleteWorkbook',
    tag,
    summary: 'Delete a workbook for good',
    answers: noContent.spec,
    refusals: { 409: 'A batch uses it (workbook-in-use); it goes with the batch when that is purged.' },
    handle: async ({ deps, accountId, ids }) => {
      await deleteWorkbook(deps.db, accountId, ids.workbookId);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${workbook}/check`,
    operationId: 'checkWorkbook',
    tag,
    summary: 'Check cells as inputs and outputs, and calculate the outputs once',
    description:
      'An input is a cell with a number and no formula, an output a cell with a formula that depends on an input. Nothing is stored.',
    body: cellChoice,
    handlesIdempotency: true,
    answers: ok.spec('What is wrong, if anything.', checkedCellsSchema),
    refusals,
    handle: async ({ deps, accountId, ids, body }) =>
      ok.answer(await checkWorkbook(deps.db, deps.sheets, accountId, ids.workbookId, body)),
  }),
  defineOperation({
    method: 'POST',
    path: `${workbook}/copy`,
    operationId: 'copyWorkbook',
    tag,
    summary: 'Get a copy of a workbook with other values in cells',
    description:
      'Only these cells are changed; charts and formats stay. The program that opens the copy calculates it. Without values it is the file as it was uploaded.',
    body: cellValues,
    handlesIdempotency: true,
    answers: ok.spec('The file.', workbookFileSchema),
    refusals,
    handle: async ({ deps, accountId, ids, body }) => {
      const { name, content } = await copyWorkbook(deps.db, deps.sheets, accountId, ids.workbookId, body.values);
      return ok.answer({ name, content: Buffer.from(content).toString('base64') });
    },
  }),
];
