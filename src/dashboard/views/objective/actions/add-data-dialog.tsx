import { useId, useMemo, useState } from 'preact/hooks';
import { type AddedCases, BacksolveError } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { counted } from '../../../../presentation/formats.ts';
import { inputNames, outputNames } from '../../../../presentation/values.ts';
import type { DecimalSign } from '../../../parts/decimal-sign.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FileBox } from '../../../parts/file-box.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { useSending } from '../../../parts/sending.ts';
import { SignQuestion } from '../../../parts/sign-question.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { service } from '../../../shell/service.ts';
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
  const [said, say] = useState('');
  const sending = useSending();
  const [added, setAdded] = useState<AddedCases | undefined>(undefined);
  const id = useId();
  const inputs = inputNames(head);
  const outputs = outputNames(head);
  const [sign, setSign] = useState<DecimalSign | undefined>(undefined);
  const { file, fault, question } = useMemo(() => readCases(text, inputs, outputs, sign), [text, head, sign]);
  const isEmpty = text.trim() === '';
  const faults = sending.error instanceof BacksolveError ? sending.error.violations : [];
  const take = (next: string) => {
    setText(next);
    setSign(undefined);
    sending.forget();
  };
  const takeFile = (next: string, name: string) => {
    take(next);
    const { file: found, fault: wrong } = readCases(next, inputs, outputs);
    if (wrong !== undefined) return `${name} cannot be used as it is:`;
    return found === undefined ? '' : `${counted(found.rows.length, 'row')} read from ${name}.`;
  };
  const add = () => {
    if (file === undefined) return;
    void sending.send(async () => {
      const path = { model_id: head.modelId, project_id: head.projectId, trial_id: head.trialId };
      const query = source.trim() === '' ? undefined : { source: source.trim() };
      const answer = await service.call('addCases', { path, query, body: toFile(file) });
      setAdded(answer.body);
      onAdded();
    });
  };
  if (added !== undefined) return <Added added={added} onClose={onClose} />;
  return (
    <FormDialog
      title="Add data"
      action={file === undefined ? 'Add' : `Add ${counted(file.rows.length, 'run')}`}
      isReady={file !== undefined}
      sending={sending}
      error={faults.length > 0 ? undefined : sending.error}
      onSubmit={add}
      onClose={onClose}
    >
      <p>
        Runs made elsewhere inform the search from the next suggestion on. Each row has all inputs and outputs; a failed
        run has no outputs. With a header, the columns may be in any order.
      </p>
      <FileBox label="Runs" said={said} onSay={say} onText={takeFile}>
        <label for={`${id}-text`}>Rows from a spreadsheet</label>
        <textarea
          id={`${id}-text`}
          rows={5}
          spellcheck={false}
          value={text}
          placeholder="Paste here, or drop a CSV file"
          aria-invalid={!isEmpty && fault !== undefined}
          onInput={({ currentTarget }) => {
            take(currentTarget.value);
            say('');
          }}
        />
      </FileBox>
      {!isEmpty && fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {question !== undefined && <SignQuestion question={question} onAnswer={setSign} />}
      {file !== undefined && <Preview file={file} />}
      <label for={`${id}-source`}>Source (optional)</label>
      <input
        id={`${id}-source`}
        class="wide"
        placeholder="rig 2012"
        maxLength={100}
        value={source}
        onInput={({ currentTarget }) => setSource(currentTarget.value)}
      />
      {faults.length > 0 && <RowFaults faults={faults} />}
    </FormDialog>
  );
}

function RowFaults({ faults }: { readonly faults: BacksolveError['violations'] }) {
  return (
    <div class="fault" role="alert">
      <ul>
        {faults.slice(0, SHOWN_FAULTS).map(({ pointer, message }) => (
          <li key={pointer}>
            {placeOf(pointer)}: {message}
          </li>
        ))}
      </ul>
    </div>
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
      {!hasHeader && <p class="hint">There is no header, so the columns are read in this order.</p>}
      <ScrollBox label="How the rows are read">
        <table>
          <TableHead titles={header} />
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
          {counted(count, 'run')} {count === 1 ? 'was' : 'were'} added. The trial now has {counted(total, 'case')}.
        </li>
        {duplicates > 0 && <li>{duplicates === 1 ? '1 was' : `${duplicates} were`} already known.</li>}
        {outside > 0 && (
          <li>
            {outside === 1 ? '1 of them is' : `${outside} of them are`} outside the bounds; the search learns from{' '}
            {outside === 1 ? 'it' : 'them'} anyway.
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
