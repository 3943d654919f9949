import { useState } from 'preact/hooks';
import type { ReportedInverse } from '../../../../../clients/typescript/src/index.ts';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { Link } from '../../../shell/link.tsx';
import { service } from '../../../shell/service.ts';
import { may } from '../../../shell/session.ts';
import type { Run } from '../state/history.ts';
import { addressOf } from '../state/tabs.ts';
import { InputValues } from './input-values.tsx';
import { OutputForm } from './output-form.tsx';
import type { TypedOutputs } from './typed.ts';
import { TypingElsewhere } from './typing-elsewhere.tsx';

interface OpenInputProps {
  readonly run: Run;
  /** The others are less prominent. */
  readonly isFirst: boolean;
  readonly typed: TypedOutputs;
  readonly inverseId: number;
  readonly iteration: number;
  readonly input: readonly number[];
  /** Earlier run with this input; undefined: none. */
  readonly repeated: string | undefined;
  /** The cheaper source to run; undefined: the black box itself. */
  readonly source: string | undefined;
  onReported(inverse: ReportedInverse): void;
}

/** An input that waits for its output. */
export function OpenInput(props: OpenInputProps) {
  const { run, isFirst, typed, inverseId, iteration, input, repeated, source, onReported } = props;
  const [isGivingUp, setGivingUp] = useState(false);
  const titleId = `open-${inverseId}`;
  const giveUp = async () => {
    await service.call('stopInverse', { path: { objective_id: run.objectiveId, inverse_id: inverseId } });
    setGivingUp(false);
    run.refresh();
  };
  const print = async () => (await import('../../links/save-card.ts')).saveCard(run.objectiveId, inverseId, iteration);
  return (
    <article class="hand-card" aria-labelledby={titleId}>
      <h3 id={titleId} data-follow tabIndex={-1}>
        Run {iteration}
      </h3>
      {repeated !== undefined && <p>Repeat the input of {repeated} to see how much the outputs scatter.</p>}
      {source !== undefined && (
        <p>
          Run it with <strong>{source}</strong>, a cheaper source.
        </p>
      )}
      <InputValues head={run.head.value} input={input} onPrint={print} />
      <Link to={addressOf(run.objectiveId, `runs/${iteration}`)} keepsPlace>
        Notes
      </Link>
      {may('write') ? (
        <>
          <TypingElsewhere run={run} typed={typed} inverseId={inverseId} />
          <OutputForm
            run={run}
            isPrimary={isFirst}
            typed={typed}
            inverseId={inverseId}
            iteration={iteration}
            onReported={onReported}
          />
          <button type="button" class="quiet" onClick={() => setGivingUp(true)}>
            Give up this run…
          </button>
        </>
      ) : (
        <p class="hint">Waiting for its output.</p>
      )}
      {isGivingUp && (
        <ConfirmDialog
          title={`Give up run ${iteration}?`}
          action="Give it up"
          onConfirm={giveUp}
          onClose={() => setGivingUp(false)}
        >
          <p>
            It counts as one of the runs. The objective continues without its output.
            {run.head.value.parallelism > 1 && ' If the run finishes after all, its output can still be loaded.'}
          </p>
        </ConfirmDialog>
      )}
    </article>
  );
}
