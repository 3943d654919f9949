import { useState } from 'preact/hooks';
import { explain, service } from '../../../shell/service.ts';
import type { Run } from '../history.ts';
import { readOthers } from '../read-others.ts';

async function readCsv({ objectiveId }: Run): Promise<string> {
  const path = { objective_id: objectiveId };
  const { body } = await service.call('listTrialRunsFlat', { path, accept: 'text/csv' });
  return body as unknown as string;
}

/** The history of the objective, with the other runs of the trial as `otherRuns`. */
async function readJson(run: Run): Promise<string> {
  const [{ body }, otherRuns] = await Promise.all([
    service.call('getHistoryFlat', { path: { objective_id: run.objectiveId } }),
    readOthers(run, Number.POSITIVE_INFINITY),
  ]);
  return JSON.stringify({ ...body, otherRuns });
}

/** All runs of the trial as files: as CSV none is left out, however many there are. */
export function SaveRuns({ run }: { readonly run: Run }) {
  const [notice, setNotice] = useState('');
  const write = async (medium: 'text/csv' | 'application/json', extension: string) => {
    setNotice('Reading all runs…');
    try {
      const content = await (medium === 'text/csv' ? readCsv(run) : readJson(run));
      const { fileName, save } = await import('../../../parts/export.ts');
      const { projectName, trialNumber, number } = run.head.value;
      const name = fileName(`${projectName} trial ${trialNumber} objective ${number}`, extension);
      save(name, content, medium);
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
      <button type="button" onClick={() => void write('text/csv', 'csv')}>
        Save CSV
      </button>
      <button type="button" onClick={() => void write('application/json', 'json')}>
        Save JSON
      </button>
    </span>
  );
}
