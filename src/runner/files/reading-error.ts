/** Thrown for an output that is not plainly that of the run. The message is a clause about the file, and shows the line. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
}
