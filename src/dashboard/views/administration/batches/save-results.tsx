import { fileName } from '../../../../presentation/file-name.ts';
import { save } from '../../../parts/export.ts';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import { service } from '../../../shell/service.ts';

interface SaveResultsProps {
  readonly batchId: number;
  readonly name: string;
}

/** Saves the best run of every objective of a batch. */
export function SaveResults({ batchId, name }: SaveResultsProps) {
  const { isBusy, error, send } = useSending();
  const write = async () => {
    const { body } = await service.call('listBatchObjectives', { path: { batch_id: batchId }, accept: 'text/csv' });
    save(fileName(name, 'csv'), body as unknown as string, 'text/csv;charset=utf-8');
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void send(write)}>
        Save CSV<span class="visually-hidden"> of {name}</span>
      </button>
      <Fault error={error} />
    </>
  );
}
