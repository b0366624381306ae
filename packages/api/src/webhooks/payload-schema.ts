import { Type } from 'typebox';
import type { TObject, TProperties } from 'typebox';

/** An object of a payload. Its schema lists only the members that are used; others are ignored. */
export function record<Members extends TProperties>(members: Members): TObject<Members> {
  return Type.Object(members);
}
