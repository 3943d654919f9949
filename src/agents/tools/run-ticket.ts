/** Names a run for an agent: its evaluation and the token of its lease, in one text to copy. */
import { z } from 'zod';
import type { Evaluation } from '../../../clients/typescript/src/index.ts';

export interface RunTicket {
  readonly id: number;
  readonly leaseToken: string;
}

const TICKET = /^(\d{1,15})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

export function writeTicket({ id, leaseToken }: RunTicket): string {
  return `${id}/${leaseToken}`;
}

export const runTicket = z
  .string()
  .regex(TICKET, 'must be a ticket of next_inputs, copied as it is, such as 91/7a9d0f2e-6c1b-4c3e-9f58-2b1d6a4e8c07')
  .describe('The ticket of the run, as next_inputs returned it.');

export function readTicket(text: string): RunTicket {
  const [, id, leaseToken] = TICKET.exec(text)!;
  return { id: Number(id), leaseToken: leaseToken! };
}

/** As on the page of the service. */
export function nameOf({ kind, caseNumber, iteration }: Pick<Evaluation, 'kind' | 'caseNumber' | 'iteration'>): string {
  return kind === 'case' ? `case ${caseNumber}` : `run ${iteration}`;
}
