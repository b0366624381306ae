/** The picture could not be examined, which says nothing about it; it may be sent again. */
export class DecoderUnavailable extends Error {
  override readonly name = 'DecoderUnavailable';
}
