import { useId, useState } from 'preact/hooks';
import { counted, dayAndTime, grouped } from '../../../../presentation/formats.ts';
import { Fault } from '../../../parts/fault.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { TableHead } from '../../../parts/table-head.tsx';
import { Link } from '../../../shell/link.tsx';
import { may } from '../../../shell/session.ts';
import type { PartProps } from '../state/part.ts';
import { addressOf } from '../state/tabs.ts';
import { type Entry, type EntryKind, entriesOf } from './entries.ts';
import { useCorrections, useNotes } from './read-records.ts';
import './log.css';

const Undo = onDemand(async () => (await import('../../links/undo.tsx')).Undo);

const SHOWN = 100;

const CHOICES: Readonly<Record<'all' | EntryKind, string>> = {
  all: 'Everything',
  changed: 'Corrections and notes',
  loaded: 'Results of runs',
  added: 'Cases',
  started: 'Objectives',
};

/** Table of what was loaded, added, corrected, left out and noted, with the times. */
export function Log({ judged: { run }, all, source }: PartProps) {
  const id = useId();
  const { found, failure } = useCorrections(run);
  const notes = useNotes(run.objectiveId, undefined, run.head.value.notesChangedAt);
  const [kind, choose] = useState<'all' | EntryKind>('all');
  const [most, setMost] = useState(SHOWN);
  const entries = entriesOf(all, found.value ?? [], notes.found.value ?? []).filter(
    (entry) => kind === 'all' || entry.kind === kind,
  );
  return (
    <section aria-labelledby={`${id}-title`}>
      <div class="section-head">
        <h2 id={`${id}-title`}>Data log</h2>
        <select
          aria-label="Entries"
          value={kind}
          onChange={({ currentTarget }) => choose(currentTarget.value as typeof kind)}
        >
          {Object.entries(CHOICES).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <span class="hint" role="status">
          {counted(entries.length, 'entry', 'entries')}
        </span>
      </div>
      <p class="hint">Failed runs and cases come last.</p>
      <Fault error={failure.value ?? notes.failure.value ?? source.failure.value} />
      <ScrollBox label="Entries of the data log">
        <table class="log">
          <TableHead titles={['When', 'Run', 'What', 'Reason', 'By']} controls="Undo" />
          <tbody>
            {entries.slice(0, most).map((entry, i) => (
              <Row key={i} entry={entry} run={run} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {entries.length > most && (
        <button type="button" onClick={() => setMost(most + 10 * SHOWN)}>
          Show more of {grouped(entries.length)}
        </button>
      )}
    </section>
  );
}

function Row({ entry, run }: { readonly entry: Entry; readonly run: PartProps['judged']['run'] }) {
  const { at, key, name, what, reason, by, undoable } = entry;
  return (
    <tr>
      <td class="nowrap">{Number.isNaN(at) ? '–' : dayAndTime(new Date(at))}</td>
      <td class="nowrap">
        {key === undefined ? (
          name
        ) : (
          <Link to={addressOf(run.objectiveId, `runs/${key}`)} keepsPlace>
            {name}
          </Link>
        )}
      </td>
      <td>{what}</td>
      <td>{reason}</td>
      <td>{by}</td>
      <td>
        {undoable !== undefined && may('write') && <Undo run={run} correctionId={undoable} name={name!} what={what} />}
      </td>
    </tr>
  );
}
