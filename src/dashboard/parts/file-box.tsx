/** Takes a file that is dropped or chosen. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { decodeText } from './decode-text.ts';
import './file-box.css';

interface FileBoxProps {
  readonly label: string;
  /** The outcome of the last file. */
  readonly said: string;
  onSay(said: string): void;
  /** Takes the text of the file, or the file itself. Returns a message about it. */
  onText?(text: string, fileName: string): string;
  onFile?(file: File): Promise<string>;
  /** Types of the files that are taken, and the text of the button; default: CSV. */
  readonly accept?: string;
  readonly choose?: string;
  /** Above the button that chooses a file. */
  readonly children: ComponentChildren;
  /** Beside that button. */
  readonly buttons?: ComponentChildren;
}

const CSV = '.csv,.tsv,.txt,text/csv,text/plain';
/** Larger files are not read: the service would refuse them as well. */
const MAXIMUM_BYTES = 32 * 1024 * 1024;

/** In a dialog, files may be dropped anywhere on it. Files dropped elsewhere are ignored; otherwise the browser would open them. */
export function FileBox(props: FileBoxProps) {
  const { label, said, onSay, onText, onFile, accept = CSV, choose = 'Choose a CSV file', children, buttons } = props;
  const [isOver, setOver] = useState(false);
  const box = useRef<HTMLFieldSetElement>(null);
  const takeFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAXIMUM_BYTES) {
      onSay(`${file.name} is larger than 32 MB. Choose a smaller file.`);
      return;
    }
    try {
      if (onFile) onSay(await onFile(file));
      else onSay(onText!(decodeText(new Uint8Array(await file.arrayBuffer())), file.name));
    } catch {
      onSay(`${file.name} cannot be read.`);
    }
  };
  const take = useRef(takeFile);
  take.current = takeFile;
  useEffect(() => {
    const area = box.current!.closest('dialog') ?? box.current!;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const isHere = area.contains(event.target as Node);
      setOver(isHere && event.type === 'dragover');
      if (isHere && event.type === 'drop') void take.current(event.dataTransfer.files[0]);
    };
    document.addEventListener('dragover', follow, { signal });
    document.addEventListener('drop', follow, { signal });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && setOver(false), { signal });
    return () => stop.abort();
  }, []);
  return (
    <fieldset ref={box} class={isOver ? 'file-box over' : 'file-box'}>
      <legend class="visually-hidden">{label}</legend>
      {children}
      <div class="file-buttons">
        {buttons}
        <label class="button file">
          {choose}
          <input
            type="file"
            accept={accept}
            onChange={({ currentTarget }) => {
              void takeFile(currentTarget.files?.[0]);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <p role="status" class="said">
        {said}
      </p>
    </fieldset>
  );
}
