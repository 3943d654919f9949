import { useId, useState } from 'preact/hooks';
import { type Diagnosis as Evidence, StopReason } from '../../../../../clients/typescript/src/index.ts';
import type { Head } from '../../../../presentation/columns.ts';
import { rough, short, wanted, withUnit } from '../../../../presentation/formats.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { Fault } from '../../../parts/fault.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { useSending } from '../../../parts/sending.ts';
import { may } from '../../../shell/session.ts';
import { goOn } from '../state/going-on.ts';
import type { Run } from '../state/history.ts';
import { movesOf, type Proposed, relax } from './relaxing.ts';
import './diagnosis.css';

/** Whether the view proposes targets that the best run meets. */
export function offersRelaxing({ diagnosis, stopReason }: Head): boolean {
  return stopReason !== StopReason.SATISFIED && diagnosis?.relaxed != null;
}

/** Evidence that the targets cannot all be met, and a way to continue. Empty without evidence. */
export function Diagnosis({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const { diagnosis } = head;
  if (diagnosis === null || head.stopReason === StopReason.SATISFIED) return null;
  const names = outputNames(head);
  return (
    <section class="diagnosis" aria-labelledby="diagnosis-title">
      <h2 id="diagnosis-title">The targets may be out of reach</h2>
      <p>{diagnosis.detail}</p>
      <Unmet head={head} diagnosis={diagnosis} names={names} />
      {/* Another best run brings new proposals. */}
      {may('write') && diagnosis.relaxed && (
        <Relaxing key={JSON.stringify(diagnosis.relaxed)} head={head} proposed={diagnosis.relaxed} names={names} />
      )}
      <p class="hint">This is an estimate and can be wrong.</p>
    </section>
  );
}

interface PartProps {
  readonly head: Head;
  readonly diagnosis: Evidence;
  readonly names: readonly string[];
}

function Unmet({ head, diagnosis, names }: PartProps) {
  const isPredicted = diagnosis.nearestIs === 'predicted';
  return (
    <ul>
      {diagnosis.unmet.map(({ number, distance, isOutOfReachAlone }) => (
        <li key={number}>
          <strong>{names[number]}</strong>: {isPredicted ? 'the models expect' : 'the nearest is'}{' '}
          <span title={String(diagnosis.nearestOutput[number])}>
            {withUnit(short(diagnosis.nearestOutput[number]!), head.outputUnits?.[number])}
          </span>
          , off by <span title={String(distance)}>{withUnit(rough(distance), head.outputUnits?.[number])}</span>
          {isOutOfReachAlone ? '; out of reach even without the other targets.' : '.'}
        </li>
      ))}
    </ul>
  );
}

/** The proposed ends can be changed before going on. */
function Relaxing({ head, proposed, names }: Pick<PartProps, 'head' | 'names'> & { readonly proposed: Proposed }) {
  const moves = movesOf(head, proposed);
  const allowance = head.l1Threshold === null ? null : proposed.desiredL1Norm;
  const [texts, setTexts] = useState<readonly string[]>(moves.map(({ to }) => String(to)));
  const [sum, setSum] = useState(String(allowance ?? ''));
  const [hasTried, setTried] = useState(false);
  const { isBusy, error, send } = useSending();
  const id = useId();
  const isProposed = sum === String(allowance ?? '') && moves.every(({ to }, i) => texts[i] === String(to));
  const reads = texts.map(readNumber);
  const readSum = allowance === null ? undefined : readNumber(sum);
  const load = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if ([...reads, readSum].some((read) => read?.fault !== undefined)) return;
    const to = reads.map(({ value }) => value!);
    void send(() => goOn(head, relax(head, { proposed, moves }, to, readSum?.value ?? null)));
  };
  return (
    <form class="relaxing" noValidate onSubmit={load}>
      {moves.map(({ output, end }, i) => (
        <NumberField
          key={output}
          id={`${id}-${output}`}
          name={`${names[output]} at ${end === 'lower' ? 'least' : 'most'}, instead of ${wanted(head.intervals[output]!)}`}
          unit={head.outputUnits?.[output]}
          text={texts[i]!}
          fault={hasTried ? reads[i]!.fault : undefined}
          onText={(text) => setTexts(texts.with(i, text))}
        />
      ))}
      {allowance !== null && (
        <NumberField
          id={`${id}-sum`}
          name={`Sum of all differences at most, instead of ${short(head.l1Threshold!)}`}
          text={sum}
          fault={hasTried ? readSum?.fault : undefined}
          onText={setSum}
        />
      )}
      <Fault error={error} />
      <p>
        {/* Until the search has ended, the next input comes first. */}
        <button type="submit" class={head.stopReason === StopReason.RUNNING ? undefined : 'primary'} disabled={isBusy}>
          {isBusy ? 'Loading…' : 'Relax and continue'}
        </button>
      </p>
      <p class="hint">
        {isProposed &&
          proposed.endsSearch &&
          'The best run meets these targets, so the search ends with it immediately. '}
        This creates a new objective with these targets, which knows all runs so far
        {head.stopReason === StopReason.RUNNING && ', and stops this one'}.
      </p>
    </form>
  );
}
