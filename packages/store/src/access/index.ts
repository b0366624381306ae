export {
  checkMaySubscribeOthers,
  checkStreamSources,
  filterReadableStreams,
  findReadableStream,
  getReadableStream,
  mayCreateStreams,
  mayReadStream,
  maySeeStream,
  maySubscribeOthers,
  maySubscribeTo,
  sharesHistory,
} from './stream-access.ts';
export {
  checkMaySendToStream,
  checkParticipantCount,
  getLockedMessage,
  getSeenMessage,
  getVisibleMessage,
} from './message-access.ts';
export * from './message-changes.ts';
export * from './people-access.ts';
export * from './organization-access.ts';
export * from './file-access.ts';
export * from './list-room.ts';
