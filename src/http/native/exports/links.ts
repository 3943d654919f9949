import { createSharedLink, listLinks, listLinksOf, revokeLink } from '../../../application/exports/shared-links.ts';
import type { ReportFiles } from '../../../domain/exports/shared-link.ts';
import { createdWithoutPath, noContent, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { downloadsOf } from './link-files.ts';
import { createdLinkSchema, linkSchema, newLink, presentCreatedLink, presentLink } from './links.wire.ts';
import { type ReportCall, readSource } from './report.ts';

const tag = 'Links';
const links = '/models/{model_id}/projects/{project_id}/trials/{trial_id}/objectives/{objective_id}/links';

export const linkOperations: readonly Operation[] = [
  defineOperation({
    method: 'POST',
    path: links,
    operationId: 'createLink',
    tag,
    summary: 'Make a read-only link to an objective or to its report',
    description:
      'Whoever has its address sees the objective as a report without a key, until it expires or is revoked; no operation of the interface takes it. The answer contains the address, which is never shown again.',
    body: newLink,
    holdsSecret: true,
    answers: createdWithoutPath.spec('The link with its address.', createdLinkSchema),
    prepare: (call) => (call.body.kind === 'report' ? keepReport(call) : Promise.resolve(null)),
    handle: async ({ deps, accountId, principal, ids, body, origin }, report) => {
      const wanted = { ...body, createdBy: principal.actor, report };
      const made = await createSharedLink(deps.db, accountId, ids, wanted, deps.settings.account);
      return createdWithoutPath.answer(presentCreatedLink(made, origin, deps.settings.cell));
    },
  }),
  defineOperation({
    method: 'GET',
    path: links,
    operationId: 'listLinksOfObjective',
    tag,
    summary: 'List the links to an objective',
    isList: true,
    answers: pageOf.spec('The links, oldest first, without their addresses.', linkSchema),
    handle: async (call) =>
      pageOf.answer(call, await listLinksOf(call.deps.db, call.accountId, call.ids, call.page), presentLink),
  }),
  defineOperation({
    method: 'GET',
    path: '/links',
    operationId: 'listLinks',
    tag,
    summary: 'List the links of the account',
    isList: true,
    answers: pageOf.spec('The links, oldest first, without their addresses.', linkSchema),
    handle: async (call) => pageOf.answer(call, await listLinks(call.deps.db, call.accountId, call.page), presentLink),
  }),
  defineOperation({
    method: 'DELETE',
    path: '/links/{link_id}',
    operationId: 'revokeLink',
    tag,
    summary: 'Revoke a link: it ends immediately',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await revokeLink(deps.db, accountId, ids.linkId);
      return noContent.answer;
    },
  }),
];

/** Both forms of the report, as the link will show them. */
async function keepReport(call: ReportCall): Promise<ReportFiles> {
  const { reports, settings } = call.deps;
  const source = await readSource(call);
  const downloads = downloadsOf('report', settings.cell);
  const html = await reports.write({ ...source, format: 'html', downloads });
  const pdf = await reports.write({ ...source, format: 'pdf' });
  return { fileName: html.name, html: html.bytes, pdf: pdf.bytes };
}
