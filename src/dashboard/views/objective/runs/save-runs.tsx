import { useState } from 'preact/hooks';
import { explain, service } from '../../../shell/service.ts';
import type { Run } from '../history.ts';

/** All runs as files, written by the service: as CSV none is left out, however many there are. */
export function SaveRuns({ run }: { readonly run: Run }) {
  const [notice, setNotice] = useState('');
  const write = async (medium: 'text/csv' | 'application/json', extension: string) => {
    setNotice('Reading all runs…');
    try {
      const path = { objective_id: run.objectiveId };
      const { body } = await service.call('getHistoryFlat', { path, accept: medium });
      const { fileName, save } = await import('../../../parts/export.ts');
      const { projectName, trialNumber, number } = run.head.value;
      const name = fileName(`${projectName} trial ${trialNumber} objective ${number}`, extension);
      save(name, typeof body === 'string' ? body : JSON.stringify(body), medium);
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
