/**
 * How much a list of messages reads from one source before it tries another. These numbers affect only the cost, never the result; tests
 * make them small, so that short histories take every path.
 */
export const listSizes = {
  /** This many ids next to the edge are checked before any walk: twenty pages of the primary key ... */
  nearIds: 2_000,
  /** ... or this many times the length of the list ... */
  nearOfLimit: 4,
  /** ... or this many for each range, because many ranges are expensive to walk. */
  nearForRange: 10,
  /** An index with at most this many entries is read whole: some thirty pages. */
  wholeMax: 2_000,
  /** Pages of an index of that many entries, newly made or half empty. */
  wholePagesMax: 60,
  /** At most this many ranges are walked instead of reading an index whole. */
  rangesBeforeWhole: 50,
  /** This many ids of each range are read first, or this part of the list: then few ranges need more. */
  firstOfRange: 4,
  firstPartOfLimit: 25,
  /** A stream with at most this many topics that are not muted is read topic by topic, because most of it may be muted. */
  unmutedTopicsMax: 3,
  /** This many conversations with unread messages are read at a time, or this part of the list. */
  conversationsAtOnce: 100,
  conversationsPartOfLimit: 50,
  /** Before them, this many of the next ids are checked, or this many times the list: they suffice where much is unread. */
  windowIds: 2_000,
  windowOfLimit: 2,
  /** Moved messages are read whole if there are at most this many: fifty pages of their index. */
  movedMax: 5_000,
  /** At most this many unread messages are read to search their words: a fifth of a second. */
  unreadBeforeWords: 5_000,
  /** For more streams than this, the conversations are read with those of all streams, which lie closer together. */
  manyStreams: 50,
};
