import { useId, useState } from 'preact/hooks';
import type { CreatedKey } from '../../../../../clients/typescript/src/index.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import { may, type Scope } from '../../../shell/session.ts';
import { ShownOnce } from '../parts/shown-once.tsx';
import { EXPIRIES, endOfDay, expiryAfter } from './key-states.ts';

const SCOPES: Readonly<Record<Scope, string>> = {
  read: 'read: see everything of the account',
  write: 'write: create, change and delete; load outputs',
  evaluate: 'evaluate: run evaluations of batches, and nothing else',
  admin: 'admin: manage keys and webhooks',
};

/** A session with the scope write may grant evaluate. */
const mayGrant = (scope: Scope) => may(scope) || (scope === 'evaluate' && may('write'));

const POINTERS: readonly string[] = ['/label', '/scopes', '/expiresAt'];

interface CreateKeyDialogProps {
  onCreated(): void;
  onClose(): void;
}

export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const [expiry, setExpiry] = useState('0');
  const [day, setDay] = useState('');
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [made, setMade] = useState<CreatedKey | undefined>(undefined);
  const sending = useSending();
  const { error } = sending;
  const id = useId();
  if (made !== undefined) {
    return (
      <Dialog title="The key is created" onClose={onClose}>
        <ShownOnce
          name="API key"
          text={made.key}
          hint="Programs send it as “Authorization: Bearer …” or read it from BACKSOLVE_API_KEY."
          onDone={onClose}
        />
      </Dialog>
    );
  }
  const faults = faultsByPointer(error);
  const create = async () => {
    const isNamedDay = expiry === '';
    const expiresAt = isNamedDay ? endOfDay(day) : expiryAfter(Number(expiry), new Date());
    const missing = expiresAt === undefined ? 'Choose the last day.' : undefined;
    setFault(scopes.length === 0 ? 'Choose at least one scope.' : missing);
    if (scopes.length === 0 || expiresAt === undefined) return;
    const body = { label: label.trim() === '' ? null : label.trim(), scopes, expiresAt };
    await sending.send(async () => {
      const answer = await service.call('createKey', { body });
      setMade(answer.body);
      onCreated();
    });
  };
  return (
    <FormDialog
      title="Create a key"
      action="Create"
      sending={sending}
      error={withoutShown(error, (pointer) => POINTERS.includes(pointer))}
      onSubmit={create}
      onClose={onClose}
    >
      <label for={id}>Label</label>
      <input
        id={id}
        maxLength={100}
        value={label}
        aria-describedby={`${id}-hint`}
        aria-invalid={faults.has('/label')}
        onInput={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <p id={`${id}-hint`} class="hint">
        What it is for, such as “the test rig”.
      </p>
      {faults.has('/label') && <p class="fault">{faults.get('/label')}</p>}
      <ScopeChoice scopes={scopes} fault={faults.get('/scopes')} onScopes={setScopes} />
      <ExpiryFields expiry={expiry} day={day} onExpiry={setExpiry} onDay={setDay} />
      {faults.has('/expiresAt') && <p class="fault">{faults.get('/expiresAt')}</p>}
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </FormDialog>
  );
}

interface ScopeChoiceProps {
  readonly scopes: readonly Scope[];
  readonly fault: string | undefined;
  onScopes(scopes: readonly Scope[]): void;
}

function ScopeChoice({ scopes, fault, onScopes }: ScopeChoiceProps) {
  return (
    <fieldset>
      <legend>Scopes</legend>
      {(Object.keys(SCOPES) as Scope[]).filter(mayGrant).map((scope) => (
        <label key={scope} class="choice">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={({ currentTarget }) =>
              onScopes(currentTarget.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
          <span>{SCOPES[scope]}</span>
        </label>
      ))}
      {fault !== undefined && <p class="fault">{fault}</p>}
    </fieldset>
  );
}

interface ExpiryFieldsProps {
  /** A number of days; empty for a day that is named. */
  readonly expiry: string;
  readonly day: string;
  onExpiry(expiry: string): void;
  onDay(day: string): void;
}

function ExpiryFields({ expiry, day, onExpiry, onDay }: ExpiryFieldsProps) {
  const id = useId();
  return (
    <div class="admin-fields">
      <div>
        <label for={`${id}-expiry`}>Expires</label>
        <select id={`${id}-expiry`} value={expiry} onChange={({ currentTarget }) => onExpiry(currentTarget.value)}>
          {EXPIRIES.map(({ days, label }) => (
            <option key={label} value={days ?? ''}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {expiry === '' && (
        <div>
          <label for={`${id}-day`}>Last day</label>
          <input id={`${id}-day`} type="date" value={day} onInput={({ currentTarget }) => onDay(currentTarget.value)} />
        </div>
      )}
    </div>
  );
}
