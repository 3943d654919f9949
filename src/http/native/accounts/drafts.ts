import { z } from 'zod';
import { listDrafts, putDraft } from '../../../application/accounts/page-drafts.ts';
import {
  DRAFT_DAYS,
  LARGEST_DRAFT,
  MAXIMUM_DRAFTS,
  type PageDraft,
  SUBJECT_PATTERN,
} from '../../../domain/accounts/page-draft.ts';
import { ok } from '../../answer/answers.ts';
import { bodyOf } from '../../body/spec.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { timestamp, toTimestamp } from '../../wire/fields.ts';

const tag = 'Drafts';

const subject = z
  .string()
  .regex(SUBJECT_PATTERN, 'must be new-problem, or outputs/, the id of an objective, / and the id of an inverse.')
  .describe('new-problem, or outputs/, the id of an objective, / and the id of an inverse.');
const writer = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, _ and -.')
  .describe('The browser, by a random name of its own. Every writer has a draft of its own.');

const draftSchema = z
  .object({ subject: z.string(), writer: z.string(), text: z.string(), updatedAt: timestamp })
  .meta({ id: 'Draft' });

const draftsSchema = z.object({ drafts: z.array(draftSchema).describe('Newest first.') }).meta({ id: 'Drafts' });

const newDraft = bodyOf(
  z
    .strictObject({
      subject,
      writer,
      text: z.string().max(LARGEST_DRAFT, `must have at most ${LARGEST_DRAFT} characters.`).nullable(),
    })
    .meta({ id: 'NewDraft', examples: [{ subject: 'outputs/12/34', writer: '5f2a', text: '["1.6",""]' }] }),
  { size: 'vectors' },
);

function present({ updatedAt, ...draft }: PageDraft): z.infer<typeof draftSchema> {
  return { ...draft, updatedAt: toTimestamp(updatedAt) };
}

export const draftOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/drafts',
    operationId: 'listDrafts',
    tag,
    summary: 'Read what is typed on the page about a subject and not sent yet',
    texts: { subject: { schema: subject, description: 'Default: new-problem.' } },
    answers: ok.spec('The drafts of all writers.', draftsSchema),
    handle: async ({ deps, accountId, texts }) => {
      const found = await listDrafts(deps.db, accountId, texts['subject'] ?? 'new-problem');
      return ok.answer({ drafts: found.map(present) });
    },
  }),
  defineOperation({
    method: 'PUT',
    path: '/drafts',
    operationId: 'putDraft',
    tag,
    summary: 'Keep a draft of the page, or remove it',
    description: `For the page. null removes the draft. An account has at most ${MAXIMUM_DRAFTS}; beyond them the oldest ends, and each ${DRAFT_DAYS} days after its last change. Outputs that are typed for an inverse show in the history of its objective as \`typing\`.`,
    body: newDraft,
    refusals: { 404: 'The objective or the inverse of the subject does not exist.' },
    answers: ok.spec('The draft as it is stored; the list is empty once it is removed.', draftsSchema),
    handle: async ({ deps, accountId, body }) => {
      const stored = await putDraft(deps.db, accountId, body);
      return ok.answer({ drafts: stored === null ? [] : [present(stored)] });
    },
  }),
];
