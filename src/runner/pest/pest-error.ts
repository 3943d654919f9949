/** A PEST file that cannot be used; the message names the file and the line, and says what to do. */
export class PestFileError extends Error {
  override readonly name = 'PestFileError';
}
