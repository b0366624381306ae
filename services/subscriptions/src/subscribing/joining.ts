import type { NewMembership, Stream } from '@parley/store';

import type { NamedStream } from './stream-names.ts';

/** A requested stream that exists now. */
export type WantedStream = {
  readonly stream: Stream;
  readonly wanted: NamedStream;
  readonly isNew: boolean;
};

/** A stream with its new members. */
export type Joining = WantedStream & { readonly members: readonly NewMembership[] };

/** @returns the streams that the request created */
export function createdIds(joined: readonly Joining[]): number[] {
  return joined.filter(({ isNew }) => isNew).map(({ stream }) => stream.id);
}

/** A stream with the members who just left it. */
export type Leaving = { readonly stream: Stream; readonly userIds: readonly number[] };
