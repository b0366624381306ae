/** The archive cannot be imported: what is wrong with it, for people. Nothing of it is kept. */
export class ImportFault extends Error {
  override readonly name = 'ImportFault';
}

/** One record cannot be read or has no place here; the others go on. */
export class RecordFault extends Error {
  override readonly name = 'RecordFault';
}
