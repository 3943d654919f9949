/** A PEtab problem that cannot be used; the message names the file and says what to do. */
export class PetabError extends Error {
  override readonly name = 'PetabError';
}
