/**
 * How much a list of messages reads before it looks elsewhere. What it gives never depends on these numbers, only what it costs;
 * tests make them small, so that short histories go every way.
 */
export const listSizes = {
  /** So many ids next to the edge are judged before anything is walked: twenty pages of the primary key ... */
  nearIds: 2_000,
  /** ... or so many times the list ... */
  nearOfLimit: 4,
  /** ... or so many for each range, for many ranges are dear to walk. */
  nearForRange: 10,
  /** An index with no more entries than this is read whole: some thirty pages. */
  wholeMax: 2_000,
  /** Pages of an index of so many entries, newly made or half empty. */
  wholePagesMax: 60,
  /** No more ranges than this are walked for less than reading an index whole. */
  rangesBeforeWhole: 50,
  /** Of each range so many ids are read at first, or that part of the list: then few ranges are walked on. */
  firstOfRange: 4,
  firstPartOfLimit: 25,
  /** A stream with no more topics that are not muted than this is read topic by topic: what is muted can be most of it. */
  unmutedTopicsMax: 3,
  /** So many conversations with unread messages are asked at a time, or that part of the list. */
  conversationsAtOnce: 100,
  conversationsPartOfLimit: 50,
  /** Before them so many of the ids that follow are judged, or so many times the list: where much is unread they are enough. */
  windowIds: 2_000,
  windowOfLimit: 2,
  /** Moved messages are read whole if there are no more than this: fifty pages of their index. */
  movedMax: 5_000,
  /** No more unread messages than this are read for the words in them: a fifth of a second. */
  unreadBeforeWords: 5_000,
  /** Of more streams than this the conversations are read with those of all streams, which lie closer together. */
  manyStreams: 50,
};
