import { addCases } from '../../../application/corrections/add-cases.ts';
import { readTrialCasePage } from '../../../application/data/read-trial-cases.ts';
import { labelsOf } from '../../../domain/problem/names.ts';
import { createdWithoutPath, nextPageHeaders, pageOf } from '../../answer/answers.ts';
import { DERIVATIVE_FLAGS } from '../../answer/row-table.ts';
import { answerRows, ROW_FLAGS, ROW_TEXTS } from '../../answer/rows.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { ROW_FORMATS } from '../../wire/formats.ts';
import { toTrialCaseTable, trialCaseTypes } from './trial-case-rows.wire.ts';
import {
  addedCasesSchema,
  newTrialCases,
  presentTrialCase,
  sourceSchema,
  trialCaseSchema,
  withSource,
} from './trial-cases.wire.ts';

const tag = 'Trials';
const cases = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/cases';

export const trialCaseOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: cases,
    operationId: 'addCases',
    tag,
    summary: 'Add cases to a trial, as JSON, CSV or a workbook',
    description:
      'At any time; objectives learn from them with their next suggestion. All rows are stored or none. For a CSV file, errors name the row (1 is the first below the header), its line and the column; the pointer is /row/column, with 0 for the header. Of a workbook (.xlsx), the only sheet with cells is read as such a file.',
    body: newTrialCases,
    texts: { source: { schema: sourceSchema, description: 'The source of the cases of a CSV file or a workbook.' } },
    refusals: { 415: 'The body is neither application/json nor text/csv nor a workbook.' },
    answers: createdWithoutPath.spec('The outcome of the load.', addedCasesSchema),
    handle: async ({ deps, accountId, ids, body, texts }) => {
      const table = withSource(body, texts.source);
      return createdWithoutPath.answer(await addCases(deps.db, accountId, ids, table, deps.settings.account));
    },
  }),
  defineOperation({
    method: 'GET',
    path: cases,
    operationId: 'listTrialCases',
    tag,
    summary: 'List the cases of a trial, designed and added, or write them as rows of CSV or lines of JSON',
    description: 'As text/csv or application/x-ndjson all of them, unless limit is given.',
    isList: true,
    formats: ROW_FORMATS,
    texts: ROW_TEXTS,
    flags: { ...ROW_FLAGS, ...DERIVATIVE_FLAGS },
    answers: pageOf.spec(
      'The cases as they are now; after takes the number of the last case.',
      trialCaseSchema,
      trialCaseTypes,
    ),
    handle: async (call) => {
      const page = await readTrialCasePage(call.deps.db, call.accountId, call.ids, call.page);
      if (call.format !== 'json') {
        return answerRows(
          call,
          toTrialCaseTable(page, call.flags['derivatives'] === true),
          nextPageHeaders(call, page.nextAfter),
        );
      }
      const labels = labelsOf(page.project);
      return pageOf.written(call, page, (one) => presentTrialCase(one, labels));
    },
  }),
];
