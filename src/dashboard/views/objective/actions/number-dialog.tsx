import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { readNumber } from '../../../parts/read-number.ts';
import { useSending } from '../../../parts/sending.ts';
import { faultsByPointer, withoutShown } from '../../../parts/violations.ts';
import { service } from '../../../shell/service.ts';
import type { Run } from '../state/history.ts';

interface NumberDialogProps {
  readonly run: Run;
  readonly title: string;
  /** The label of the button. */
  readonly action: string;
  /** The field that is changed, and its name for people. */
  readonly field: 'maximumAttempts' | 'parallelism';
  readonly name: string;
  readonly proposed: number;
  /** Changed together with the number. */
  readonly others?: { readonly holdBack?: boolean };
  onClose(): void;
  /** Below the field. */
  readonly children: ComponentChildren;
}

/** Changes a number of the objective. */
export function NumberDialog({ run, title, action, field, name, proposed, others, ...props }: NumberDialogProps) {
  const [text, setText] = useState(String(proposed));
  const [hasTried, setTried] = useState(false);
  const sending = useSending();
  const { value, fault } = readNumber(text);
  const pointer = `/${field}`;
  const send = () => {
    setTried(true);
    if (value === undefined) return;
    void sending.send(async () => {
      const body = { [field]: value, ...others };
      await service.call('updateObjective', { path: { objective_id: run.objectiveId }, body });
      props.onClose();
      run.refresh();
    });
  };
  return (
    <FormDialog
      title={title}
      action={action}
      sending={sending}
      error={withoutShown(sending.error, (at) => at === pointer)}
      onSubmit={send}
      onClose={props.onClose}
    >
      <NumberField
        id={useId()}
        name={name}
        text={text}
        fault={(hasTried ? fault : undefined) ?? faultsByPointer(sending.error).get(pointer)}
        onText={setText}
      />
      {props.children}
    </FormDialog>
  );
}
