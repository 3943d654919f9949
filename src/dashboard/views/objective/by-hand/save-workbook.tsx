/** Saves a copy of a workbook that the service has calculated, with this input in its cells. */
import { useEffect, useState } from 'preact/hooks';
import type { Batch } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { explain, service } from '../../../shell/service.ts';

type Sheet = Extract<Batch['evaluator'], { kind: 'workbook' }>;

export function SaveWorkbook({ head, input }: { readonly head: Head; readonly input: readonly number[] }) {
  const [sheet, setSheet] = useState<Sheet | undefined>(undefined);
  const [said, say] = useState('');
  useEffect(() => {
    service.call('listBatches', { query: { project_id: head.projectId, order: 'newest' } }).then(
      ({ body }) => setSheet(body.map(({ evaluator }) => evaluator).find((one) => one.kind === 'workbook')),
      // A failure only hides the button; a reload tries again.
      () => undefined,
    );
  }, [head.projectId]);
  if (sheet === undefined) return null;
  const write = async () => {
    try {
      const values = Object.fromEntries(sheet.inputs.map((cell, i) => [cell, input[i]!]));
      const { body } = await service.call('copyWorkbook', {
        path: { workbook_id: sheet.workbookId },
        body: { values },
      });
      const { save } = await import('../../../parts/export.ts');
      save(
        body.name.replace(/(\.xlsx)?$/i, '.best.xlsx'),
        new Blob([Uint8Array.from(atob(body.content), (one) => one.charCodeAt(0))]),
      );
      say('');
    } catch (error) {
      say(explain(error));
    }
  };
  return (
    <p>
      <button type="button" onClick={() => void write()}>
        Save the workbook with this input
      </button>{' '}
      <span role="status" class="hint">
        {said}
      </span>
    </p>
  );
}
