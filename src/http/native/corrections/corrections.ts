import {
  type CorrectionContext,
  correctCase,
  correctInverse,
  readCorrections,
} from '../../../application/corrections/correct-run.ts';
import { undoCorrection } from '../../../application/corrections/undo-correction.ts';
import { ok, pageOf } from '../../answer/answers.ts';
import { type Call, defineOperation, type Operation } from '../../operation/operation.ts';
import {
  correctedCaseSchema,
  correctedInverseSchema,
  correctionSchema,
  newCaseCorrection,
  newInverseCorrection,
  newUndo,
  presentCorrectedCase,
  presentCorrectedInverse,
  presentCorrection,
} from './corrections.wire.ts';

const tag = 'Corrections';
const trial = '/models/{model_id}/projects/{project_id}/trials/{trial_id}';

const REOPENING = {
  409: 'The correction changes the verdict of an objective that has ended: send it with reopen: true.',
};

function contextOf({
  deps,
  accountId,
  principal,
}: Pick<Call<unknown, unknown>, 'deps' | 'accountId' | 'principal'>): CorrectionContext {
  return { accountId, actor: principal.actor, limits: deps.settings.account };
}

export const correctionOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: `${trial}/objectives/{objective_id}/inverses/{inverse_id}/corrections`,
    operationId: 'correctInverse',
    tag,
    summary: 'Correct or exclude the result of an inverse',
    description:
      'Suggestions, best and optimalInverse follow from now on; the log keeps what it was, who changed it and why. Repeating a correction changes nothing more.',
    body: newInverseCorrection,
    answers: ok.spec('The inverse and the state of its objective as they are now.', correctedInverseSchema),
    refusals: REOPENING,
    handle: async (call) =>
      ok.answer(presentCorrectedInverse(await correctInverse(call.deps.db, contextOf(call), call.ids, call.body))),
  }),
  defineOperation({
    method: 'POST',
    path: `${trial}/cases/{number}/corrections`,
    operationId: 'correctCase',
    tag,
    summary: 'Correct or exclude the result of a case',
    description:
      'By the number of the case, from 1. The stored set of output cases stays as it is; the correction counts instead, for all objectives of the trial. Initial points that are copies of the case follow.',
    body: newCaseCorrection,
    answers: ok.spec('The case as it counts now.', correctedCaseSchema),
    refusals: REOPENING,
    handle: async (call) =>
      ok.answer(presentCorrectedCase(await correctCase(call.deps.db, contextOf(call), call.ids, call.body))),
  }),
  defineOperation({
    method: 'POST',
    path: `${trial}/corrections/{correction_id}/undo`,
    operationId: 'undoCorrection',
    tag,
    summary: 'Take a correction back',
    description:
      'The result from before it counts again, by a correction of its own, so that the log tells both. Only the newest correction of a run can be taken back. Undoing the undo brings the correction back.',
    body: newUndo,
    answers: ok.spec('The correction that restored the result.', correctionSchema),
    refusals: {
      409: `The run was changed since: correction-superseded. Or: ${REOPENING[409]}`,
    },
    handle: async (call) =>
      ok.answer(presentCorrection(await undoCorrection(call.deps.db, contextOf(call), call.ids, call.body.reopen))),
  }),
  defineOperation({
    method: 'GET',
    path: `${trial}/corrections`,
    operationId: 'listCorrections',
    tag,
    summary: 'List the corrections of a trial',
    isList: true,
    answers: pageOf.spec('The corrections of cases and inverses, oldest first.', correctionSchema),
    handle: async (call) => {
      const page = await readCorrections(call.deps.db, call.accountId, call.ids, call.page);
      return pageOf.answer(call, page, presentCorrection);
    },
  }),
];
