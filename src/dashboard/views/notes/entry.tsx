/** One note: its text, its file, by whom and when, and what can be done with it. */
import { useEffect, useId, useState } from 'preact/hooks';
import type { Note } from '../../../../clients/typescript/src/index.ts';
import { dayAndTime } from '../../../presentation/formats.ts';
import { fileSize } from '../../../presentation/note-text.ts';
import { Fault } from '../../parts/fault.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useSending } from '../../parts/sending.ts';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';

interface EntryProps {
  readonly note: Note;
  onChange(): void;
  onDelete(): void;
}

const LONGEST = 2_000;
/** Allows for a file on a slow line. */
const TIMEOUT_MS = 120_000;

const pathOf = ({ objectiveId, id }: Note) => ({ objective_id: objectiveId, note_id: id });

export function Entry({ note, onChange, onDelete }: EntryProps) {
  const [isEdited, setEdited] = useState(false);
  const sending = useSending();
  const { text, file, writtenBy, createdAt, editedBy, editedAt } = note;
  return (
    <>
      {isEdited ? (
        <TextForm note={note} onChange={onChange} onClose={() => setEdited(false)} />
      ) : (
        text !== '' && (
          <p style={{ whiteSpace: 'pre-wrap' }} dir="auto">
            {text}
          </p>
        )
      )}
      {file !== null && <File note={note} file={file} />}
      <p class="hint">
        <bdi>{writtenBy}</bdi>, {dayAndTime(new Date(createdAt))}
        {editedAt !== null && (
          <>
            ; changed
            {editedBy !== writtenBy && (
              <>
                {' '}
                by <bdi>{editedBy}</bdi>
              </>
            )}
            , {dayAndTime(new Date(editedAt))}
          </>
        )}
        {may('write') && !isEdited && (
          <Menu label={`Actions for the note of ${dayAndTime(new Date(createdAt))}, number ${note.id}`}>
            <button type="button" onClick={() => setEdited(true)}>
              Edit the text
            </button>
            <button
              type="button"
              onClick={() =>
                void sending.send(async () => {
                  await service.call('deleteNote', { path: pathOf(note) });
                  onDelete();
                })
              }
            >
              Delete
            </button>
          </Menu>
        )}
      </p>
      <Fault error={sending.error} />
    </>
  );
}

function TextForm({ note, onChange, onClose }: { readonly note: Note; onChange(): void; onClose(): void }) {
  const id = useId();
  const [text, setText] = useState(note.text);
  // Somebody may change it meanwhile.
  const [before] = useState(note.text);
  const sending = useSending();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send(async () => {
          await service.call('updateNote', { path: pathOf(note), body: { text: text.trim(), replaces: before } });
          onClose();
          onChange();
        });
      }}
    >
      <label for={id}>Text of the note</label>
      <textarea
        id={id}
        rows={3}
        cols={72}
        maxLength={LONGEST}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Fault error={sending.error} />
      <p class="dialog-buttons">
        <button type="submit" class="primary" disabled={sending.isBusy}>
          Save
        </button>
        <button
          type="button"
          onClick={() => {
            onClose();
            onChange();
          }}
        >
          Cancel
        </button>
      </p>
    </form>
  );
}

function File({ note, file }: { readonly note: Note; readonly file: NonNullable<Note['file']> }) {
  const sending = useSending();
  const address = useThumbnail(note);
  const save = async () => {
    const { body } = await service.call('getNoteFile', { path: pathOf(note), timeoutMs: TIMEOUT_MS });
    const parts = await import('../../parts/export.ts');
    parts.save(file.name, new Blob([body], { type: 'application/octet-stream' }));
  };
  return (
    <>
      <button type="button" disabled={sending.isBusy} onClick={() => void sending.send(save)}>
        {address !== undefined && (
          <>
            <img src={address} alt="" />
            <br />
          </>
        )}
        Save <bdi>{file.name}</bdi> ({fileSize(file.bytes)})
      </button>
      <Fault error={sending.error} />
    </>
  );
}

/** The address of the small picture, which needs the session to be read; undefined where there is none. */
function useThumbnail(note: Note): string | undefined {
  const [address, setAddress] = useState<string | undefined>(undefined);
  const hasThumbnail = note.file?.hasThumbnail === true;
  useEffect(() => {
    if (!hasThumbnail) return;
    const ended = new AbortController();
    let made: string | undefined;
    service.call('getNoteThumbnail', { path: pathOf(note), signal: ended.signal }).then(
      ({ body }) => {
        if (ended.signal.aborted) return;
        made = URL.createObjectURL(new Blob([body], { type: 'image/jpeg' }));
        setAddress(made);
      },
      // The name of the file is enough.
      () => undefined,
    );
    return () => {
      ended.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [note.id, hasThumbnail]);
  return address;
}
