/**
 * Every limit that a client can notice, in one place. Lengths of names and texts count
 * code points unless the name says bytes.
 */
export const limits = {
  /** Contract, Limits: topic (subject). */
  topicMaxCodePoints: 60,
  /** Contract, Limits: what is accepted intact. Beyond it the text is cut, never refused (reference facts, messages 3.4). */
  contentMaxCodePoints: 10_000,
  /** Contract, Limits: `num_before + num_after` of GET messages. */
  messagesPerRequestMax: 5000,
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
  /** Reference facts, streams 9: the name of a user group. */
  groupNameMaxCodePoints: 100,
  /** Descriptions of groups go to everybody at register, so they are no longer than those of streams. */
  groupDescriptionMaxCodePoints: 1024,
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
  /** Reference facts, people 2.2: a body above this is refused with 413. */
  bodyMaxBytes: 25 * 1024 * 1024,
  /** Reference facts, people 2.2: more fields than this are refused with 400. */
  bodyFieldsMax: 1000,
  /** Reference facts, people 2.3: the largest converted number. */
  convertedNumberMax: 4_294_967_295,
} as const;
