import type { NewMembership, Stream } from '@parley/store';

import type { NamedStream } from './stream-names.ts';

/** A stream of a request that exists by now. */
export type WantedStream = {
  readonly stream: Stream;
  readonly wanted: NamedStream;
  readonly isNew: boolean;
};

/** A stream with those who have just joined it. */
export type Joining = WantedStream & { readonly members: readonly NewMembership[] };

/** @returns the streams among them that the request has created */
export function createdIds(joined: readonly Joining[]): number[] {
  return joined.filter(({ isNew }) => isNew).map(({ stream }) => stream.id);
}

/** A stream with those who have just left it. */
export type Leaving = { readonly stream: Stream; readonly userIds: readonly number[] };
