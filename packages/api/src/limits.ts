/**
 * Every limit that a client can notice, in one place. Lengths of names and texts count code points unless the name says bytes.
 */
export const limits = {
  /** Contract, Limits: topic (subject). */
  topicMaxCodePoints: 60,
  /** Contract, Limits: the longest text that is accepted intact. A longer one is cut, never refused (reference facts, messages 3.4). */
  contentMaxCodePoints: 10_000,
  /** Enough for a form of a few dozen choices; every fetch of the message contains it. */
  widgetContentMaxCodePoints: 10_000,
  /** A vote or an answer is a few words, and each fetch of a message contains all of its submessages. */
  submessageTypeMaxCodePoints: 60,
  submessageMaxCodePoints: 10_000,
  /** People of one private conversation, whatever `PARLEY_PRIVATE_PARTICIPANTS_MAX` allows new messages: an index has all of them in one row. */
  participantsStoredMax: 600,
  /** Deferred messages of an account: the server sends each itself, outside the rate limit of the sender's requests. */
  deferredMessagesMax: 500,
  /** Their texts and HTML, which register and a list return whole; one message is always taken. */
  deferredTextsMaxBytes: 384 * 1024,
  /** Drafts of an account, and their texts; register and a list return them whole, and one is always taken. */
  draftsMax: 200,
  draftTextsMaxBytes: 384 * 1024,
  /** Contract, Limits: `num_before + num_after` of GET messages. */
  messagesPerRequestMax: 5000,
  /** Different terms of a narrow: each is part of a statement, or is checked for every message that a queue may get. */
  narrowTermsMax: 50,
  /** The most messages that one edit of a topic moves: one entry of the log lists all of them, and each gets new search words, ... */
  messagesMovedMax: 50_000,
  /** ... which takes at worst half a minute for HTML of this total size. */
  movedBytesMax: 16 * 1024 * 1024,
  /** The most edits, the newest ones, that a message and its history list. */
  editsListedMax: 100,
  /** Reference facts, streams: a stream name. */
  streamNameMaxCodePoints: 60,
  /** Reference facts, streams: a stream description. */
  streamDescriptionMaxCodePoints: 1024,
  /** The longest wait of a register for its turn; clients wait longer than this and the gateway's time limit for a service together. */
  registerWaitMaxMs: 30_000,
  /** Elements of `subscription_data`: nine properties of some five hundred streams, in one entry of the log. */
  subscriptionPropertiesMax: 5000,
  /** The most people times streams in one request that subscribes or unsubscribes: it is one transaction and one entry of the log. */
  subscriptionPairsMax: 50_000,
  /** An alert word, with the limit of later releases of the reference server. */
  alertWordMaxCodePoints: 100,
  /** Of one account; every send searches for those of all accounts. */
  alertWordsMax: 1000,
  /** Reference facts, people 2.7: the stored client name; a longer one is cut. */
  clientNameMaxCodePoints: 30,
  /** Reference facts, people 7.6. */
  fullNameMaxCodePoints: 100,
  passwordMinLength: 6,
  /** Reference facts, events 15.3. */
  statusTextMaxCodePoints: 60,
  /** The choices of a profile field, and the configuration of a bot, as JSON text: events and answers contain them whole. */
  smallJsonMaxLength: 10_000,
  /** Every change of one is an event with all of them. */
  profileFieldsMax: 200,
  /** People in a person picker. */
  pickedPeopleMax: 1000,
  /** Reference facts, people 4: the exact length of an API key. */
  apiKeyLength: 32,
  /** Sessions of browsers of one person; the one that was not used for longest ends for another one. */
  sessionsMax: 20,
  /** A session proves who its person is for this long after the sign-in. */
  freshSignInSecs: 600,
  /** Browsers and networks where one account signed in by a password, and for how long each is remembered. */
  signInPlacesMax: 50,
  signInPlaceDays: 90,
  /** The longest time that an OpenID provider has for what one request needs from it. */
  identityProviderWaitMaxMs: 10_000,
  /** Identities at OpenID providers of one account. */
  identitiesMax: 20,
  /** Of one person; above it the oldest ones end. */
  pushSubscriptionsMax: 20,
  /** Addresses of push services have some two hundred characters. */
  pushEndpointMaxLength: 1_000,
  /** Mails with a link for a new address that one account has sent in an hour, to whatever addresses. */
  emailChangeMailsMax: 5,
  /** Addresses that one request invites. */
  inviteesMax: 100,
  /** Invitations of the organization that can still be used. */
  invitationsMax: 1_000,
  invitationUsesMax: 100_000,
  invitationDefaultMinutes: 14_400,
  invitationMaxMinutes: 525_600,
  /** The name that a browser gives itself, in the list of its person's sessions; a longer one is cut. */
  sessionDeviceMaxCodePoints: 200,
  /** Tokens of SCIM: one for each program that keeps accounts, and another one while it is replaced. */
  scimTokensMax: 20,
  scimTokenNameMaxCodePoints: 100,
  /** Resources in one answer of SCIM. */
  scimListMax: 200,
  /** In all groups of a list together, unless one group alone has more. */
  scimListMembersMax: 20_000,
  /** Texts of filters and paths of SCIM; programs that keep accounts send a comparison or two. */
  scimFilterMaxLength: 2_000,
  scimFilterDepthMax: 10,
  scimComparisonsMax: 50,
  /** The operations of one PATCH of SCIM, and the members of a group in one request. */
  scimOperationsMax: 1_000,
  scimMembersMax: 10_000,
  /** Addresses of one person, of which one is taken. */
  scimEmailsMax: 100,
  scimExternalIdMaxCodePoints: 255,
  /** Enough for `scimMembersMax` members with their names and addresses. */
  scimBodyMaxBytes: 4 * 1024 * 1024,
  /** Reference facts, people 7.8, 11.1 and 14.3: avatars, custom emoji, icon and logo. */
  pictureMaxBytes: 5 * 1024 * 1024,
  /** The longest wait for its turn, ... */
  pictureWaitMaxMs: 5_000,
  /** ... and then the longest work on a busy machine; mostly it takes far less than a second. */
  pictureWorkMaxMs: 10_000,
  /** Reference facts, streams 9: the name of a user group. */
  groupNameMaxCodePoints: 100,
  /** Register returns descriptions of groups to everybody, so they are no longer than those of streams. */
  groupDescriptionMaxCodePoints: 1024,
  /** User groups, and members of all of them together: register returns all to everybody. */
  userGroupsMax: 1000,
  userGroupMembersMax: 100_000,
  /** Every change is an event with all of them, and new people join each. */
  defaultStreamsMax: 100,
  /** Groups of default streams, and streams in all of them together: every change is an event with all of them. */
  defaultStreamGroupsMax: 100,
  defaultStreamGroupStreamsMax: 500,
  /** Of one account; every change is an event with all of them. */
  mutedTopicsMax: 1000,
  /** Reference facts, people 14.1: the organization's name and description. */
  organizationNameMaxCodePoints: 40,
  organizationDescriptionMaxCodePoints: 1000,
  /** Every send searches for each of them; ordinary organizations have a handful. */
  linkifiersMax: 100,
  /** A pattern of this length fits an index of the database in any script. */
  linkifierPatternMaxCodePoints: 500,
  /** The longest URL that works in every browser. */
  linkifierUrlMaxCodePoints: 2000,
  /** Custom emoji, including deactivated ones: each change sends all of them to everybody. */
  realmEmojiMax: 2500,
  realmEmojiNameMaxLength: 100,
  /** Domains to which addresses may be restricted. */
  realmDomainsMax: 1000,
  /** Reference facts, people 2.2: a body above its endpoint's bound is refused with 413. No bound is above this, except for uploads. */
  anyBodyMaxBytes: 25 * 1024 * 1024,
  /** For endpoints that need no login, and for forms that contain the key. */
  anonymousBodyMaxBytes: 64 * 1024,
  /** For all other endpoints: a message of the longest content with escapes takes an eighth of it. */
  bodyMaxBytes: 1024 * 1024,
  /** For endpoints that take people and streams by name: as many as `subscriptionPairsMax`, with the escapes of an ordinary form. */
  subscriptionBodyMaxBytes: 4 * 1024 * 1024,
  /** Services send whole commits, builds and alerts. */
  webhookBodyMaxBytes: 4 * 1024 * 1024,
  /** The address and the name of an outgoing-webhook bot's service. */
  botServiceUrlMaxCodePoints: 2000,
  botServiceNameMaxCodePoints: 100,
  /** The most that one bot may store, with the escapes of an ordinary form. */
  storageBodyMaxBytes: 12 * 1024 * 1024,
  /** Of one account: one statement stores them, with some ten microseconds for each, while the account is locked. */
  storageKeysMax: 10_000,
  /** Reference facts, people 2.2: more fields than this are refused with 400. */
  bodyFieldsMax: 1000,
  /** Reference facts, people 2.3: the largest converted number. */
  convertedNumberMax: 4_294_967_295,
} as const;
