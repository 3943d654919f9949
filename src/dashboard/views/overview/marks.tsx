/** Actions on an objective of the list: label, archive, delete, copy, and a name for its project. */
import { type Signal, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { counted } from '../../../presentation/formats.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useSending } from '../../parts/sending.ts';
import { Link } from '../../shell/link.tsx';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { nameOf, numbersOf, stateOf } from './choice.ts';

interface Asked {
  readonly glance: ObjectiveGlance;
  readonly what: 'label' | 'project' | 'delete';
}

/** The open dialog. */
const asked: Signal<Asked | undefined> = signal(undefined);
/** The last change, and what takes it back. */
const done: Signal<Done | undefined> = signal(undefined);

interface Done {
  readonly name: string;
  readonly what: string;
  undo(): Promise<void>;
}

async function archive(glance: ObjectiveGlance, isArchived: boolean): Promise<void> {
  const path = { objective_id: glance.id };
  await service.call('updateObjective', { path, body: { isArchived } });
  done.value = {
    name: nameOf(glance),
    what: isArchived ? 'is archived.' : 'is back in the list.',
    undo: () => archive(glance, !isArchived),
  };
}

interface ChangedProps {
  /** The list has changed. */
  onChange(): void;
}

async function remove(glance: ObjectiveGlance): Promise<void> {
  await service.call('deleteObjective', { path: { objective_id: glance.id } });
  done.value = { name: nameOf(glance), what: 'is deleted.', undo: () => restore(glance.id) };
}

async function restore(id: number): Promise<void> {
  for await (const deletion of service.pages('listDeleted', { query: { limit: 200 } })) {
    if (deletion.kind !== 'objective' || deletion.recordId !== id) continue;
    await service.call('restoreDeletion', { path: { deletion_id: deletion.id } });
    return;
  }
  throw new Error('It has already been purged.');
}

export function GlanceMenu({ glance, onChange }: ChangedProps & { readonly glance: ObjectiveGlance }) {
  const sending = useSending();
  if (!may('write')) return null;
  const ask = (what: Asked['what']) => () => {
    asked.value = { glance, what };
  };
  return (
    <Menu label={`Actions of ${glance.projectName}, ${nameOf(glance)}`}>
      <button type="button" onClick={ask('label')}>
        {glance.label === null ? 'Label…' : 'Rename…'}
      </button>
      <button
        type="button"
        disabled={sending.isBusy}
        onClick={() => void sending.send(() => archive(glance, !glance.isArchived)).then(onChange)}
      >
        {glance.isArchived ? 'Put back into the list' : 'Archive'}
      </button>
      <Link to={`/page/new?copy=${glance.id}`}>Copy the problem</Link>
      <Link to={`/page/batch?of=${glance.id}`}>Start a batch…</Link>
      <button type="button" onClick={ask('project')}>
        Rename the project…
      </button>
      <button type="button" onClick={ask('delete')}>
        Delete…
      </button>
    </Menu>
  );
}

/** The dialog that is open, and what was done last. */
export function Marks({ onChange }: ChangedProps) {
  const close = () => {
    asked.value = undefined;
  };
  const change = () => {
    close();
    onChange();
  };
  const open = asked.value;
  return (
    <>
      <LastChange onChange={onChange} />
      {open?.what === 'label' && <LabelDialog glance={open.glance} onChange={change} onClose={close} />}
      {open?.what === 'project' && <ProjectDialog glance={open.glance} onChange={change} onClose={close} />}
      {open?.what === 'delete' && <DeleteDialog glance={open.glance} onChange={change} onClose={close} />}
    </>
  );
}

function LastChange({ onChange }: ChangedProps) {
  const sending = useSending();
  const last = done.value;
  return (
    <div role="status">
      {last !== undefined && (
        <p class="notice">
          <bdi>{last.name}</bdi> {last.what}{' '}
          <button
            type="button"
            disabled={sending.isBusy}
            onClick={() =>
              void sending
                .send(async () => {
                  await last.undo();
                  done.value = undefined;
                })
                .then(onChange)
            }
          >
            Undo
          </button>
        </p>
      )}
      <Fault error={sending.error} />
    </div>
  );
}

interface DialogProps extends ChangedProps {
  readonly glance: ObjectiveGlance;
  onClose(): void;
}

interface NameDialogProps extends DialogProps {
  readonly title: string;
  readonly field: string;
  readonly hint: string;
  readonly known: string;
  readonly mayBeEmpty: boolean;
  save(name: string): Promise<unknown>;
}

function NameDialog({ title, field, hint, known, mayBeEmpty, save, onChange, onClose }: NameDialogProps) {
  const [name, setName] = useState(known);
  const sending = useSending();
  const submit = async () => {
    if (await sending.send(() => save(name.trim()))) onChange();
  };
  return (
    <FormDialog
      title={title}
      action="Save"
      isReady={mayBeEmpty || name.trim() !== ''}
      sending={sending}
      onSubmit={submit}
      onClose={onClose}
    >
      <div class="field">
        <label for="new-name">{field}</label>
        <input
          id="new-name"
          type="text"
          maxLength={200}
          autocomplete="off"
          value={name}
          aria-describedby="new-name-hint"
          onInput={({ currentTarget }) => {
            setName(currentTarget.value);
            sending.forget();
          }}
        />
        <p class="hint" id="new-name-hint">
          {hint}
        </p>
      </div>
    </FormDialog>
  );
}

function LabelDialog({ glance, ...props }: DialogProps) {
  return (
    <NameDialog
      {...props}
      glance={glance}
      title={`Label of ${numbersOf(glance)}`}
      field="Label"
      hint="Shown in the list instead of the numbers. Leave it empty to remove it."
      known={glance.label ?? ''}
      mayBeEmpty
      save={(label) =>
        service.call('updateObjective', {
          path: { objective_id: glance.id },
          body: { label: label === '' ? null : label },
        })
      }
    />
  );
}

function ProjectDialog({ glance, ...props }: DialogProps) {
  const path = { model_id: glance.modelId, project_id: glance.projectId };
  return (
    <NameDialog
      {...props}
      glance={glance}
      title="Rename the project"
      field="Name of the project"
      hint="All objectives of the project are listed under it."
      known={glance.projectName}
      mayBeEmpty={false}
      save={(name) => service.call('updateProject', { path, body: { name } })}
    />
  );
}

function DeleteDialog({ glance, onChange, onClose }: DialogProps) {
  const sending = useSending();

  const archiveInstead = () => void sending.send(() => archive(glance, true)).then((isDone) => isDone && onChange());
  return (
    <ConfirmDialog
      title={`Delete ${nameOf(glance)} of ${glance.projectName}?`}
      action="Delete"
      onConfirm={() => remove(glance).then(onChange)}
      onClose={onClose}
    >
      <p>
        The objective goes with {counted(glance.attemptCount, 'run')} and what was learned from{' '}
        {glance.attemptCount === 1 ? 'it' : 'them'}. The cases of its trial and all other objectives stay.
        {stateOf(glance) === 'running' && ' Its search is stopped, and stays stopped if you undo the deletion.'}
      </p>
      {!glance.isArchived && (
        <p>
          To only clear the list,{' '}
          <button type="button" disabled={sending.isBusy} onClick={archiveInstead}>
            archive it instead
          </button>
        </p>
      )}
    </ConfirmDialog>
  );
}
