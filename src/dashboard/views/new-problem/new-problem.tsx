/** Describes a problem in three parts and starts it. */
import { useEffect, useState } from 'preact/hooks';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Link } from '../../shell/link.tsx';
import { navigate, type ViewProps } from '../../shell/router.ts';
import { explain } from '../../shell/service.ts';
import { may, session } from '../../shell/session.ts';
import { CasesPart } from './cases-part.tsx';
import { CopyOffer } from './copy-offer.tsx';
import { isUntouched } from './draft.ts';
import { DraftOffer } from './draft-offer.tsx';
import { focusField } from './fields.tsx';
import { InputsPart } from './inputs-part.tsx';
import './new-problem.css';
import { faultsIn, isFaultless, type Part, partOf } from './requests.ts';
import { checkInputs, designPoints, giveUp, RefusedError, start } from './start.ts';
import { draft, faults, isKept, openDraft, replaceDraft, workplace } from './store.ts';
import { unreadText } from './take-table.tsx';
import { TargetsPart } from './targets-part.tsx';

const PARTS: Readonly<Record<Part, string>> = {
  inputs: '1 Inputs and outputs',
  cases: '2 Cases',
  targets: '3 Targets',
};

export default function NewProblem({ place }: ViewProps) {
  if (!may('write')) {
    return (
      <EmptyState title="This key may only read">
        <p>
          Creating a problem requires a key with the scope <code>write</code>. Ask the person who gave you your key, or
          sign in with another one.
        </p>
        <Link to="/page">Go to the objectives</Link>
      </EmptyState>
    );
  }
  // Another account has another draft.
  return (
    <Wizard
      key={session.value?.account}
      part={readPart(place.query.get('part'))}
      copyOf={Number(place.query.get('copy') ?? 0)}
    />
  );
}

function readPart(text: string | null): Part {
  return text === 'cases' || text === 'targets' ? text : 'inputs';
}

function goTo(part: Part): void {
  navigate(part === 'inputs' ? '/page/new' : `/page/new?part=${part}`);
}

/** Works on a part of the problem, one thing at a time. Whatever was refused is shown at its fields. */
function useWork(part: Part) {
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  const work = async (what: string, run: () => Promise<void>) => {
    if (busy !== undefined) return;
    setBusy(what);
    setTrouble(undefined);
    try {
      await run();
      faults.value = {};
    } catch (error) {
      if (error instanceof RefusedError) show(error);
      else setTrouble(explain(error));
    }
    setBusy(undefined);
  };
  const show = ({ faults: found }: RefusedError) => {
    faults.value = found;
    setTrouble(found['']);
    const first = Object.keys(found).find((path) => path !== '');
    if (first === undefined) return;
    if (partOf(first) !== part) goTo(partOf(first));
    focusField(first);
  };
  return { busy, trouble, setTrouble, work, show };
}

/** @param copyOf  the objective whose problem is to be copied; 0: none */
function Wizard({ part, copyOf }: { readonly part: Part; readonly copyOf: number }) {
  const [isOpen, setOpen] = useState(false);
  const { busy, trouble, setTrouble, work, show } = useWork(part);
  useEffect(() => {
    const close = openDraft();
    setOpen(true);
    return close;
  }, []);
  if (!isOpen) return null;

  const next = (to: Part) => {
    const found = faultsIn(draft.value, part);
    const unread = unreadText();
    if (unread !== undefined) setTrouble(unread);
    else if (!isFaultless(found)) show(new RefusedError(found));
    else if (part !== 'inputs') goTo(to);
    else {
      void work('Checking…', async () => {
        await checkInputs(workplace);
        goTo(to);
      });
    }
  };
  const begin = () =>
    work('Starting…', async () => {
      const unread = unreadText();
      if (unread !== undefined) throw new Error(unread);
      const address = await start(workplace);
      replaceDraft('empty');
      navigate(address);
    });

  return (
    <div class="new-problem">
      <div class="heading">
        <h1>New problem</h1>
        <Beginnings work={work} isBusy={busy !== undefined} />
      </div>
      <DraftOffer />
      <CopyOffer objectiveId={copyOf} giveUp={() => giveUp(workplace)} />
      {!isKept.value && (
        <p class="notice warning" role="status">
          The browser cannot save this draft: its storage is full or switched off. Finish before you close the page.
        </p>
      )}
      <PartList part={part} />
      {trouble !== undefined && (
        <p class="fault" role="alert">
          {trouble}
        </p>
      )}
      {part === 'inputs' && <InputsPart />}
      {part === 'cases' && (
        <CasesPart
          isBusy={busy !== undefined}
          design={() => void work('Designing the points…', () => designPoints(workplace))}
        />
      )}
      {part === 'targets' && <TargetsPart />}
      <p role="status" class="hint">
        {busy}
      </p>
      <div class="actions">
        {part !== 'inputs' && (
          <button type="button" onClick={() => goTo(part === 'targets' ? 'cases' : 'inputs')}>
            Back
          </button>
        )}
        {part !== 'targets' && (
          <button type="button" class="primary" onClick={() => next(part === 'inputs' ? 'cases' : 'targets')}>
            {part === 'inputs' ? 'Next: cases' : 'Next: targets'}
          </button>
        )}
        {part === 'targets' && (
          <button type="button" class="primary" disabled={busy !== undefined} onClick={() => void begin()}>
            Start
          </button>
        )}
      </div>
    </div>
  );
}

function PartList({ part }: { readonly part: Part }) {
  const count = (one: Part) => Object.keys(faults.value).filter((path) => path !== '' && partOf(path) === one).length;
  return (
    <nav aria-label="Parts" class="part-list">
      {(Object.keys(PARTS) as Part[]).map((one) => (
        <Link key={one} to={one === 'inputs' ? '/page/new' : `/page/new?part=${one}`} current={one === part}>
          {PARTS[one]}
          {count(one) > 0 && (
            <span class="fault-count">
              {' '}
              {count(one)} <span class="visually-hidden">to correct</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}

interface BeginningsProps {
  work(what: string, run: () => Promise<void>): Promise<void>;
  readonly isBusy: boolean;
}

function Beginnings({ work, isBusy }: BeginningsProps) {
  const [isAsking, setAsking] = useState<'empty' | 'example' | undefined>(undefined);
  const begin = (kind: 'empty' | 'example') => {
    setAsking(undefined);
    void work('Deleting the draft…', async () => {
      await giveUp(workplace);
      replaceDraft(kind);
      goTo('inputs');
    });
  };
  const ask = (kind: 'empty' | 'example') => (isUntouched(draft.value) ? begin(kind) : setAsking(kind));
  if (isAsking !== undefined) {
    return (
      <p role="alertdialog" aria-label="Delete the draft" class="beginnings">
        Delete this draft and the points designed for it?{' '}
        <button type="button" onClick={() => begin(isAsking)}>
          Delete the draft
        </button>{' '}
        <button type="button" onClick={() => setAsking(undefined)}>
          Keep it
        </button>
      </p>
    );
  }
  return (
    <p class="beginnings">
      <button type="button" disabled={isBusy} onClick={() => ask('example')}>
        Try the example
      </button>
      {!isUntouched(draft.value) && (
        <button type="button" class="quiet" disabled={isBusy} onClick={() => ask('empty')}>
          Start over
        </button>
      )}
    </p>
  );
}
