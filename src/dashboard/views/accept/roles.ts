/** Roles in words. Needs no browser. */
import type { Member } from '../../../../clients/typescript/src/index.ts';

export type Role = Member['role'];

/** Behind "you". */
export const ROLES: Readonly<Record<Role, string>> = {
  owner: 'may do everything, and manage people and keys',
  member: 'may see and change everything but people and keys',
  evaluator: 'may run evaluations, with a program that uses a key of yours',
  reader: 'may see everything and change nothing',
};
