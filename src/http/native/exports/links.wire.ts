import { z } from 'zod';
import type { MadeLink } from '../../../application/exports/shared-links.ts';
import {
  DEFAULT_LINK_DAYS,
  LONGEST_LINK_DAYS,
  SHARED_KINDS,
  type SharedLink,
} from '../../../domain/exports/shared-link.ts';
import { bodyOf } from '../../body/spec.ts';
import { instant, nameSchema, timestamp, toOptionalTimestamp, toTimestamp } from '../../wire/fields.ts';
import { MAXIMUM_NAME_LENGTH } from '../../wire/limits.ts';

const kind = z
  .enum(SHARED_KINDS)
  .describe(
    'objective: the present state whenever the link is opened, with the runs as CSV and XLSX. report: the report as it was when the link was made, to the byte.',
  );

export const newLink = bodyOf(
  z
    .strictObject({
      kind: kind.optional().transform((sent) => sent ?? 'objective'),
      label: nameSchema({ minimum: 1, maximum: MAXIMUM_NAME_LENGTH })
        .describe('A label of your choice, for the list; readers of the link do not see it.')
        .nullish()
        .transform((text) => text ?? null),
      expiresAt: instant
        .describe(`When the link ends, within ${LONGEST_LINK_DAYS} days. Default: after ${DEFAULT_LINK_DAYS} days.`)
        .nullish()
        .transform((end) => end ?? null),
    })
    .meta({ id: 'NewLink', examples: [{ kind: 'report', label: 'for the supplier' }, {}] }),
);

const linkFields = {
  id: z.int(),
  objectiveId: z.int(),
  kind,
  label: z.string().nullable(),
  createdBy: z.string().describe('The person, else the label of the API key, or its key id.'),
  createdAt: timestamp,
  expiresAt: timestamp.describe('When it ends. An expired link stays in the list for 30 days.'),
  lastUsedAt: timestamp.nullable().describe('Up to 20 seconds late; null: never used.'),
};

export const linkSchema = z.object(linkFields).meta({ id: 'Link' });

export const createdLinkSchema = z
  .object({
    ...linkFields,
    url: z.string().describe('Whoever has this address sees the objective, without a key. It is never shown again.'),
  })
  .meta({ id: 'CreatedLink' });

export function presentLink(link: SharedLink): z.infer<typeof linkSchema> {
  const { id, objectiveId, kind, label, createdBy, createdAt, expiresAt, lastUsedAt } = link;
  return {
    ...{ id, objectiveId, kind, label, createdBy },
    createdAt: toTimestamp(createdAt),
    expiresAt: toTimestamp(expiresAt),
    lastUsedAt: toOptionalTimestamp(lastUsedAt),
  };
}

export function presentCreatedLink({ link, token }: MadeLink, origin: string, cell: string | undefined) {
  return { ...presentLink(link), url: `${origin}${sharedPath(token)}${inCellQuery(cell)}` };
}

/** With a slash at the end, so that relative addresses lead below it. */
export function sharedPath(token: string): string {
  return `/shared/${token}/`;
}

/** By which a proxy sends a request to the cell of its account, as with sign-in links. */
export function inCellQuery(cell: string | undefined): string {
  return cell === undefined ? '' : `?cell=${cell}`;
}
