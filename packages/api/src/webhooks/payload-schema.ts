import { Type } from 'typebox';
import type { TObject, TProperties } from 'typebox';

/** An object of a payload. Its schema names only what is read: everything else is let be. */
export function record<Members extends TProperties>(members: Members): TObject<Members> {
  return Type.Object(members);
}
