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
export {
  checkEditingIsOn,
  checkMayDeleteMessage,
  checkMayEditMessage,
  checkMayReadEditHistory,
  getVisibleHistory,
} from './message-changes.ts';
export {
  capRole,
  checkMayAdminister,
  checkMayCreateBot,
  getActor,
  getAdministrator,
  lockAdministrator,
  lockCaller,
  lockOwnAccount,
  operator,
} from './people-access.ts';
export {
  checkMayAddEmoji,
  checkMayEditGroup,
  checkMayEditGroups,
  checkMayRemoveEmoji,
} from './organization-access.ts';
export { findReadableFile } from './file-access.ts';
export type { ReadableFile } from './file-access.ts';
export { checkListRoom, findTextRoom, TextRoom } from './list-room.ts';
export type { Growth } from './list-room.ts';
