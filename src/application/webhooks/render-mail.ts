/** From an event to the e-mail that tells a person of it. It has names and links, no values. */
import type { Db } from '../../db/connection/transaction.ts';
import {
  readAsker,
  readToldBatch,
  readToldInputs,
  readToldObjective,
  type ToldObjective,
} from '../../db/webhooks/recipients.ts';
import { StopReason } from '../../domain/search/stop-reason.ts';
import { kindOf, type LeasedDelivery } from '../../domain/webhooks/event.ts';
import type { Letter } from '../../domain/webhooks/recipient.ts';
import { mailToken } from './mail-tokens.ts';

export interface LetterDeps {
  readonly db: Db;
  /** URL at which people reach the service. */
  readonly publicUrl: string;
  readonly cell: string | undefined;
}

/** undefined: the record is gone; null: there is nothing to tell any more. */
export async function renderMail(deps: LetterDeps, delivery: LeasedDelivery): Promise<Uint8Array | undefined | null> {
  const content = await contentOf(deps, delivery);
  if (content === undefined || content === null) return content;
  const stopUrl = addressOf(deps, `/mail/stop/${mailToken(delivery.webhookId, delivery.secrets[0]!, 'stop')}`);
  const letter: Letter = {
    subject: content.subject,
    text: `${content.lines.join('\n')}\n\nTo get no more of these e-mails: ${stopUrl}\n`,
    stopUrl,
  };
  return Buffer.from(JSON.stringify(letter));
}

interface Content {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** The label of the cell goes where a proxy reads it. */
function addressOf({ publicUrl, cell }: LetterDeps, path: string): string {
  return `${publicUrl}${path}${cell === undefined ? '' : `?cell=${cell}`}`;
}

function contentOf(deps: LetterDeps, delivery: LeasedDelivery): Promise<Content | undefined | null> {
  switch (kindOf(delivery.event.name)) {
    case 'recipient':
      return question(deps, delivery);
    case 'inverse':
      return waitingInputs(deps, delivery);
    case 'batch':
      return endedBatch(deps, delivery);
    default:
      return endedSearch(deps, delivery);
  }
}

async function question(deps: LetterDeps, { event, webhookId, secrets }: LeasedDelivery): Promise<Content | undefined> {
  const asker = await readAsker(deps.db, event.accountId);
  if (asker === undefined) return undefined;
  const confirmUrl = addressOf(deps, `/mail/confirm/${mailToken(webhookId, secrets[0]!, 'confirm')}`);
  return {
    subject: 'Backsolve: do you want to be told by e-mail?',
    lines: [
      `Somebody of the account "${oneLine(asker)}" at ${deps.publicUrl} entered this address, so that Backsolve tells you by e-mail when a search ends or an input waits for a person.`,
      '',
      `If you want that, open this link and agree: ${confirmUrl}`,
      '',
      'Otherwise ignore this e-mail: nothing else is sent to you.',
    ],
  };
}

async function waitingInputs(deps: LetterDeps, { event }: LeasedDelivery): Promise<Content | null> {
  const told = await readToldInputs(deps.db, event.accountId, event.resourceId);
  if (told === undefined) return null;
  const { iterations } = told;
  const [first] = iterations;
  const what = iterations.length === 1 ? `run ${first} waits` : `${iterations.length} runs wait`;
  const path = `/page/objectives/${told.objectiveId}${iterations.length === 1 ? `/runs/${first}` : ''}`;
  return {
    subject: `${oneLine(told.title)}: ${what} for outputs`,
    lines: [...factsOf(told), '', `To see the input and enter the outputs: ${addressOf(deps, path)}`],
  };
}

const ENDS: Readonly<Record<StopReason, string>> = {
  [StopReason.running]: 'goes on',
  [StopReason.satisfied]: 'is satisfied',
  [StopReason.stopped]: 'has stopped',
  [StopReason.exhausted]: 'has used its last run',
};

async function endedSearch(deps: LetterDeps, { event }: LeasedDelivery): Promise<Content | undefined | null> {
  const told = await readToldObjective(deps.db, event.accountId, event.resourceId);
  if (told === undefined) return undefined;
  // Reopened since.
  if (told.stopReason === StopReason.running) return null;
  const runs = told.attemptCount === 1 ? '1 suggested run' : `${told.attemptCount} suggested runs`;
  return {
    subject: `${oneLine(told.title)}: the search ${ENDS[told.stopReason]}`,
    lines: [
      ...factsOf(told),
      `Runs: ${runs}`,
      '',
      `To see the result: ${addressOf(deps, `/page/objectives/${told.objectiveId}`)}`,
    ],
  };
}

async function endedBatch(deps: LetterDeps, { event }: LeasedDelivery): Promise<Content | undefined> {
  const batch = await readToldBatch(deps.db, event.accountId, event.resourceId);
  if (batch === undefined) return undefined;
  const name = oneLine(batch.name ?? `Batch ${batch.id}`);
  return {
    subject: `${name}: the batch ${batch.status === 'completed' ? 'is complete' : `has ${batch.status}`}`,
    lines: [`Batch: ${name}`, '', `To see it: ${addressOf(deps, '/page/administration')}`],
  };
}

function factsOf({ title, modelName }: ToldObjective): readonly string[] {
  return [`Problem: ${oneLine(title)}`, `Model: ${oneLine(modelName)}`];
}

/** Names may have line breaks, which must not look like lines of the e-mail. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200);
}
