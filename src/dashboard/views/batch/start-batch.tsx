/** Starts a batch: one search for each row of targets, otherwise as an objective that is already there. */
import { useEffect, useState } from 'preact/hooks';
import type { CreatedBatch, NewObjectives } from '../../../../clients/typescript/src/index.ts';
import { type Head, headOf } from '../../../presentation/columns.ts';
import { counted, short, titled } from '../../../presentation/formats.ts';
import { outputNames } from '../../../presentation/values.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Fault } from '../../parts/fault.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { readNumber } from '../../parts/read-number.ts';
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { useSending } from '../../parts/sending.ts';
import { TableHead } from '../../parts/table-head.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { service } from '../../shell/service.ts';
import { may } from '../../shell/session.ts';
import { ShownOnce } from '../administration/parts/shown-once.tsx';
import { TakeTable, unreadText } from '../new-problem/take-table.tsx';
import { repeatedOf } from '../objective/state/going-on.ts';
import { readTargetRows, type Targets } from './target-rows.ts';

/** A step beyond every run: the targets are all that is needed. */
const FEWEST_RUNS = { every: 1_000_000 };
/** Rows that are shown before the start. */
const SHOWN = 20;

export default function StartBatch({ place }: ViewProps) {
  const objectiveId = Number(place.query.get('of') ?? 0);
  const [head, setHead] = useState<Head | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    service
      .call('getHistory', { path: { objective_id: objectiveId }, query: FEWEST_RUNS, signal: stop.signal })
      .then(({ body }) => setHead(headOf(body)))
      .catch((failure: unknown) => stop.signal.aborted || setError(failure));
    return () => stop.abort();
  }, [objectiveId]);
  if (!may('write'))
    return <EmptyState title="This key may only read">Starting a batch requires another key.</EmptyState>;
  if (head !== undefined) return <Form key={head.objectiveId} head={head} />;
  return error === undefined ? <p role="status">Loading…</p> : <Fault error={error} />;
}

function Form({ head }: { readonly head: Head }) {
  const [name, setName] = useState(`${head.projectName}, ${new Date().toLocaleDateString()}`);
  const [parallelism, setParallelism] = useState('4');
  const [rows, setRows] = useState<readonly Targets[]>([]);
  const [url, setUrl] = useState<string | undefined>(undefined);
  const [made, setMade] = useState<(CreatedBatch & { readonly secret: string }) | undefined>(undefined);
  const sending = useSending();
  const names = outputNames(head);
  const atOnce = readNumber(parallelism);
  const start = () =>
    sending.send(async () => {
      const path = { model_id: head.modelId, project_id: head.projectId };
      const unread = unreadText();
      if (unread !== undefined) throw new Error(unread);
      const { body } = await service.call('createBatch', {
        path,
        body: {
          name: name.trim() === '' ? null : name.trim(),
          trialId: head.trialId,
          parallelism: atOnce.value,
          ...(url !== undefined && { evaluator: { kind: 'http', url: url.trim() } }),
          objectives: rows.map((targets) => definitionOf(head, targets)),
        },
      });
      const { secret } = body;
      if (secret === undefined) leaveFor(body);
      else setMade({ ...body, secret });
    });
  if (made !== undefined) return <Started secret={made.secret} onDone={() => leaveFor(made)} />;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h1>Start a batch</h1>
      <Introduction head={head} />
      <TakeTable
        label="Targets"
        hint={`A row for each search, a column for each output: ${names.join(', ')}. With a header, some of them in any order; the others and empty cells keep their targets.`}
        onRows={(table) => {
          const read = readTargetRows(table, names, head.objectives);
          if (read.fault === undefined) setRows(read.rows);
          return read.fault ?? `${counted(read.rows.length, 'search', 'searches')} read.`;
        }}
      />
      {rows.length > 0 && <Preview rows={rows} head={head} names={names} />}
      <div class="field-grid">
        <div class="field">
          <label for="batch-name">Name of the batch</label>
          <input
            id="batch-name"
            type="text"
            maxLength={200}
            autocomplete="off"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </div>
        <NumberField
          id="batch-parallelism"
          name="Runs at the same time"
          text={parallelism}
          fault={atOnce.fault}
          onText={setParallelism}
        />
      </div>
      <Makers url={url} onUrl={setUrl} />
      <Fault error={sending.error} />
      <p class="actions">
        <button
          type="submit"
          class="primary"
          disabled={sending.isBusy || rows.length === 0 || atOnce.fault !== undefined}
        >
          {rows.length === 0 ? 'Start' : `Start ${counted(rows.length, 'search', 'searches')}`}
        </button>
        {rows.length === 0 && <span class="hint">Paste the targets first.</span>}
      </p>
    </form>
  );
}

