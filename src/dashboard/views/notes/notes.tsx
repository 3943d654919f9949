/** Notes with files on an objective or on one of its runs. */
import { useId, useState } from 'preact/hooks';
import type { Note } from '../../../../clients/typescript/src/index.ts';
import { Fault } from '../../parts/fault.tsx';
import { useSending } from '../../parts/sending.ts';
import { Link } from '../../shell/link.tsx';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { useNotes } from '../objective/log/read-records.ts';
import type { Run } from '../objective/state/history.ts';
import { addressOf } from '../objective/state/tabs.ts';
import { Entry } from './entry.tsx';
import { NoteForm } from './note-form.tsx';

interface NotesProps {
  readonly run: Run;
  /** The run that they are on; default: the objective, with those on all of its runs. */
  readonly on?: { readonly objectiveId: number; readonly inverseId: number };
}

export function Notes({ run, on }: NotesProps) {
  const id = useId();
  const objectiveId = on?.objectiveId ?? run.objectiveId;
  const { found, failure, refresh } = useNotes(objectiveId, on?.inverseId, run.head.value.notesChangedAt);
  const [deleted, setDeleted] = useState<Note | undefined>(undefined);
  const undoing = useSending();
  const changed = () => {
    refresh();
    run.refresh();
  };
  const notes = found.value;
  const Heading = on === undefined ? 'h2' : 'h3';
  return (
    <section class="notes" aria-labelledby={`${id}-title`}>
      <Heading id={`${id}-title`}>Notes and files</Heading>
      <Fault error={failure.value} />
      {notes?.length === 0 && <p class="hint">None yet.</p>}
      <ul class="admin-list">
        {notes?.map((note) => (
          <li key={note.id}>
            {on === undefined && note.iteration !== null && (
              <Link to={addressOf(objectiveId, `runs/${note.iteration}`)} keepsPlace>
                run {note.iteration}
              </Link>
            )}
            <Entry
              note={note}
              onChange={changed}
              onDelete={() => {
                setDeleted(note);
                changed();
              }}
            />
          </li>
        ))}
      </ul>
      <div role="status">
        {deleted !== undefined && (
          <p class="notice">
            The note is deleted.{' '}
            <button
              type="button"
              disabled={undoing.isBusy}
              onClick={() =>
                void undoing.send(async () => {
                  const path = { objective_id: objectiveId, note_id: deleted.id };
                  await service.call('restoreNote', { path });
                  setDeleted(undefined);
                  changed();
                })
              }
            >
              Undo
            </button>
          </p>
        )}
      </div>
      <Fault error={undoing.error} />
      {may('write') && (
        <NoteForm key={on?.inverseId} objectiveId={objectiveId} inverseId={on?.inverseId} onAdd={changed} />
      )}
    </section>
  );
}
