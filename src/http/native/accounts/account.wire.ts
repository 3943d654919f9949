import { z } from 'zod';
import type { AccountView } from '../../../application/accounts/read-account.ts';
import { MAXIMUM_WEBHOOKS } from '../../../application/webhooks/manage-webhooks.ts';
import type { HttpSettings } from '../../operation/deps.ts';

const limit = z.int().nullable();

export const accountSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    cell: z.string().nullable().describe('The deployment that keeps the account, among several; null: there is one.'),
    storedBytes: z
      .int()
      .describe(
        'The bytes that the account stores: its records, deleted ones until they are purged, and data that expires.',
      ),
    storedRows: z.int().describe('The number of records among it.'),
    limits: z
      .object({
        storedBytes: limit,
        storedRows: limit,
        openObjectives: limit.describe('Running objectives.'),
        queuedSuggestions: limit.describe('Suggestions requested and not yet computed.'),
        cases: limit.describe('Cases in one project.'),
        caseNumbers: limit.describe('Numbers in the input cases of one project, and in one set of output cases.'),
        webhooks: limit,
        requestsPerMinute: limit.describe('For all keys of the account together.'),
      })
      .describe('null: no limit.'),
    workbooks: z
      .object({ bytes: z.int().describe('The largest file that is taken.') })
      .nullable()
      .describe('Workbooks that the service calculates; null: its operator does not allow them.'),
    files: z
      .object({ bytes: z.int().describe('The largest file of a note; 0: none are taken.') })
      .describe('Files of notes.'),
    deletedDataKeptDays: z.int().describe('Days between a deletion and its purge.'),
  })
  .meta({ id: 'Account' });

export function presentAccount(
  { id, name, usage }: AccountView,
  settings: Pick<
    HttpSettings,
    'account' | 'rateLimitPerMinute' | 'deletedDataKeptDays' | 'cell' | 'workbookBytes' | 'fileBytes'
  >,
): z.infer<typeof accountSchema> {
  const { account } = settings;
  return {
    id,
    name,
    cell: settings.cell ?? null,
    storedBytes: usage.bytes,
    storedRows: usage.rows,
    limits: {
      storedBytes: orNull(account?.storedBytes),
      storedRows: orNull(account?.storedRows),
      openObjectives: orNull(account?.openObjectives),
      queuedSuggestions: orNull(account?.queuedSuggestions),
      cases: orNull(account?.cases),
      caseNumbers: orNull(account?.cells),
      webhooks: MAXIMUM_WEBHOOKS,
      requestsPerMinute: orNull(settings.rateLimitPerMinute),
    },
    workbooks: settings.workbookBytes === undefined ? null : { bytes: settings.workbookBytes },
    files: { bytes: settings.fileBytes ?? 0 },
    deletedDataKeptDays: settings.deletedDataKeptDays ?? 0,
  };
}

/** In settings, 0 means no limit. */
function orNull(setting = 0): number | null {
  return setting === 0 ? null : setting;
}
