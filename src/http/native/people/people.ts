/** Members of the account, invitations, and sessions of the page. */
import {
  createInvitation,
  getInvitation,
  listInvitations,
  revokeInvitation,
} from '../../../application/people/invitations.ts';
import {
  changeRole,
  createMemberLink,
  getMember,
  listMembers,
  removeMember,
} from '../../../application/people/members.ts';
import { endSessionOf, listSessions } from '../../../application/people/own-sessions.ts';
import { SCOPES } from '../../../domain/accounts/api-key.ts';
import { created, createdWithoutPath, noContent, ok, pageOf } from '../../answer/answers.ts';
import { defineOperation, type Operation } from '../../operation/operation.ts';
import { invitationPath } from '../../wire/native-paths.ts';
import {
  createdInvitationSchema,
  invitationSchema,
  memberPatch,
  memberSchema,
  newInvitation,
  presentCreatedInvitation,
  presentInvitation,
  presentLink,
  presentMember,
  presentSessionRecord,
  sessionSchema,
  signInLinkSchema,
} from './people.wire.ts';

const tag = 'People';
const member = '/members/{person_id}';
const invitation = '/invitations/{invitation_id}';

const STRONGER_ROLE = 'The role has rights that you lack; detail names them.';
const LAST_OWNER = 'The member is the last owner of the account.';

export const peopleOperations: readonly Operation[] = [
  defineOperation({
    method: 'GET',
    path: '/members',
    operationId: 'listMembers',
    tag,
    summary: 'List the members of the account',
    isList: true,
    answers: pageOf.spec('The members, in the order in which they became known.', memberSchema),
    handle: async (call) =>
      pageOf.answer(call, await listMembers(call.deps.db, call.accountId, call.page), presentMember),
  }),
  defineOperation({
    method: 'GET',
    path: member,
    operationId: 'getMember',
    tag,
    summary: 'Read a member',
    answers: ok.spec('The member.', memberSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentMember(await getMember(deps.db, accountId, ids.personId))),
  }),
  defineOperation({
    method: 'PATCH',
    path: member,
    operationId: 'updateMember',
    tag,
    scope: 'admin',
    summary: 'Change the role of a member',
    description: 'The sessions and keys of the member have the rights of the new role from the next request on.',
    body: memberPatch,
    answers: ok.spec('The member as it is now.', memberSchema),
    refusals: { 403: STRONGER_ROLE, 409: LAST_OWNER },
    handle: async ({ deps, principal, ids, body }) =>
      ok.answer(presentMember(await changeRole(deps.db, principal, ids.personId, body.role))),
  }),
  defineOperation({
    method: 'DELETE',
    path: member,
    operationId: 'removeMember',
    tag,
    scope: 'admin',
    summary: 'Remove a member',
    description:
      'Ends the sessions, keys and invitations of the member in this account immediately. What the member did stays, with the name.',
    answers: noContent.spec,
    refusals: { 409: LAST_OWNER },
    handle: async ({ deps, accountId, ids }) => {
      await removeMember(deps.db, accountId, ids.personId);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'POST',
    path: `${member}/sign-in-link`,
    operationId: 'createMemberLink',
    tag,
    scope: 'admin',
    summary: 'Make a link that signs a member in',
    description:
      'For a member who has no other way in. It works once, within 24 hours; the session counts in this account only.',
    holdsSecret: true,
    answers: createdWithoutPath.spec('The link.', signInLinkSchema),
    refusals: { 403: STRONGER_ROLE },
    handle: async ({ deps, principal, ids }) =>
      createdWithoutPath.answer(presentLink(await createMemberLink(deps.db, principal, ids.personId))),
  }),
  defineOperation({
    method: 'POST',
    path: '/invitations',
    operationId: 'createInvitation',
    tag,
    scope: 'admin',
    summary: 'Invite people by a link',
    description:
      'Whoever opens the link gives a name and becomes a member of this account or, with opens "an account for each", the owner of an account of their own, in which whoever invites becomes a member.',
    body: newInvitation,
    holdsSecret: true,
    answers: created.spec('The invitation with its link.', createdInvitationSchema),
    refusals: { 403: STRONGER_ROLE },
    handle: async ({ deps, principal, body }) => {
      const made = await createInvitation(deps.db, principal, body);
      return created.answer(invitationPath(made.invitation.id), presentCreatedInvitation(made));
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/invitations',
    operationId: 'listInvitations',
    tag,
    scope: 'admin',
    summary: 'List the invitations',
    description: 'Also those that were used up, were revoked or have expired, without their links.',
    isList: true,
    answers: pageOf.spec('The invitations, oldest first.', invitationSchema),
    handle: async (call) =>
      pageOf.answer(call, await listInvitations(call.deps.db, call.accountId, call.page), presentInvitation),
  }),
  defineOperation({
    method: 'GET',
    path: invitation,
    operationId: 'getInvitation',
    tag,
    scope: 'admin',
    summary: 'Read an invitation',
    answers: ok.spec('The invitation.', invitationSchema),
    handle: async ({ deps, accountId, ids }) =>
      ok.answer(presentInvitation(await getInvitation(deps.db, accountId, ids.invitationId))),
  }),
  defineOperation({
    method: 'DELETE',
    path: invitation,
    operationId: 'revokeInvitation',
    tag,
    scope: 'admin',
    summary: 'Revoke an invitation',
    description:
      'Its link stops working immediately; whoever has accepted it stays. Repeating the request changes nothing.',
    answers: noContent.spec,
    handle: async ({ deps, accountId, ids }) => {
      await revokeInvitation(deps.db, accountId, ids.invitationId);
      return noContent.answer;
    },
  }),
  defineOperation({
    method: 'GET',
    path: '/sessions',
    operationId: 'listSessions',
    tag,
    scope: SCOPES,
    summary: 'List who is signed in to the page',
    description: 'With the scope admin all sessions of the account, otherwise your own.',
    isList: true,
    answers: pageOf.spec('The sessions, oldest first.', sessionSchema),
    handle: async (call) =>
      pageOf.answer(call, await listSessions(call.deps.db, call.principal, call.page), (session) =>
        presentSessionRecord(session, call.principal.sessionId),
      ),
  }),
  defineOperation({
    method: 'DELETE',
    path: '/sessions/{session_id}',
    operationId: 'endSession',
    tag,
    scope: SCOPES,
    summary: 'End a session',
    description:
      'Signs a browser out, from its next request on. With the scope admin any of the account, otherwise your own.',
    answers: noContent.spec,
    handle: async ({ deps, principal, ids }) => {
      await endSessionOf(deps.db, principal, ids.sessionId);
      return noContent.answer;
    },
  }),
];
