/** Computes the suggestions of a campaign again and compares them bit for bit. */
import { withoutNegativeZero } from '../../domain/vectors.ts';
import type { Engine } from '../../engine/pool.ts';
import type { Proposal, SuggestRequest } from '../../optimizer/interface/problem.ts';
import {
  CAMPAIGN_FORMAT,
  type CampaignHeader,
  type CampaignLine,
  CampaignReader,
  readLine,
  type SuggestionLine,
} from './campaign-lines.ts';

/** The file is not a campaign, or a part of one. The message says what to do. */
export class CampaignError extends Error {
  override readonly name = 'CampaignError';
}

/** Result of repeating a suggestion. */
export interface Repeated {
  readonly line: Pick<SuggestionLine, 'objectiveId' | 'iteration'>;
  /** Description of the difference, for people; null: none. */
  readonly difference: string | null;
}

/** The header, then each suggestion in its order. Throws CampaignError. */
export async function* replayCampaign(
  lines: AsyncIterable<string>,
  engine: Pick<Engine, 'suggest'>,
  { threads, signal }: { readonly threads: number; readonly signal: AbortSignal },
): AsyncGenerator<CampaignHeader | Repeated, void> {
  const reader = new CampaignReader();
  const underWay: Promise<Repeated>[] = [];
  let isBegun = false;
  let isWhole = false;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = parse(text, number);
    if (!isBegun) yield checkHeader(line);
    isBegun = true;
    isWhole = line.type === 'end';
    if (line.type === 'row' || line.type === 'search') reader.add(line as never);
    if (line.type !== 'suggestion') continue;
    const suggestion = line as SuggestionLine;
    const request = suggestion.from === null ? null : reader.requestOf(suggestion.from);
    if (request === undefined)
      throw new CampaignError(`Line ${number} names rows that the campaign lacks: export it again.`);
    const repeated = repeat(engine, suggestion, request, signal);
    // It is looked at after those before it, unless one of them ends the replay.
    repeated.catch(() => undefined);
    underWay.push(repeated);
    if (underWay.length > threads) yield await underWay.shift()!;
  }
  if (!isWhole)
    throw new CampaignError('The campaign has no last line of type end, so a part is missing: export it again.');
  for (const one of underWay) yield await one;
}

function parse(text: string, number: number): CampaignLine | { readonly type: string } {
  const line = readLine(text);
  if (line !== undefined) return line;
  throw new CampaignError(
    number === 1
      ? 'The file is not a campaign, or its first line is damaged: backsolve export --campaign writes one.'
      : `Line ${number} is damaged: export the campaign again, with backsolve export --campaign.`,
  );
}

function checkHeader(line: CampaignLine | { readonly type: string }): CampaignHeader {
  if (line.type !== 'campaign') {
    throw new CampaignError('The file is not a campaign: backsolve export --campaign writes one.');
  }
  const header = line as CampaignHeader;
  if (header.format === CAMPAIGN_FORMAT) return header;
  throw new CampaignError(
    `The campaign has format ${header.format}, and this release reads ${CAMPAIGN_FORMAT}: use Backsolve ${header.versions.backsolve}.`,
  );
}

async function repeat(
  engine: Pick<Engine, 'suggest'>,
  line: SuggestionLine,
  request: SuggestRequest | null,
  signal: AbortSignal,
): Promise<Repeated> {
  if (request === null)
    return { line, difference: 'cannot be repeated: what it was computed from is no longer stored' };
  const answer = await engine.suggest(request, signal);
  if (answer.ok) return { line, difference: differenceOf(line, request, answer.result) };
  // The further lines of the fault tell of the program and nothing of the file.
  const [fault] = answer.fault.split('\n');
  return { line, difference: `cannot be repeated, as from a damaged file: the optimizer fails with ${fault}` };
}

function differenceOf(
  { isEnd, input }: SuggestionLine,
  { history, space }: SuggestRequest,
  proposal: Proposal,
): string | null {
  if (isEnd) {
    // With the attempts used up, what is proposed is not run either.
    const n = space.variables.length;
    const isKnown = Array.from({ length: history.count }).some((_, row) =>
      input.every((value, i) => Object.is(value, history.X[row * n + i])),
    );
    return isKnown ? null : 'ends with an input that is not among the runs';
  }
  if (proposal.kind !== 'candidate') return `ends the search (${proposal.reason}) where an input was suggested`;
  const repeated = withoutNegativeZero(Array.from(proposal.input));
  const at = input.findIndex((value, i) => !Object.is(value, repeated[i]));
  return at < 0 ? null : `input ${at + 1} is ${repeated[at]} instead of ${input[at]}`;
}
