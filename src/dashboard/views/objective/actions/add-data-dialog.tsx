import { useId, useState } from 'preact/hooks';
import { type AddedCases, BacksolveError } from '../../../../../clients/typescript/src/index.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { service } from '../../../shell/service.ts';
import type { Head } from '../columns.ts';
import { inputNames, outputNames } from '../values.ts';
import { type CaseFile, readCases, toFile } from './cases.ts';

const PREVIEWED_ROWS = 8;
const SHOWN_FAULTS = 20;

interface AddDataDialogProps {
  readonly head: Head;
  onAdded(): void;
  onClose(): void;
}

/** Adds runs that were made elsewhere to the trial. */
export function AddDataDialog({ head, onAdded, onClose }: AddDataDialogProps) {
  const [text, setText] = useState('');
  const [source, setSource] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const [added, setAdded] = useState<AddedCases | undefined>(undefined);
  const id = useId();
  const { file, fault } = readCases(text, inputNames(head), outputNames(head));
  const isEmpty = text.trim() === '';
  const faults = error instanceof BacksolveError ? error.violations : [];
  const take = (next: string) => {
    setText(next);
    setError(undefined);
  };
  const send = async (event: Event) => {
    event.preventDefault();
    if (file === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const path = { model_id: head.modelId, project_id: head.projectId, trial_id: head.trialId };
      const query = source.trim() === '' ? undefined : { source: source.trim() };
      const answer = await service.call('addCases', { path, query, body: toFile(file) });
      setAdded(answer.body);
      onAdded();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  if (added !== undefined) return <Added added={added} onClose={onClose} />;
  return (
    <Dialog title="Add data" onClose={onClose}>
      <form noValidate onSubmit={(event) => void send(event)}>
        <p>
          Runs that were made elsewhere inform the search from its next suggestion on. A row has all inputs and all
          outputs; a run that failed has no outputs. With a header the columns may come in any order.
        </p>
        <label for={`${id}-text`}>Rows from a spreadsheet</label>
        <textarea
          id={`${id}-text`}
          rows={5}
          spellcheck={false}
          value={text}
          aria-invalid={!isEmpty && fault !== undefined}
          onInput={({ currentTarget }) => take(currentTarget.value)}
        />
        <label for={`${id}-file`}>Or a CSV file</label>
        <input
          id={`${id}-file`}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0];
            if (chosen) chosen.text().then(take, setError);
          }}
        />
        {!isEmpty && fault !== undefined && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {file !== undefined && <Preview file={file} />}
        <label for={`${id}-source`}>Where they come from (optional)</label>
        <input
          id={`${id}-source`}
          class="wide"
          placeholder="rig 2012"
          maxLength={100}
          value={source}
          onInput={({ currentTarget }) => setSource(currentTarget.value)}
        />
        {faults.length > 0 && (
          <div class="fault" role="alert">
            <ul>
              {faults.slice(0, SHOWN_FAULTS).map(({ pointer, message }) => (
                <li key={pointer}>
                  {placeOf(pointer)}: {message}
                </li>
              ))}
            </ul>
          </div>
        )}
        {faults.length === 0 && <Fault error={error} />}
        <p class="dialog-buttons">
          <button type="submit" class="primary" disabled={isBusy || file === undefined}>
            {file === undefined ? 'Add' : `Add ${file.rows.length} ${file.rows.length === 1 ? 'run' : 'runs'}`}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** The service counts rows below the header from 1. */
function placeOf(pointer: string): string {
  const [row = '', column] = pointer.split('/').slice(1);
  const where = row === '0' ? 'Header' : `Row ${row}`;
  return column === undefined ? where : `${where}, ${column.replaceAll('~1', '/').replaceAll('~0', '~')}`;
}

function Preview({ file: { header, hasHeader, rows } }: { readonly file: CaseFile }) {
  return (
    <>
      {!hasHeader && <p class="hint">There is no header: the columns are taken in this order.</p>}
      <ScrollBox label="How the rows are read">
        <table>
          <thead>
            <tr>
              {header.map((title, j) => (
                <th key={j} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, PREVIEWED_ROWS).map((row, r) => (
              <tr key={r}>
                {row.map((cell, j) => (
                  <td key={j}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {rows.length > PREVIEWED_ROWS && <p class="hint">… and {rows.length - PREVIEWED_ROWS} more.</p>}
    </>
  );
}

function Added({ added, onClose }: { readonly added: AddedCases; onClose(): void }) {
  const { added: count, duplicates, outside, leftOut, total } = added;
  return (
    <Dialog title="Data added" onClose={onClose}>
      <ul role="status">
        <li>
          {count === 1 ? '1 run was added.' : `${count} runs were added.`} The trial now has {total} cases.
        </li>
        {duplicates > 0 && <li>{duplicates === 1 ? '1 was' : `${duplicates} were`} known already.</li>}
        {outside > 0 && (
          <li>
            {outside === 1 ? '1 of them lies' : `${outside} of them lie`} outside the bounds; the search learns from it
            all the same.
          </li>
        )}
        {leftOut > 0 && (
          <li>{leftOut === 1 ? '1 row was' : `${leftOut} rows were`} left out: excluded, or without a result.</li>
        )}
      </ul>
      <p class="dialog-buttons">
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </p>
    </Dialog>
  );
}
