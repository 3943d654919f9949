import { useState } from 'preact/hooks';
import { XLSX_MEDIUM } from '../../../../../clients/typescript/src/request.ts';
import { explain, service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';
import { readOthers } from '../state/read-others.ts';

interface Saved {
  readonly ending: string;
  readonly type: string;
  read(run: Run): Promise<BlobPart>;
}

const pathOf = ({ objectiveId }: Run) => ({ objective_id: objectiveId });

/** The runs as rows, as the service writes them. */
const asRows = (ending: string, type: 'text/csv' | typeof XLSX_MEDIUM): Saved => ({
  ending,
  type,
  read: async (run) =>
    (await service.call('listTrialRuns', { path: pathOf(run), accept: type })).body as unknown as BlobPart,
});

const FILES: readonly Saved[] = [
  asRows('csv', 'text/csv'),
  asRows('xlsx', XLSX_MEDIUM),
  {
    ending: 'json',
    type: 'application/json',
    /** The history of the objective, with the other runs of the trial as `otherRuns`. */
    read: async (run) => {
      const [{ body }, otherRuns] = await Promise.all([
        service.call('getHistory', { path: pathOf(run) }),
        readOthers(run, Number.POSITIVE_INFINITY),
      ]);
      return JSON.stringify({ ...body, otherRuns });
    },
  },
  {
    ending: 'pdf',
    type: 'application/pdf',
    read: async (run) => (await service.call('getReport', { path: pathOf(run), accept: 'application/pdf' })).body!,
  },
];

/** All runs of the trial as files, of which none is left out, however many there are; and the report, which is a PDF. */
export function SaveRuns({ run }: { readonly run: Run }) {
  const [notice, setNotice] = useState('');
  const write = async ({ ending, type, read }: Saved) => {
    setNotice('Reading all runs…');
    try {
      const content = await read(run);
      const { fileName, save } = await import('../../../parts/export.ts');
      const { projectName, trialNumber, number } = run.head.value;
      const name = fileName(`${projectName} trial ${trialNumber} objective ${number}`, ending);
      save(name, new Blob([content], { type }));
      setNotice('');
    } catch (error) {
      setNotice(explain(error));
    }
  };
  return (
    <span class="field-row">
      <span role="status" class="hint">
        {notice}
      </span>
      {FILES.map((file) => (
        <button key={file.ending} type="button" onClick={() => void write(file)}>
          {file.ending === 'pdf' ? 'Report' : `Save ${file.ending.toUpperCase()}`}
        </button>
      ))}
    </span>
  );
}
