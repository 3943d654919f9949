/** Makes read-only links to an objective, lists and revokes them. */
import { useId, useState } from 'preact/hooks';
import type { CreatedLink, Link } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { service } from '../../shell/service.ts';
import { useLive } from '../../shell/use-live.ts';
import { Moment } from '../administration/parts/moment.tsx';
import { LONG_PAUSE_MS, readAll } from '../administration/parts/read-list.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';
import { Waits } from '../administration/parts/waits.tsx';
import { TellDialog } from './tell-dialog.tsx';

const KINDS = [
  ['objective', 'The objective, always as it is now', 'now'],
  ['report', 'The report as it is now; later changes do not affect it', 'as it was'],
] as const satisfies readonly (readonly [Link['kind'], string, string])[];

const DAYS = [1, 7, 30, 90, 366] as const;
const DAY_MS = 86_400_000;

interface ShareDialogProps {
  readonly objectiveId: number;
  onClose(): void;
}

function daysText(count: number): string {
  switch (count) {
    case 1:
      return 'a day';
    case 366:
      return 'a year';
    default:
      return `${count} days`;
  }
}

export function ShareDialog({ objectiveId, onClose }: ShareDialogProps) {
  const [made, setMade] = useState<CreatedLink | undefined>(undefined);
  const [isTelling, setTelling] = useState(false);
  const path = { objective_id: objectiveId };
  const live = useLive<readonly Link[]>(
    { read: (signal) => readAll('listLinksOfObjective', { path, signal }), pauseMs: LONG_PAUSE_MS },
    [objectiveId],
  );
  if (isTelling) return <TellDialog objectiveId={objectiveId} onClose={onClose} />;
  if (made !== undefined) {
    return (
      <Dialog title="The link is ready" onClose={onClose}>
        <ShownOnce
          name="Address"
          text={made.url}
          hint="Whoever has it can read what it shows, without a key, and nothing else."
          onDone={() => setMade(undefined)}
        />
      </Dialog>
    );
  }
  const add = (link: CreatedLink) => {
    setMade(link);
    live.refresh();
  };
  return (
    <Dialog title="Share this objective" onClose={onClose}>
      <NewLink objectiveId={objectiveId} onMade={add} />
      <h3>Links</h3>
      <Waits live={live}>{(links) => <Links links={links} onRevoked={live.refresh} />}</Waits>
      <h3>When it ends, or an input waits</h3>
      <p>
        <button type="button" onClick={() => setTelling(true)}>
          Tell somebody…
        </button>
      </p>
    </Dialog>
  );
}

function NewLink({ objectiveId, onMade }: { readonly objectiveId: number; onMade(link: CreatedLink): void }) {
  const [kind, setKind] = useState<Link['kind']>('objective');
  const [label, setLabel] = useState('');
  const [days, setDays] = useState(30);
  const sending = useSending();
  const id = useId();
  const make = () =>
    sending.send(async () => {
      const body = {
        kind,
        label: label.trim() === '' ? null : label.trim(),
        // A moment less than the longest, for clocks that differ.
        expiresAt: new Date(Date.now() + days * DAY_MS - (days === 366 ? DAY_MS : 0)).toISOString(),
      };
      onMade((await service.call('createLink', { path: { objective_id: objectiveId }, body })).body);
    });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <fieldset>
        <legend>A link that shows, without a key,</legend>
        {KINDS.map(([value, text]) => (
          <label key={value} class="choice">
            <input type="radio" name={`${id}-kind`} checked={kind === value} onChange={() => setKind(value)} />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <label for={`${id}-label`}>Label (optional, for this list only)</label>
      <input
        id={`${id}-label`}
        maxLength={200}
        value={label}
        onInput={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <label for={`${id}-days`}>Works for</label>
      <select id={`${id}-days`} value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
        {DAYS.map((count) => (
          <option key={count} value={count}>
            {daysText(count)}
          </option>
        ))}
      </select>
      <Fault error={sending.error} />
      <p class="dialog-buttons">
        <button type="submit" class="primary" disabled={sending.isBusy}>
          Make the link
        </button>
      </p>
    </form>
  );
}

function Links({ links, onRevoked }: { readonly links: readonly Link[]; onRevoked(): void }) {
  const sending = useSending();
  if (links.length === 0) return <p class="hint">Nobody has a link to this objective yet.</p>;
  const revoke = (link: Link) =>
    sending.send(async () => {
      await service.call('revokeLink', { path: { link_id: link.id } }).catch((error: unknown) => {
        // Somebody else was faster.
        if ((error as { readonly status?: number }).status !== 404) throw error;
      });
      onRevoked();
    });
  const now = Date.now();
  return (
    <>
      <Fault error={sending.error} />
      <ScrollBox label="Links to this objective">
        <table class="admin-table">
          <TableHead titles={['Label', 'Shows it', 'Made by', 'Ends', 'Last opened']} controls="Revoke" />
          <tbody>
            {links.toReversed().map((link) => (
              <tr key={link.id} class={Date.parse(link.expiresAt) < now ? 'is-over' : undefined}>
                <th scope="row" class="admin-name">
                  {link.label === null ? <span class="hint">none</span> : <bdi>{link.label}</bdi>}
                </th>
                <td>{KINDS.find(([kind]) => kind === link.kind)![2]}</td>
                <td>
                  <bdi>{link.createdBy}</bdi>
                </td>
                <td>
                  <Moment time={link.expiresAt} />
                </td>
                <td>{link.lastUsedAt === null ? 'never' : <Age time={link.lastUsedAt} />}</td>
                <td class="admin-actions">
                  <button
                    type="button"
                    disabled={sending.isBusy}
                    aria-label={`Revoke the link ${link.label ?? `of ${link.createdAt.slice(0, 16)}`}`}
                    onClick={() => void revoke(link)}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}
