import { exactInteger } from '../declare/exact-integer.ts';
import { requestVariableInvalid } from '../errors.ts';

/** The anchor for the newest message (reference facts, messages 6.3); exactly a double. */
export const newestAnchor = 10_000_000_000_000_000;

export type AnchorId = {
  readonly id: number;
  /** In the form of the answer. */
  readonly asSent: number | object;
};

export type Anchor = AnchorId | 'first_unread';

export function anchorAt(id: number): AnchorId {
  return { id, asSent: id };
}

const namedAnchors = new Map<string, Anchor>([
  ['newest', anchorAt(newestAnchor)],
  ['oldest', anchorAt(0)],
  ['first_unread', 'first_unread'],
]);

const largestId = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Reads an anchor (reference facts, messages 6.3). An anchor beyond the exact integers of a double, other than `newestAnchor`, is only
 * large: it is cut there, and answered as it was sent.
 *
 * @throws ApiError `REQUEST_VARIABLE_INVALID` for a text that is neither a name nor an integer
 */
export function parseAnchor(raw: string, name: string): Anchor {
  const named = namedAnchors.get(raw);
  if (named !== undefined) return named;
  const match = /^\s*([+-]?)(\d{1,100})\s*$/.exec(raw);
  if (match === null) throw requestVariableInvalid(name, raw);
  const size = BigInt(match[2] ?? '');
  const anchor = match[1] === '-' ? -size : size;
  if (anchor === BigInt(newestAnchor)) return anchorAt(newestAnchor);
  if (size <= largestId) return anchorAt(Number(anchor));
  return { id: Number(anchor < 0n ? -largestId : largestId), asSent: exactInteger(anchor) };
}
