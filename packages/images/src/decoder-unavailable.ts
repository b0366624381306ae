/** Nothing is said about the picture: it could not be looked at, and may be sent again. */
export class DecoderUnavailable extends Error {
  override readonly name = 'DecoderUnavailable';
}
