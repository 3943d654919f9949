/** Explains how to get all data, and how to repeat the search. */
import { type Block, heading, paragraph } from './document.ts';
import type { Subject } from './source.ts';

export function repeatBlocks({ head }: Subject): readonly Block[] {
  const { objectiveId, modelId } = head;
  return [
    heading('To repeat it'),
    paragraph(
      'All runs with all digits, as CSV or as a workbook; everything that the suggestions were computed from, seeds and versions, as a campaign; and the suggestions again from it, anywhere:',
    ),
    {
      kind: 'code',
      lines: [
        `curl -H "Authorization: Bearer $BACKSOLVE_API_KEY" -H "Accept: text/csv" $BACKSOLVE_URL/v1/objectives/${objectiveId}/runs`,
        `backsolve export --campaign --model ${modelId} > campaign.jsonl`,
        'backsolve replay campaign.jsonl',
      ],
    },
  ];
}
