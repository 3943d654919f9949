/** Actions on an objective as a whole. */
import { useEffect, useState } from 'preact/hooks';
import { StopReason } from '../../../../../clients/typescript/src/index.ts';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { onDemand } from '../../../parts/on-demand.tsx';
import { service } from '../../../shell/service.ts';
import { may } from '../../../shell/session.ts';
import { correcting } from '../corrections/correcting.ts';
import { offersRelaxing } from '../diagnosis/diagnosis.tsx';
import type { Run } from '../state/history.ts';
import './actions.css';

// Loaded on demand, because few visits open one.
const AddDataDialog = onDemand(async () => (await import('./add-data-dialog.tsx')).AddDataDialog);
const CorrectDialog = onDemand(async () => (await import('../corrections/correct-dialog.tsx')).CorrectDialog);
const GoOnDialog = onDemand(async () => (await import('./go-on-dialog.tsx')).GoOnDialog);
const ParallelDialog = onDemand(async () => (await import('./parallel-dialog.tsx')).ParallelDialog);
const TargetsDialog = onDemand(async () => (await import('./targets-dialog.tsx')).TargetsDialog);
const ShareDialog = onDemand(async () => (await import('../../links/share-dialog.tsx')).ShareDialog);

type Opened = 'go-on' | 'stop' | 'parallel' | 'data' | 'targets' | 'share';

/** Empty for sessions that may only read. */
export function Actions({ run }: { readonly run: Run }) {
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  // Another objective has other runs.
  useEffect(
    () => () => {
      correcting.value = undefined;
    },
    [run],
  );
  if (!may('write')) return null;
  const head = run.head.value;
  const isRunning = head.stopReason === StopReason.RUNNING;
  const close = () => setOpened(undefined);
  const stop = async () => {
    await service.call('stopObjective', { path: { objective_id: run.objectiveId } });
    close();
    run.refresh();
  };
  const corrected = correcting.value;
  return (
    <section class="actions" aria-label="Actions">
      {!isRunning && <h2>What next?</h2>}
      {head.isResumable && (
        <button type="button" class={offersRelaxing(head) ? undefined : 'primary'} onClick={() => setOpened('go-on')}>
          Go on…
        </button>
      )}
      <button type="button" onClick={() => setOpened('targets')}>
        Change targets…
      </button>
      <button type="button" onClick={() => setOpened('data')}>
        Add data…
      </button>
      <button type="button" onClick={() => setOpened('share')}>
        Share or tell…
      </button>
      {isRunning && (
        <>
          <button type="button" onClick={() => setOpened('parallel')}>
            Parallel runs…
          </button>
          <button type="button" onClick={() => setOpened('stop')}>
            Stop…
          </button>
        </>
      )}
      {opened === 'stop' && (
        <ConfirmDialog title="Stop this objective?" action="Stop it" onConfirm={stop} onClose={close}>
          <p>
            No further inputs are suggested, and open runs are given up. All runs are kept. To continue later, change
            the targets: this creates a new objective that knows all runs.
          </p>
        </ConfirmDialog>
      )}
      {opened === 'go-on' && <GoOnDialog run={run} onClose={close} />}
      {opened === 'parallel' && <ParallelDialog run={run} onClose={close} />}
      {opened === 'data' && <AddDataDialog head={head} onAdded={run.refresh} onClose={close} />}
      {corrected !== undefined && (
        <CorrectDialog
          key={corrected.target.name}
          run={run}
          {...corrected}
          onClose={() => {
            correcting.value = undefined;
          }}
        />
      )}
      {opened === 'share' && <ShareDialog objectiveId={run.objectiveId} onClose={close} />}
      {opened === 'targets' && <TargetsDialog head={head} onClose={close} />}
    </section>
  );
}