function Started({ secret, onDone }: { readonly secret: string; onDone(): void }) {
  return (
    <>
      <h1>The batch has started</h1>
      <ShownOnce
        name="Secret of the evaluator"
        text={secret}
        hint="Your program checks the signatures of calls with it."
        onDone={onDone}
      />
    </>
  );
}

function Introduction({ head }: { readonly head: Head }) {
  return (
    <p>
      A batch works through many searches unattended: one for each row of targets, otherwise as{' '}
      <Link to={`/page/objectives/${head.objectiveId}`}>
        trial {head.trialNumber}, objective {head.number}
      </Link>{' '}
      of <bdi>{head.projectName}</bdi>. They know the cases of this trial and learn from one another.
    </p>
  );
}

function leaveFor({ id }: CreatedBatch): void {
  navigate(`/page/administration?show=batches&open=${id}`);
}

interface MakersProps {
  /** undefined: evaluators claim the runs. */
  readonly url: string | undefined;
  onUrl(url: string | undefined): void;
}

/** Choice of who makes the runs. */
function Makers({ url, onUrl }: MakersProps) {
  return (
    <fieldset class="sources">
      <legend>Who makes the runs?</legend>
      <label>
        <input type="radio" name="makers" checked={url === undefined} onChange={() => onUrl(undefined)} />
        <a href="/docs/guides/batches">Evaluators</a>, or you by hand
      </label>
      <label>
        <input type="radio" name="makers" checked={url !== undefined} onChange={() => onUrl('')} />A program at an
        address, which this service calls
      </label>
      {url !== undefined && (
        <div class="field">
          <label for="batch-url">Address</label>
          <input
            id="batch-url"
            type="url"
            autocomplete="off"
            placeholder="https://simulator.example/run"
            value={url}
            onInput={({ currentTarget }) => onUrl(currentTarget.value)}
          />
          <p class="hint">
            It gets each input as JSON and answers with the outputs, see <a href="/docs/guides/batches">batches</a>.
          </p>
        </div>
      )}
    </fieldset>
  );
}

/** As the objective, with other targets. The batch decides how many runs of it are open. */
function definitionOf(head: Head, targets: Targets): NewObjectives {
  const { parallelism: _, ...definition } = repeatedOf(head);
  return { ...definition, objectives: [...targets] };
}

interface PreviewProps {
  readonly rows: readonly Targets[];
  readonly head: Head;
  readonly names: readonly string[];
}

function Preview({ rows, head, names }: PreviewProps) {
  const titles = names.map((name, j) => titled(name, head.outputUnits?.[j]));
  return (
    <>
      <ScrollBox label="Targets as they are read">
        <table>
          <TableHead titles={['Search', ...titles]} numbers={['Search', ...titles]} />
          <tbody>
            {rows.slice(0, SHOWN).map((targets, r) => (
              // Rows may be equal.
              <tr key={r}>
                <th scope="row" class="number">
                  {r + 1}
                </th>
                {targets.map((target, j) => (
                  <td key={names[j]} class="number" title={target === null ? undefined : String(target)}>
                    {target === null ? '–' : short(target)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {rows.length > SHOWN && <p class="hint">And {counted(rows.length - SHOWN, 'more search', 'more searches')}.</p>}
    </>
  );
}
