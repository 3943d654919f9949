import { useId, useState } from 'preact/hooks';
import type { CreatedWebhook } from '../../../../../clients/typescript/src/index.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { EVENTS, type EventName } from './events.ts';

const POINTERS: readonly string[] = ['/url', '/description', '/events'];

interface CreateWebhookDialogProps {
  onCreated(): void;
  onClose(): void;
}

export function CreateWebhookDialog({ onCreated, onClose }: CreateWebhookDialogProps) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [takesAll, setTakesAll] = useState(true);
  const [events, setEvents] = useState<readonly EventName[]>([]);
  const [made, setMade] = useState<CreatedWebhook | undefined>(undefined);
  const sending = useSending();
  const { error } = sending;
  const id = useId();
  if (made !== undefined) {
    return (
      <Dialog title="The webhook is created" onClose={onClose}>
        <ShownOnce
          name="Signing secret"
          text={made.secret}
          hint="Your receiver uses it to verify that events come from this service (Standard Webhooks)."
          onDone={onClose}
        />
      </Dialog>
    );
  }
  const faults = faultsByPointer(error);
  const create = () => {
    const body = {
      url: url.trim(),
      description: description.trim() === '' ? null : description.trim(),
      events: takesAll ? null : events,
    };
    return sending.send(async () => {
      const answer = await service.call('createWebhook', { body });
      setMade(answer.body);
      onCreated();
    });
  };
  const field = (pointer: string, fieldId: string) => ({
    'aria-invalid': faults.has(pointer),
    'aria-describedby': faults.has(pointer) ? `${fieldId}-fault` : undefined,
  });
  const faultOf = (pointer: string, fieldId: string) =>
    faults.has(pointer) && (
      <p id={`${fieldId}-fault`} class="fault" role="alert">
        {faults.get(pointer)}
      </p>
    );
  return (
    <FormDialog
      title="Create a webhook"
      action="Create"
      sending={sending}
      error={withoutShown(error, (pointer) => POINTERS.includes(pointer))}
      onSubmit={create}
      onClose={onClose}
    >
      <label for={`${id}-url`}>Address of the receiver</label>
      <input
        id={`${id}-url`}
        inputMode="url"
        autocomplete="off"
        placeholder="https://example.com/backsolve"
        value={url}
        {...field('/url', `${id}-url`)}
        onInput={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      {faultOf('/url', `${id}-url`)}
      <label for={`${id}-description`}>Description (optional)</label>
      <input
        id={`${id}-description`}
        maxLength={1000}
        value={description}
        {...field('/description', `${id}-description`)}
        onInput={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      {faultOf('/description', `${id}-description`)}
      <fieldset>
        <legend>Events</legend>
        <label class="choice">
          <input
            type="checkbox"
            checked={takesAll}
            onChange={({ currentTarget }) => setTakesAll(currentTarget.checked)}
          />
          <span>All events, including those added later</span>
        </label>
        {!takesAll && <EventChoices events={events} onEvents={setEvents} />}
        {faultOf('/events', `${id}-events`)}
      </fieldset>
    </FormDialog>
  );
}

interface EventChoicesProps {
  readonly events: readonly EventName[];
  onEvents(events: readonly EventName[]): void;
}

function EventChoices({ events, onEvents }: EventChoicesProps) {
  return (
    <>
      {EVENTS.map(([name, sentWhen]) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={events.includes(name)}
            onChange={({ currentTarget }) =>
              onEvents(currentTarget.checked ? [...events, name] : events.filter((other) => other !== name))
            }
          />
          <span>
            <code>{name}</code>, when {sentWhen}
          </span>
        </label>
      ))}
    </>
  );
}
