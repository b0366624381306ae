export {
  findAccountsByKeys,
  findApiKey,
  findApiKeys,
  generateApiKey,
  openApiKey,
  sealApiKey,
  setApiKey,
  setApiKeys,
} from './people/api-keys.ts';
export type { KeyAccount } from './people/api-keys.ts';
export * from './people/linked-identities.ts';
export * from './people/sessions.ts';
export * from './people/sign-in-attempts.ts';
export {
  countStoredSecrets,
  renewStoredSecrets,
  sumStoredSecrets,
} from './people/stored-secrets.ts';
export type { StoredSecretCounts, StoredSecrets } from './people/stored-secrets.ts';
export {
  deactivateRealm,
  findRealm,
  findRealmPicture,
  getRealm,
  lockRealmForChange,
  lockRealmInUse,
  reactivateRealm,
  setRealmNotificationStreams,
  setRealmPicture,
  updateRealm,
} from './organization/realm.ts';
export type { Realm, RealmChange, RealmPicture } from './organization/realm.ts';
export * from './organization/realm-domains.ts';
export {
  accountPeriodsOf,
  countActiveBots,
  findNotificationBot,
  findSignInAccount,
  findUserByEmail,
  findUserById,
  findUsersByEmails,
  findUsersByIds,
  getUser,
  isEmailTaken,
  listActiveUserIds,
  listBots,
  listUsers,
  setAccountStates,
  setPointer,
  setUserEmail,
  updateUser,
} from './people/users.ts';
export type { SignInAccount, User, UserChange } from './people/users.ts';
export * from './people/user-locks.ts';
export { applyEmailPolicy, createUser, createUsers, drawUserIds } from './people/new-users.ts';
export type { NewUser } from './people/new-users.ts';
export { createOrganizationRows } from './bots/system-bots.ts';
export * from './people/avatars.ts';
export {
  findBotServices,
  openBotSecrets,
  sealBotSecrets,
  setBotService,
} from './bots/bot-services.ts';
export type { BotService } from './bots/bot-services.ts';
export { deleteBotStorage, readBotStorage, writeBotStorage } from './bots/bot-storage.ts';
export * from './bots/bot-default-streams.ts';
export * from './bots/bot-details.ts';
export * from './people/profile-fields.ts';
export * from './people/user-status.ts';
export * from './people/presence.ts';
export * from './people/user-settings.ts';
export { isHotspot, nextHotspots } from './people/hotspots.ts';
export * from './organization/languages.ts';
export * from './people/shown-email.ts';
export {
  createStream,
  createStreams,
  deactivateStreams,
  findStreamById,
  findStreamByName,
  findStreamsByNames,
  findStreamsByIds,
  listStreams,
  lockStreamInUse,
  lockStreams,
  streamNameFault,
  updateStream,
} from './streams/streams.ts';
export type { Stream, StreamChange, StreamSources } from './streams/streams.ts';
export * from './streams/default-streams.ts';
export * from './organization/made-counts.ts';
export { lockListSizes, readListSizes } from './organization/shared-lists.ts';
export type { SharedList } from './organization/shared-lists.ts';
export { readRowVersions } from './organization/row-versions.ts';
export type { VersionedTable } from './organization/row-versions.ts';
export { countTopics, listTopics } from './streams/topics.ts';
export * from './streams/stream-traffic.ts';
export {
  closeAccountMemberships,
  closeStreamMemberships,
  findAbandonedStreams,
  listEverMembers,
  findKnownStreamId,
  findMemberships,
  findOccupiedStreams,
  isMember,
  knowsOfStream,
  listMemberEmails,
  listMemberTexts,
  readMemberVersions,
  listMembers,
  membersAsOf,
  membershipPeriodsOf,
  openAccountMemberships,
  openBacklog,
  streamColors,
  subscribe,
  subscribeToStreams,
  subscribedStreamIds,
  unsubscribe,
} from './streams/memberships.ts';
export type { Membership, NewMembership } from './streams/memberships.ts';
export { findBacklog } from './messages/backlog.ts';
export * from './streams/subscription-settings.ts';
export { findSubscriptions, resolvedSubscription } from './streams/stored-subscriptions.ts';
export * from './streams/muted-topics.ts';
export * from './people/alert-words.ts';
export {
  deleteEventQueue,
  deleteEventQueuesOf,
  deleteIdleEventQueues,
  findEventQueue,
  findEventQueues,
  insertEventQueues,
  listEventQueues,
  readClock,
  touchEventQueues,
} from './queues/event-queues.ts';
export type { EventQueueRow, QueueRefusal } from './queues/event-queues.ts';
export {
  createTopicConversations,
  ensurePrivateConversation,
  ensureTopicConversation,
  findPrivateConversation,
  findTopicConversation,
  privateConversationIdsOf,
} from './messages/conversations.ts';
export {
  addLateReceipt,
  changeFlag,
  clearWildcardMentions,
  listFlagsOfHolders,
  listStarred,
  renewImpliedFlags,
} from './messages/flags.ts';
export type { MessageOfUser } from './messages/flags.ts';
export { flagBits, namesOfFlags } from './messages/message-sql.ts';
export type { FlagName } from './messages/message-sql.ts';
export {
  listUnreadOfLeavers,
  lockReadState,
  markAllRead,
  markRead,
  markStreamRead,
  markTopicRead,
  setFirstStreamFloors,
  setStreamFloorsAtChange,
  unreadListedMax,
} from './read-state/read-state.ts';
export type { UnreadOfLeaver } from './read-state/read-state.ts';
export * from './read-state/unread-state.ts';
export * from './messages/received-messages.ts';
export { listRecentConversations } from './messages/recent-conversations.ts';
export * from './search/stop-words.ts';
export * from './messages/sent-messages.ts';
export {
  addSideEffects,
  claimSideEffect,
  countSideEffects,
  listDueSideEffects,
  listDueSideEffectsOfBots,
  lockSideEffectCursor,
  moveSideEffectCursor,
  postponeSideEffect,
  removeSideEffect,
  saveSideEffectProgress,
} from './messages/side-effects.ts';
export type { BotEffectBounds, SideEffectClaim, SideEffectKey } from './messages/side-effects.ts';
export * from './messages/drafts.ts';
export {
  addDeferredMessage,
  cancelDeferredMessage,
  measureDeferredMessages,
  findDeferredMessage,
  listDeferredMessages,
  removeDeferredMessage,
  takeDueDeferredMessage,
} from './messages/deferred-messages.ts';
export type { DeferredMessage, WaitingMessage } from './messages/deferred-messages.ts';
export {
  findNamedInMessage,
  findPrivateSendFacts,
  findStreamSendFacts,
  getSendRealm,
  translatesEmoticons,
} from './messages/send-facts.ts';
export type {
  NamedInMessage,
  PrivateSendFacts,
  PrivateSendQuestion,
  SendFactsRead,
  SendPerson,
  SendRealm,
  SendSender,
  StreamAddress,
  StreamSendFacts,
  StreamSendQuestion,
} from './messages/send-facts.ts';
export * from './messages/thumbnails.ts';
export * from './lists/list-sizes.ts';
export {
  asList,
  flaggedSql,
  groupsWithSql,
  mutedSql,
  readerSql,
} from './lists/list-sources-sql.ts';
export type { ListHints, MessageCondition } from './lists/list-sources-sql.ts';
export { findIdsAtTime } from './lists/message-times.ts';
export { readSql } from './messages/message-sql.ts';
export {
  holdsMessage,
  isOpenTo,
  isReactingBot,
  getsStreamEvents,
  mayReadStream,
  maySeeStream,
  sharesHistory,
} from './visibility/visibility.ts';
export type { Viewer } from './visibility/visibility.ts';
export {
  holdsMessageSql,
  isReactingBotSql,
  isOpenToSql,
  getsStreamEventsSql,
  knowsOfStreamSql,
  mayReadHistorySql,
  mayReadStreamSql,
  maySeeMessageSql,
  publicStreamsSql,
} from './visibility/visibility-sql.ts';
export type { FlaggedMessage, ListedMessage, ListedPage } from './lists/listed-page.ts';
export {
  MessageListBuilder,
  findFirstMessageUpTo,
  findFirstUnreadOf,
  findVisibleMessage,
  holdsAnyOf,
  listHeldOf,
  listMessageOfCall,
  listMessages,
} from './messages/messages.ts';
export type { MessageFacts, MessagePage } from './messages/messages.ts';
export { pageSideBytesMax, readShownMessages } from './messages/shown-messages.ts';
export type { MessageToRead, MessageTexts, ShownMessage } from './messages/shown-messages.ts';
export * from './people/shown-names.ts';
export {
  editMessage,
  findMessageHistory,
  getEditedMessageFacts,
  listPropagated,
  lockForChange,
  moveMessages,
} from './messages/edits.ts';
export type {
  EditRecord,
  EditedMessageFacts,
  MessageHistory,
  NewContent,
  NewTopic,
  PastEdit,
} from './messages/edits.ts';
export * from './messages/deletions.ts';
export { findHeldMessage, listHeldMessages } from './messages/message-holders.ts';
export { listKeptTopics } from './messages/kept-messages.ts';
export type { KeptTopic } from './messages/kept-messages.ts';
export * from './messages/message-maintenance.ts';
export {
  addUpload,
  claimNewFiles,
  findClaimableUploads,
  findUpload,
  forgetRemovedFile,
  getAttachmentsOf,
  listAttachments,
  listNotedFiles,
  noteNewFile,
  noteNewFiles,
  noteUnusedFile,
  removeUpload,
  replaceMessageUploads,
  storageKeyOf,
  takeFilesToRemove,
} from './messages/uploads.ts';
export type { ClaimableUpload } from './messages/uploads.ts';
export { foldPhrases, phrasesSql } from './search/search-phrases.ts';
export * from './search/search-backlog.ts';
export { SourceText, escapeTopic, foldWords, readHtml } from './search/search-text.ts';
export {
  allOfWords,
  readSearchedWords,
  searchWords,
  sentSearchWords,
  wordFinder,
} from './search/search-words.ts';
export type { TextRange } from './search/search-words.ts';
export * from './messages/seen-messages.ts';
export {
  addRealmEmoji,
  deactivateRealmEmoji,
  drawEmojiId,
  findRealmEmoji,
  isEmojiFile,
  listRealmEmoji,
  lockRealmEmoji,
} from './organization/emoji.ts';
export type { AuthoredEmoji, RealmEmojiFacts } from './organization/emoji.ts';
export * from './organization/linkifiers.ts';
export * from './people/user-groups.ts';
export { addReaction, reactionTypeOf, removeReaction } from './messages/reactions.ts';
export type { EmojiKey, ReactedEmoji, ReactionType } from './messages/reactions.ts';
export { addSubmessage, drawSubmessageId } from './messages/submessages.ts';
export {
  claimMail,
  countWaitingMails,
  deleteOldFailedMails,
  failLeftMails,
  failMail,
  insertMail,
  insertMails,
  listDueMails,
  listMails,
  postponeMail,
  removeMail,
  resetKind,
} from './mails/mails.ts';
export type { ClaimedMail, ListedMail, MailLane, NewMail } from './mails/mails.ts';
export {
  countInvitations,
  deleteInvitation,
  deleteOldInvitations,
  findInvitation,
  insertInvitation,
  listInvitations,
  lockInvitationInUse,
  renewInvitation,
  takeInvitation,
} from './people/invitations.ts';
export type { Invitation, ListedInvitation, NewInvitation } from './people/invitations.ts';
export { findSignInPlaces, noteSignInPlaces } from './people/sign-in-places.ts';
