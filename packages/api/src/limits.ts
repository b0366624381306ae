/**
 * Every limit that a client can notice, in one place. Lengths of names and texts count
 * code points unless the name says bytes.
 */
export const limits = {
  /** Contract, Limits: topic (subject). */
  topicMaxCodePoints: 60,
  /** Contract, Limits: what is accepted intact. Beyond it the text is cut, never refused (reference facts, messages 3.4). */
  contentMaxCodePoints: 10_000,
  /** A form of a few dozen choices; every fetch of the message brings it. */
  widgetContentMaxCodePoints: 10_000,
  /** A vote or an answer is a few words, and each fetch of a message brings all of its submessages. */
  submessageTypeMaxCodePoints: 60,
  submessageMaxCodePoints: 10_000,
  /** Messages of an account that wait for their delivery: each is sent by the server itself, whatever the rate of its sender's requests. */
  deferredMessagesMax: 500,
  /** Contract, Limits: `num_before + num_after` of GET messages. */
  messagesPerRequestMax: 5000,
  /** Different terms of a narrow: each is part of a statement, or asked of every message that a queue may get. */
  narrowTermsMax: 50,
  /** What one edit of a topic may move: one entry of the log names all of them, and each gets its words anew, ... */
  messagesMovedMax: 50_000,
  /** ... which takes half a minute at worst for HTML of this size together. */
  movedBytesMax: 16 * 1024 * 1024,
  /** Edits of a message, the newest, that it lists and that its history lists. */
  editsListedMax: 100,
  /** Reference facts, streams: a stream name. */
  streamNameMaxCodePoints: 60,
  /** Reference facts, streams: a stream description. */
  streamDescriptionMaxCodePoints: 1024,
  /** How long a register may wait for its turn; clients wait longer than this and the gateway's time for a service together. */
  registerWaitMaxMs: 30_000,
  /** Elements of `subscription_data`: nine properties of some five hundred streams, in one entry of the log. */
  subscriptionPropertiesMax: 5000,
  /** People times streams of one request that subscribes or unsubscribes: it is one transaction and one entry of the log. */
  subscriptionPairsMax: 50_000,
  /** An alert word, as later releases of the reference server limit it. */
  alertWordMaxCodePoints: 100,
  /** Of one account; every send looks for those of all. */
  alertWordsMax: 1000,
  /** Reference facts, people 2.7: the stored client name; longer ones are cut. */
  clientNameMaxCodePoints: 30,
  /** Reference facts, people 7.6. */
  fullNameMaxCodePoints: 100,
  /** Reference facts, events 15.3. */
  statusTextMaxCodePoints: 60,
  /** The choices of a profile field, and the configuration of a bot, as JSON text: events and answers carry them whole. */
  smallJsonMaxLength: 10_000,
  /** Every change of one is an event that tells all of them. */
  profileFieldsMax: 200,
  /** People in a person picker. */
  pickedPeopleMax: 1000,
  /** Reference facts, people 4: an API key is exactly so long. */
  apiKeyLength: 32,
  /** Reference facts, people 7.8, 11.1 and 14.3: avatars, custom emoji, icon and logo. */
  pictureMaxBytes: 5 * 1024 * 1024,
  /** How long one may wait for its turn, ... */
  pictureWaitMaxMs: 5_000,
  /** ... and then be in work on a machine that is busy; mostly it takes far less than a second. */
  pictureWorkMaxMs: 10_000,
  /** Reference facts, streams 9: the name of a user group. */
  groupNameMaxCodePoints: 100,
  /** Descriptions of groups go to everybody at register, so they are no longer than those of streams. */
  groupDescriptionMaxCodePoints: 1024,
  /** User groups, and members of all of them together: everybody gets all at register. */
  userGroupsMax: 1000,
  userGroupMembersMax: 200_000,
  /** Of one account; every change is an event that tells all of them. */
  mutedTopicsMax: 2000,
  /** Reference facts, people 14.1: the organization's name and description. */
  organizationNameMaxCodePoints: 40,
  organizationDescriptionMaxCodePoints: 1000,
  /** Every send looks for each of them; ordinary organizations have a handful. */
  linkifiersMax: 100,
  /** A pattern fits an index of the database whatever its script. */
  linkifierPatternMaxCodePoints: 500,
  /** As long as a URL may be for every browser. */
  linkifierUrlMaxCodePoints: 2000,
  /** Custom emoji, deactivated ones included: everybody gets all of them with each change. */
  realmEmojiMax: 5000,
  realmEmojiNameMaxLength: 100,
  /** Domains that addresses may be restricted to. */
  realmDomainsMax: 1000,
  /** Reference facts, people 2.2: a body above its endpoint's bound is refused with 413. No bound is above this, but for uploads. */
  anyBodyMaxBytes: 25 * 1024 * 1024,
  /** Of an endpoint that nobody has to sign in for, and of a form that brings the key. */
  anonymousBodyMaxBytes: 64 * 1024,
  /** Of every other endpoint: a message of the longest content in escapes takes an eighth of it. */
  bodyMaxBytes: 1024 * 1024,
  /** Of an endpoint that takes people and streams by name: as many as `subscriptionPairsMax`, with the escapes of an ordinary form. */
  subscriptionBodyMaxBytes: 4 * 1024 * 1024,
  /** Services send whole commits, builds and alerts. */
  webhookBodyMaxBytes: 4 * 1024 * 1024,
  /** Where an outgoing-webhook bot reports to, and what its service is called. */
  botServiceUrlMaxCodePoints: 2000,
  botServiceNameMaxCodePoints: 100,
  /** What one bot may store, with the escapes of an ordinary form. */
  storageBodyMaxBytes: 12 * 1024 * 1024,
  /** Of one account: storing them is one statement, of some ten microseconds for each, while the account is locked. */
  storageKeysMax: 10_000,
  /** Reference facts, people 2.2: more fields than this are refused with 400. */
  bodyFieldsMax: 1000,
  /** Reference facts, people 2.3: the largest converted number. */
  convertedNumberMax: 4_294_967_295,
} as const;
