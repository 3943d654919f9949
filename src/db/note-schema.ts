/** Types of the tables of notes and their files, as in schema.ts. */
import type { Generated } from 'kysely';

interface NotesTable {
  id: Generated<number>;
  account_id: number;
  objective_id: number;
  inverse_id: number | null;
  iteration: number | null;
  text: string;
  written_by: string;
  created_at: Generated<Date>;
  edited_by: string | null;
  edited_at: Date | null;
  disabled_at: Date | null;
  counts_from: Date | null;
  file_name: string | null;
  file_type: string | null;
  file_bytes: number | null;
  content: Buffer | null;
  storage_key: string | null;
  thumbnail: Buffer | null;
}

/** Keys of a store of objects whose files go when they are due. */
interface FileRemovalsTable {
  storage_key: string;
  due_at: Date;
}

export interface NoteTables {
  notes: NotesTable;
  file_removals: FileRemovalsTable;
}
