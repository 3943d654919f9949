/** Writes a note, with a file or a photo. What is typed stays in the browser until it is sent. */
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { fileSize } from '../../../presentation/note-text.ts';
import { Fault } from '../../parts/fault.tsx';
import { useSending } from '../../parts/sending.ts';
import { draftsOf } from '../../shell/drafts.ts';
import { service } from '../../shell/service.ts';
import { session } from '../../shell/session.ts';
import { makeThumbnail, toBase64 } from './photo.ts';

interface NoteFormProps {
  readonly objectiveId: number;
  readonly inverseId: number | undefined;
  onAdd(): void;
}

const LONGEST = 2_000;
/** Allows for a file on a slow line. */
const TIMEOUT_MS = 120_000;
const NONE = Promise.resolve(undefined);

export function NoteForm({ objectiveId, inverseId, onAdd }: NoteFormProps) {
  const id = useId();
  const drafts = useMemo(() => draftsOf(session.peek()?.account ?? ''), []);
  const name = `note/${objectiveId}/${inverseId ?? ''}`;
  const [text, setText] = useState(() => drafts.read(name) ?? '');
  const [file, setFile] = useState<File | undefined>(undefined);
  // Whoever is quick adds the note while its file is still being looked at.
  const chosen = useRef<Promise<File | undefined>>(NONE);
  const [complaint, setComplaint] = useState<string | undefined>(undefined);
  // Until it is stored: a second try under the same key adds nothing twice.
  const key = useRef<string | undefined>(undefined);
  const sending = useSending();
  const write = (typed: string) => {
    key.current = undefined;
    setText(typed);
    if (typed === '') drafts.remove(name);
    else drafts.write(name, typed);
  };
  const look = async (picked: File) => {
    const fault = await faultOf(picked);
    const taken = fault === undefined ? picked : undefined;
    setComplaint(fault);
    setFile(taken);
    return taken;
  };
  const choose = (picked: File | undefined) => {
    if (picked === undefined) return;
    key.current = undefined;
    sending.forget();
    chosen.current = look(picked);
  };
  const remove = () => {
    chosen.current = NONE;
    setFile(undefined);
  };
  const add = async () => {
    const path = { objective_id: objectiveId };
    const taken = await chosen.current;
    const sent = taken && { name: taken.name, content: await toBase64(taken), thumbnail: await makeThumbnail(taken) };
    const body = { text: text.trim(), ...(inverseId !== undefined && { inverseId }), ...(sent && { file: sent }) };
    key.current ??= crypto.randomUUID();
    await service.call('createNote', { path, body, idempotencyKey: key.current, timeoutMs: TIMEOUT_MS });
    write('');
    remove();
    onAdd();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send(add);
      }}
    >
      <label for={id}>New note</label>
      <textarea
        id={id}
        rows={2}
        cols={72}
        maxLength={LONGEST}
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <div class="file-buttons">
        <FilePicker label="Attach a file" onPick={choose} />
        <FilePicker label="Take a photo" onPick={choose} accept="image/*" capture="environment" />
        <button type="submit" class="primary" disabled={sending.isBusy || (text.trim() === '' && file === undefined)}>
          {sending.isBusy ? 'Adding…' : 'Add'}
        </button>
      </div>
      <p role="status" class="said">
        {file !== undefined && (
          <>
            <bdi>{file.name}</bdi> ({fileSize(file.size)}) will be attached.{' '}
            <button type="button" class="quiet" onClick={remove}>
              Remove it
            </button>
          </>
        )}
      </p>
      {complaint !== undefined && (
        <p class="fault" role="alert">
          {complaint}
        </p>
      )}
      <Fault error={sending.error} />
    </form>
  );
}

interface FilePickerProps {
  readonly label: string;
  readonly accept?: string;
  readonly capture?: 'environment';
  onPick(file: File | undefined): void;
}

function FilePicker({ label, onPick, ...kind }: FilePickerProps) {
  return (
    <label class="button file">
      {label}
      <input
        type="file"
        {...kind}
        onChange={({ currentTarget }) => {
          onPick(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** Reason why the service would not take the file, told before it is sent; the service itself decides. */
async function faultOf(file: File): Promise<string | undefined> {
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  try {
    const { body } = await service.call('getAccount');
    const most = body.files.bytes;
    if (most === 0) return 'This service takes no files.';
    if (file.size <= most) return undefined;
    return `${file.name} has ${fileSize(file.size)}; at most ${fileSize(most)} are taken. Choose a smaller file.`;
  } catch {
    return undefined;
  }
}
