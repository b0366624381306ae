/** The types of the interface, written from the endpoint declarations by `npm run docs`. Changes are made there. */

/** Of an operation that takes none. */
export type NoParameters = { readonly [name in string]?: never };

export type Schemas = {
  readonly AddedSubscription: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
    /** `#` and hexadecimal digits */
    readonly color: string;
    readonly is_muted: boolean;
    /** The inverse of `is_muted` */
    readonly in_home_view: boolean;
    readonly pin_to_top: boolean;
    readonly desktop_notifications: boolean;
    readonly audible_notifications: boolean;
    readonly push_notifications: boolean;
    readonly email_notifications: boolean;
    readonly wildcard_mentions_notify: boolean | null;
    /** Empty: no mail comes in */
    readonly email_address: string;
    /** Created at least 7 days ago */
    readonly is_old_stream: boolean;
    /** null in the first week */
    readonly stream_weekly_traffic: number | null;
    /** User ids, ascending */
    readonly subscribers: number[];
  };
  readonly AggregatedPresence: {
    /** The client that the entry is about */
    readonly client: string;
    readonly status: 'active' | 'idle';
    /** Seconds since 1970; more than a few minutes ago means offline */
    readonly timestamp: number;
  };
  readonly AlertWordsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'alert_words';
    readonly alert_words: string[];
  };
  readonly Attachment: {
    readonly id: number;
    /** As it was when it was uploaded */
    readonly name: string;
    /** The uri without `/user_uploads/` */
    readonly path_id: string;
    /** Bytes */
    readonly size: number;
    /** Milliseconds since 1970 */
    readonly create_time: number;
    readonly messages: {
      readonly id: number;
      /** When the message was sent, in milliseconds since 1970 */
      readonly name: number;
    }[];
  };
  readonly AttachmentEvent: {
    readonly type: 'attachment';
  } & {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'add';
    readonly attachment: Schemas['Attachment'];
    /** Bytes */
    readonly upload_space_used: number;
  } | {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'update';
    readonly attachment: Schemas['Attachment'];
    /** Bytes */
    readonly upload_space_used: number;
  } | {
    readonly id: number;
    readonly type: 'attachment';
    readonly op: 'remove';
    readonly attachment: {
      readonly id: number;
    };
    /** Bytes */
    readonly upload_space_used: number;
  };
  /** Bad event queue id: {queue_id}: an event queue is unknown, deleted or garbage-collected; register again */
  readonly BadEventQueueIdError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'BAD_EVENT_QUEUE_ID';
    readonly queue_id: string;
  };
  /** Could not decode image; did you upload an image file?: an avatar, emoji, icon or logo is not a usable image; Image size exceeds limit.: an image has too many pixels */
  readonly BadImageError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'BAD_IMAGE';
  };
  /** Invalid narrow operator: {desc}: a narrow cannot be understood */
  readonly BadNarrowError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'BAD_NARROW';
    readonly desc: string;
  };
  /** {varies}: the request is refused for the reason named in the text; An owner may have at most {max} active bots.: a bot is created, reactivated or given away beyond `PARLEY_BOTS_PER_OWNER_MAX`; You have as many event queues as one may have (maximum {max}).: an account registers more than `PARLEY_QUEUES_PER_USER_MAX`; An owner and his bots may have at most {max} event queues together.: they register more than `PARLEY_BUDGETS_PER_OWNER_MAX` times that; One request may create at most {max} streams.: somebody who is no administrator names more new streams than `PARLEY_NEW_STREAMS_PER_REQUEST_MAX`; {parameter} is too long (limit: {max} {unit}): a text has more characters, or a list more items, than its parameter takes; names and descriptions of streams, groups and profiles among them */
  readonly BadRequestError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'BAD_REQUEST';
  };
  /** The bot, and the member that changed */
  readonly BotChange: {
    readonly email: string;
    readonly user_id: number;
    readonly full_name: string;
  } | {
    readonly email: string;
    readonly user_id: number;
    readonly avatar_url: string;
  } | {
    readonly email: string;
    readonly user_id: number;
    readonly api_key: string;
  } | {
    readonly email: string;
    readonly user_id: number;
    /** Name of a stream */
    readonly default_sending_stream: string | null;
  } | {
    readonly email: string;
    readonly user_id: number;
    /** Name of a stream */
    readonly default_events_register_stream: string | null;
  } | {
    readonly email: string;
    readonly user_id: number;
    readonly default_all_public_streams: boolean;
  } | {
    readonly email: string;
    readonly user_id: number;
    readonly owner_id: number | null;
  } | {
    readonly email: string;
    readonly user_id: number;
    readonly services: Schemas['BotService'][];
  };
  readonly BotIntegration: {
    readonly name: string;
    readonly config: Record<string, string>;
  };
  /** Where an outgoing-webhook bot reports to */
  readonly BotService: {
    readonly base_url: string;
    readonly interface: number;
    readonly token: string;
  };
  readonly BotUser: {
    readonly user_id: number;
    /** The address that others see */
    readonly email: string;
    readonly full_name: string;
    readonly is_admin: boolean;
    readonly is_guest: boolean;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    /** An IANA name, or empty */
    readonly timezone: string;
    /** ISO 8601 */
    readonly date_joined: string;
    readonly is_bot: true;
    /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded */
    readonly bot_type: 1 | 2 | 3 | 4;
    readonly bot_owner_id: number | null;
    /** The real address, for administrators of an organization that hides addresses */
    readonly delivery_email?: string;
  };
  /** Cannot deactivate the only {entity}.: the last administrator or the last user deactivates itself */
  readonly CannotDeactivateLastUserError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'CANNOT_DEACTIVATE_LAST_USER';
    readonly is_last_admin: boolean;
    readonly entity: 'organization administrator' | 'user';
  };
  readonly ClientPresence: {
    /** The client that the entry is about */
    readonly client: string;
    readonly status: 'active' | 'idle';
    /** Seconds since 1970; more than a few minutes ago means offline */
    readonly timestamp: number;
    readonly pushable: boolean;
  };
  readonly CustomProfileFieldsEvent: {
    readonly type: 'custom_profile_fields';
  } & {
    readonly id: number;
    readonly type: 'custom_profile_fields';
    readonly op: 'add';
    readonly fields: Schemas['ProfileField'][];
  } | {
    readonly id: number;
    readonly type: 'custom_profile_fields';
    readonly op: 'update';
    readonly fields: Schemas['ProfileField'][];
  } | {
    readonly id: number;
    readonly type: 'custom_profile_fields';
    readonly op: 'delete';
    readonly fields: Schemas['ProfileField'][];
  };
  readonly DefaultStreamGroup: {
    readonly id: number;
    readonly name: string;
    readonly description: string;
    readonly streams: Schemas['Stream'][];
  };
  readonly DefaultStreamGroupsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'default_stream_groups';
    readonly default_stream_groups: Schemas['DefaultStreamGroup'][];
  };
  readonly DefaultStreamsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'default_streams';
    readonly default_streams: Schemas['Stream'][];
  };
  readonly DeleteMessageEvent: {
    readonly type: 'delete_message';
  } & {
    readonly id: number;
    readonly type: 'delete_message';
    readonly message_id: number;
    /** The address of the author, whoever deletes */
    readonly sender: string;
    readonly sender_id: number;
    readonly message_type: 'stream';
    readonly stream_id: number;
    readonly topic: string;
  } | {
    readonly id: number;
    readonly type: 'delete_message';
    readonly message_id: number;
    /** The address of the author, whoever deletes */
    readonly sender: string;
    readonly sender_id: number;
    readonly message_type: 'private';
    readonly recipient_id: number;
  };
  readonly EditSnapshot: {
    readonly topic: string;
    readonly content: string;
    readonly rendered_content: string;
    readonly user_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    readonly prev_topic?: string;
    readonly prev_content?: string;
    readonly prev_rendered_content?: string;
    readonly content_html_diff?: string;
  };
  readonly Emoji: {
    /** Digits */
    readonly id: string;
    /** Written between colons */
    readonly name: string;
    /** Below the server; nobody is asked who he is there */
    readonly source_url: string;
    readonly deactivated: boolean;
    readonly author: {
      readonly id: number;
      readonly email: string;
      readonly full_name: string;
    } | null;
  };
  readonly Event: Schemas['MessageEvent'] | Schemas['UpdateMessageEvent'] | Schemas['DeleteMessageEvent'] | Schemas['UpdateMessageFlagsEvent'] | Schemas['ReactionEvent'] | Schemas['SubmessageEvent'] | Schemas['AttachmentEvent'] | Schemas['SubscriptionEvent'] | Schemas['StreamEvent'] | Schemas['DefaultStreamsEvent'] | Schemas['DefaultStreamGroupsEvent'] | Schemas['MutedTopicsEvent'] | Schemas['RealmUserEvent'] | Schemas['RealmBotEvent'] | Schemas['UserGroupEvent'] | Schemas['CustomProfileFieldsEvent'] | Schemas['TypingEvent'] | Schemas['PresenceEvent'] | Schemas['UserStatusEvent'] | Schemas['RealmEvent'] | Schemas['RealmEmojiEvent'] | Schemas['RealmFiltersEvent'] | Schemas['RealmDomainsEvent'] | Schemas['AlertWordsEvent'] | Schemas['PointerEvent'] | Schemas['HotspotsEvent'] | Schemas['UpdateDisplaySettingsEvent'] | Schemas['UpdateGlobalNotificationsEvent'] | Schemas['HeartbeatEvent'];
  readonly FetchedMessage: Schemas['FetchedStreamMessage'] | Schemas['FetchedPrivateMessage'];
  readonly FetchedPrivateMessage: {
    readonly id: number;
    readonly sender_id: number;
    /** HTML, or the text as it was written */
    readonly content: string;
    readonly content_type: 'text/html' | 'text/x-markdown';
    readonly recipient_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    /** The client that sent it */
    readonly client: string;
    readonly subject_links: string[];
    readonly is_me_message: boolean;
    readonly reactions: Schemas['Reaction'][];
    readonly submessages: Schemas['Submessage'][];
    readonly sender_full_name: string;
    readonly sender_short_name: string;
    readonly sender_email: string;
    readonly sender_realm_str: string;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    readonly type: 'private';
    readonly display_recipient: Schemas['Participant'][];
    readonly subject: '';
    readonly flags: Schemas['MessageFlag'][];
    /** Seconds since 1970 */
    readonly last_edit_timestamp?: number;
    readonly edit_history?: Schemas['MessageEdit'][];
    /** Of a search: HTML with what was found marked */
    readonly match_content?: string;
    /** Of a search: HTML with what was found marked */
    readonly match_subject?: string;
  };
  readonly FetchedStreamMessage: {
    readonly id: number;
    readonly sender_id: number;
    /** HTML, or the text as it was written */
    readonly content: string;
    readonly content_type: 'text/html' | 'text/x-markdown';
    readonly recipient_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    /** The client that sent it */
    readonly client: string;
    readonly subject_links: string[];
    readonly is_me_message: boolean;
    readonly reactions: Schemas['Reaction'][];
    readonly submessages: Schemas['Submessage'][];
    readonly sender_full_name: string;
    readonly sender_short_name: string;
    readonly sender_email: string;
    readonly sender_realm_str: string;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    readonly type: 'stream';
    /** The name of the stream */
    readonly display_recipient: string;
    readonly stream_id: number;
    /** The topic */
    readonly subject: string;
    readonly flags: Schemas['MessageFlag'][];
    /** Seconds since 1970 */
    readonly last_edit_timestamp?: number;
    readonly edit_history?: Schemas['MessageEdit'][];
    /** Of a search: HTML with what was found marked */
    readonly match_content?: string;
    /** Of a search: HTML with what was found marked */
    readonly match_subject?: string;
  };
  readonly HeartbeatEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'heartbeat';
  };
  readonly HotspotsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'hotspots';
    readonly hotspots: {
      readonly name: string;
      readonly title: string;
      readonly description: string;
      readonly delay: number;
    }[];
  };
  /** This idempotency key was used for another message: an `Idempotency-Key` header was used before, within a day, for a message of other content or to others */
  readonly IdempotencyKeyReusedError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'IDEMPOTENCY_KEY_REUSED';
  };
  /** Invalid API key: the `api_key` parameter is unknown; Malformed API key: the `api_key` parameter is not 32 letters and digits */
  readonly InvalidApiKeyError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'INVALID_API_KEY';
  };
  /** Malformed JSON: the body of a webhook is not JSON */
  readonly InvalidJsonError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'INVALID_JSON';
  };
  /** Pattern, URL format, id */
  readonly Linkifier: [string, string, number];
  readonly ListedStream: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
    /** Present with `include_default` */
    readonly is_default?: boolean;
  };
  readonly ListedSubscription: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
    /** `#` and hexadecimal digits */
    readonly color: string;
    readonly is_muted: boolean;
    /** The inverse of `is_muted` */
    readonly in_home_view: boolean;
    readonly pin_to_top: boolean;
    readonly desktop_notifications: boolean;
    readonly audible_notifications: boolean;
    readonly push_notifications: boolean;
    readonly email_notifications: boolean;
    readonly wildcard_mentions_notify: boolean | null;
    /** Empty: no mail comes in */
    readonly email_address: string;
    /** Created at least 7 days ago */
    readonly is_old_stream: boolean;
    /** null in the first week */
    readonly stream_weekly_traffic: number | null;
    /** Email addresses */
    readonly subscribers?: string[];
  };
  readonly ManagedBot: {
    readonly email: string;
    readonly user_id: number;
    readonly full_name: string;
    /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded */
    readonly bot_type: 1 | 2 | 3 | 4;
    readonly is_active: boolean;
    readonly api_key: string;
    /** Name of a stream */
    readonly default_sending_stream: string | null;
    /** Name of a stream */
    readonly default_events_register_stream: string | null;
    readonly default_all_public_streams: boolean;
    readonly avatar_url: string;
    readonly services: Schemas['BotService'][];
    readonly owner: string | null;
  };
  readonly Member: {
    readonly user_id: number;
    /** The address that others see */
    readonly email: string;
    readonly full_name: string;
    readonly is_admin: boolean;
    readonly is_guest: boolean;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    /** An IANA name, or empty */
    readonly timezone: string;
    /** ISO 8601 */
    readonly date_joined: string;
    readonly is_bot: boolean;
    readonly is_active: boolean;
    /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people */
    readonly bot_type: 1 | 2 | 3 | 4 | null;
    /** The real address, for administrators of an organization that hides addresses */
    readonly delivery_email?: string;
    /** Bots only */
    readonly bot_owner_id?: number | null;
    /** Email address; bots with an owner only */
    readonly bot_owner?: string;
    readonly profile_data?: Schemas['ProfileData'];
  };
  /** What a message was before an edit, of what it altered */
  readonly MessageEdit: {
    readonly user_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    readonly prev_subject?: string;
    readonly prev_content?: string;
    readonly prev_rendered_content?: string;
    readonly prev_rendered_content_version?: number;
  };
  readonly MessageEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'message';
    readonly flags: Schemas['MessageFlag'][];
    readonly message: Schemas['NewMessage'];
    /** The `local_id` of the send, in the queue that it named */
    readonly local_message_id?: string;
  };
  readonly MessageFlag: 'read' | 'starred' | 'collapsed' | 'mentioned' | 'wildcard_mentioned' | 'summarize_in_home' | 'summarize_in_stream' | 'force_expand' | 'force_collapse' | 'has_alert_word' | 'historical';
  readonly MethodNotAllowedError: {
    readonly result: 'error';
    readonly msg: string;
    readonly allowed_methods: string[];
  };
  /** Missing the HTTP event header '{header}': a webhook comes without the header that names its event */
  readonly MissingHttpEventHeaderError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'MISSING_HTTP_EVENT_HEADER';
    readonly header: string;
  };
  readonly MutedTopicsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'muted_topics';
    /** Name of a stream, and topic */
    readonly muted_topics: [string, string][];
  };
  readonly NeverSubscribedStream: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
    /** Created at least 7 days ago */
    readonly is_old_stream: boolean;
    /** null in the first week */
    readonly stream_weekly_traffic: number | null;
    /** User ids, ascending */
    readonly subscribers?: number[];
  };
  readonly NewMessage: Schemas['NewStreamMessage'] | Schemas['NewPrivateMessage'];
  readonly NewPrivateMessage: {
    readonly id: number;
    readonly sender_id: number;
    /** HTML, or the text as it was written */
    readonly content: string;
    readonly content_type: 'text/html' | 'text/x-markdown';
    readonly recipient_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    /** The client that sent it */
    readonly client: string;
    readonly subject_links: string[];
    readonly is_me_message: boolean;
    readonly reactions: Schemas['Reaction'][];
    readonly submessages: Schemas['Submessage'][];
    readonly sender_full_name: string;
    readonly sender_short_name: string;
    readonly sender_email: string;
    readonly sender_realm_str: string;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    readonly type: 'private';
    readonly display_recipient: Schemas['Participant'][];
    readonly subject: '';
  };
  readonly NewStreamMessage: {
    readonly id: number;
    readonly sender_id: number;
    /** HTML, or the text as it was written */
    readonly content: string;
    readonly content_type: 'text/html' | 'text/x-markdown';
    readonly recipient_id: number;
    /** Seconds since 1970 */
    readonly timestamp: number;
    /** The client that sent it */
    readonly client: string;
    readonly subject_links: string[];
    readonly is_me_message: boolean;
    readonly reactions: Schemas['Reaction'][];
    readonly submessages: Schemas['Submessage'][];
    readonly sender_full_name: string;
    readonly sender_short_name: string;
    readonly sender_email: string;
    readonly sender_realm_str: string;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    readonly type: 'stream';
    /** The name of the stream */
    readonly display_recipient: string;
    readonly stream_id: number;
    /** The topic */
    readonly subject: string;
    /** Of a private stream, for clients whose name says that they mirror */
    readonly invite_only_stream?: true;
  };
  readonly OwnBot: {
    /** Email address */
    readonly username: string;
    readonly full_name: string;
    readonly api_key: string;
    readonly avatar_url: string;
    /** Name of a stream */
    readonly default_sending_stream: string | null;
    /** Name of a stream */
    readonly default_events_register_stream: string | null;
    readonly default_all_public_streams: boolean;
  };
  /** Somebody who takes part in a private conversation */
  readonly Participant: {
    readonly id: number;
    readonly email: string;
    readonly full_name: string;
    readonly short_name: string;
    readonly is_mirror_dummy: boolean;
  };
  readonly Person: {
    readonly user_id: number;
    /** The address that others see */
    readonly email: string;
    readonly full_name: string;
    readonly is_admin: boolean;
    readonly is_guest: boolean;
    /** null where the client makes the Gravatar URL itself */
    readonly avatar_url: string | null;
    /** An IANA name, or empty */
    readonly timezone: string;
    /** ISO 8601 */
    readonly date_joined: string;
    readonly is_bot: false;
    readonly profile_data: Schemas['ProfileData'];
    /** The real address, for administrators of an organization that hides addresses */
    readonly delivery_email?: string;
  };
  /** The account, and what changed */
  readonly PersonChange: {
    readonly user_id: number;
    readonly email: string;
    readonly full_name: string;
  } | {
    readonly user_id: number;
    readonly email: string;
    readonly avatar_source: 'G' | 'U';
    readonly avatar_url: string;
    readonly avatar_url_medium: string;
  } | {
    readonly user_id: number;
    readonly email: string;
    readonly timezone: string;
  } | {
    readonly user_id: number;
    readonly email: string;
    readonly is_admin: boolean;
  } | {
    readonly user_id: number;
    readonly email: string;
    readonly is_guest: boolean;
  } | {
    readonly user_id: number;
    readonly bot_owner_id: number | null;
  } | {
    readonly user_id: number;
    readonly delivery_email: string;
  } | {
    readonly user_id: number;
    readonly new_email: string;
  } | {
    readonly user_id: number;
    readonly custom_profile_field: {
      readonly id: number;
      /** null: it was cleared */
      readonly value: string | null;
      readonly rendered_value?: string | null;
    };
  };
  /** A refusal without a code; `msg` says why */
  readonly PlainError: {
    readonly result: 'error';
    readonly msg: string;
  };
  readonly PointerEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'pointer';
    readonly pointer: number;
  };
  /** By client name; `aggregated` is the entry of the client that reported last */
  readonly Presence: {
    readonly aggregated: Schemas['AggregatedPresence'];
  } & Record<string, Schemas['ClientPresence']>;
  readonly PresenceEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'presence';
    readonly email: string;
    readonly user_id: number;
    /** Seconds since 1970, with a fraction */
    readonly server_timestamp: number;
    /** The entry of the client that reported, by its name */
    readonly presence: Record<string, Schemas['ClientPresence']>;
  };
  /** By field id */
  readonly ProfileData: Record<string, {
    readonly value: string;
    /** HTML, of texts only */
    readonly rendered_value?: string;
  }>;
  readonly ProfileField: {
    readonly id: number;
    readonly name: string;
    /** 1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 person picker, 7 external account */
    readonly type: 1 | 2 | 3 | 4 | 5 | 6 | 7;
    readonly hint: string;
    /** JSON text, or empty */
    readonly field_data: string;
    readonly order: number;
  };
  readonly RateLimitError: {
    readonly result: 'error';
    readonly msg: string;
    /** seconds */
    readonly 'retry-after': number;
  };
  readonly Reaction: {
    readonly emoji_name: string;
    readonly emoji_code: string;
    readonly reaction_type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
    readonly user: {
      readonly id: number;
      readonly email: string;
      readonly full_name: string;
    };
    readonly user_id: number;
  };
  readonly ReactionEvent: {
    readonly type: 'reaction';
  } & {
    readonly id: number;
    readonly type: 'reaction';
    readonly op: 'add';
    readonly message_id: number;
    readonly emoji_name: string;
    readonly emoji_code: string;
    readonly reaction_type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
    readonly user: {
      readonly user_id: number;
      readonly email: string;
      readonly full_name: string;
    };
    readonly user_id: number;
  } | {
    readonly id: number;
    readonly type: 'reaction';
    readonly op: 'remove';
    readonly message_id: number;
    readonly emoji_name: string;
    readonly emoji_code: string;
    readonly reaction_type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
    readonly user: {
      readonly user_id: number;
      readonly email: string;
      readonly full_name: string;
    };
    readonly user_id: number;
  };
  readonly RealmBotEvent: {
    readonly type: 'realm_bot';
  } & {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'add';
    readonly bot: {
      readonly email: string;
      readonly user_id: number;
      readonly full_name: string;
      /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded */
      readonly bot_type: 1 | 2 | 3 | 4;
      readonly is_active: boolean;
      readonly api_key: string;
      /** Name of a stream */
      readonly default_sending_stream: string | null;
      /** Name of a stream */
      readonly default_events_register_stream: string | null;
      readonly default_all_public_streams: boolean;
      readonly avatar_url: string;
      readonly services: Schemas['BotService'][];
      readonly owner?: string;
    };
  } | {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'remove';
    readonly bot: {
      readonly email: string;
      readonly user_id: number;
      readonly full_name: string;
    };
  } | {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'delete';
    readonly bot: {
      readonly email: string;
      readonly user_id: number;
    };
  } | {
    readonly id: number;
    readonly type: 'realm_bot';
    readonly op: 'update';
    readonly bot: Schemas['BotChange'];
  };
  readonly RealmDomain: {
    readonly domain: string;
    readonly allow_subdomains: boolean;
  };
  readonly RealmDomainsEvent: {
    readonly type: 'realm_domains';
  } & {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'add';
    readonly realm_domain: Schemas['RealmDomain'];
  } | {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'change';
    readonly realm_domain: Schemas['RealmDomain'];
  } | {
    readonly id: number;
    readonly type: 'realm_domains';
    readonly op: 'remove';
    readonly domain: string;
  };
  readonly RealmEmojiEvent: {
    readonly type: 'realm_emoji';
  } & {
    readonly id: number;
    readonly type: 'realm_emoji';
    readonly op: 'update';
    /** By id */
    readonly realm_emoji: Record<string, Schemas['Emoji']>;
  };
  readonly RealmEvent: {
    readonly type: 'realm';
  } & ({
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'deactivated';
    readonly realm_id: number;
  } | Schemas['RealmUpdateEvent'] | Schemas['RealmUpdateDictEvent']);
  readonly RealmFiltersEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'realm_filters';
    readonly realm_filters: Schemas['Linkifier'][];
  };
  readonly RealmUpdateDictEvent: {
    readonly type: 'realm';
    readonly op: 'update_dict';
  } & {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update_dict';
    readonly property: 'default';
    readonly data: {
      readonly allow_message_editing: boolean;
      readonly message_content_edit_limit_seconds: number;
      readonly allow_community_topic_editing: boolean;
    } | {
      readonly message_content_delete_limit_seconds: number;
    } | {
      /** By the name of a way to sign in that the server has */
      readonly authentication_methods: Record<string, boolean>;
    };
  } | {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update_dict';
    readonly property: 'icon';
    readonly data: {
      readonly icon_url: string;
      readonly icon_source: 'G' | 'U';
    };
  } | {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update_dict';
    readonly property: 'logo';
    readonly data: {
      readonly logo_url: string;
      readonly logo_source: 'D' | 'U';
    };
  } | {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update_dict';
    readonly property: 'night_logo';
    readonly data: {
      readonly night_logo_url: string;
      readonly night_logo_source: 'D' | 'U';
    };
  };
  readonly RealmUpdateEvent: {
    readonly type: 'realm';
    readonly op: 'update';
  } & {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update';
    readonly property: 'add_emoji_by_admins_only' | 'allow_edit_history' | 'allow_message_deleting' | 'default_twenty_four_hour_time' | 'digest_emails_enabled' | 'disallow_disposable_email_addresses' | 'email_changes_disabled' | 'invite_required' | 'invite_by_admins_only' | 'inline_image_preview' | 'inline_url_embed_preview' | 'mandatory_topics' | 'name_changes_disabled' | 'avatar_changes_disabled' | 'emails_restricted_to_domains' | 'send_welcome_emails' | 'message_content_allowed_in_email_notifications';
    readonly value: boolean;
  } | {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update';
    readonly property: 'bot_creation_policy' | 'create_stream_policy' | 'invite_to_stream_policy' | 'user_group_edit_policy' | 'email_address_visibility' | 'video_chat_provider' | 'waiting_period_threshold' | 'digest_weekday' | 'notifications_stream_id' | 'signup_notifications_stream_id';
    readonly value: number;
  } | {
    readonly id: number;
    readonly type: 'realm';
    readonly op: 'update';
    readonly property: 'default_language' | 'google_hangouts_domain' | 'name' | 'description';
    readonly value: string;
  };
  /** Upload would exceed your organization's upload quota.: the upload quota is used up */
  readonly RealmUploadQuotaError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'REALM_UPLOAD_QUOTA';
  };
  readonly RealmUserEvent: {
    readonly type: 'realm_user';
  } & {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'add';
    readonly person: Schemas['User'];
  } | {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'remove';
    readonly person: {
      readonly email: string;
      readonly user_id: number;
      readonly full_name: string;
    };
  } | {
    readonly id: number;
    readonly type: 'realm_user';
    readonly op: 'update';
    readonly person: Schemas['PersonChange'];
  };
  /** Can't decide between '{var_name1}' and '{var_name2}' arguments: two names of one parameter are both given */
  readonly RequestConfusingVarError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'REQUEST_CONFUSING_VAR';
    readonly var_name1: string;
    readonly var_name2: string;
  };
  /** Bad value for '{var_name}': {bad_value}: a parameter cannot be converted */
  readonly RequestVariableInvalidError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'REQUEST_VARIABLE_INVALID';
    readonly var_name: string;
    readonly bad_value: string;
  };
  /** Missing '{var_name}' argument: a required parameter is absent */
  readonly RequestVariableMissingError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'REQUEST_VARIABLE_MISSING';
    readonly var_name: string;
  };
  /** Service temporarily unavailable: a store or service is away or has too much to do; repeat after the seconds in `Retry-After` */
  readonly ServiceUnavailableError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'SERVICE_UNAVAILABLE';
  };
  readonly Stream: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
  };
  /** Stream '{stream}' does not exist: a message is sent to an unknown stream name, or one that is closed to its sender (HTML-escaped in text and field); Stream with ID '{stream_id}' does not exist: a message is sent to an unknown stream id, or one that is closed to its sender; Stream(s) ({names}) do not exist: subscriptions are removed from unknown streams; `stream` is the first of them */
  readonly StreamDoesNotExistError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'STREAM_DOES_NOT_EXIST';
    readonly stream: string;
  } | {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'STREAM_DOES_NOT_EXIST';
    readonly stream_id: number;
  };
  readonly StreamEvent: {
    readonly type: 'stream';
  } & ({
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'create';
    readonly streams: Schemas['Stream'][];
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'occupy';
    readonly streams: Schemas['Stream'][];
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'vacate';
    readonly streams: Schemas['Stream'][];
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'delete';
    readonly streams: Schemas['Stream'][];
  } | Schemas['StreamUpdateEvent']);
  readonly StreamUpdateEvent: {
    readonly type: 'stream';
    readonly op: 'update';
  } & {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'update';
    readonly stream_id: number;
    readonly name: string;
    readonly property: 'name' | 'email_address';
    readonly value: string;
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'update';
    readonly stream_id: number;
    readonly name: string;
    readonly rendered_description: string;
    readonly property: 'description';
    readonly value: string;
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'update';
    readonly stream_id: number;
    readonly name: string;
    readonly history_public_to_subscribers: boolean;
    readonly property: 'invite_only';
    readonly value: boolean;
  } | {
    readonly id: number;
    readonly type: 'stream';
    readonly op: 'update';
    readonly stream_id: number;
    readonly name: string;
    readonly property: 'is_announcement_only';
    readonly value: boolean;
  };
  readonly Submessage: {
    readonly id: number;
    readonly message_id: number;
    readonly sender_id: number;
    readonly msg_type: string;
    /** JSON text */
    readonly content: string;
  };
  readonly SubmessageEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'submessage';
    readonly message_id: number;
    readonly submessage_id: number;
    readonly sender_id: number;
    readonly msg_type: string;
    /** JSON text */
    readonly content: string;
  };
  readonly Subscription: {
    readonly name: string;
    readonly stream_id: number;
    readonly description: string;
    /** HTML of the description */
    readonly rendered_description: string;
    /** true means private: only invited people may access it */
    readonly invite_only: boolean;
    readonly is_web_public: boolean;
    /** Only administrators may post */
    readonly is_announcement_only: boolean;
    readonly history_public_to_subscribers: boolean;
    /** null until the first message */
    readonly first_message_id: number | null;
    /** `#` and hexadecimal digits */
    readonly color: string;
    readonly is_muted: boolean;
    /** The inverse of `is_muted` */
    readonly in_home_view: boolean;
    readonly pin_to_top: boolean;
    readonly desktop_notifications: boolean | null;
    readonly audible_notifications: boolean | null;
    readonly push_notifications: boolean | null;
    readonly email_notifications: boolean | null;
    readonly wildcard_mentions_notify: boolean | null;
    /** Empty: no mail comes in */
    readonly email_address: string;
    /** Created at least 7 days ago */
    readonly is_old_stream: boolean;
    /** null in the first week */
    readonly stream_weekly_traffic: number | null;
    /** User ids, ascending */
    readonly subscribers?: number[];
  };
  readonly SubscriptionEvent: {
    readonly type: 'subscription';
  } & ({
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'add';
    readonly subscriptions: Schemas['AddedSubscription'][];
  } | {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'remove';
    readonly subscriptions: {
      readonly name: string;
      readonly stream_id: number;
    }[];
  } | {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'peer_add';
    /** The name of the stream */
    readonly subscriptions: string[];
    readonly stream_id: number;
    readonly user_id: number;
    readonly stream_ids: number[];
    readonly user_ids: number[];
  } | {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'peer_remove';
    /** The name of the stream */
    readonly subscriptions: string[];
    readonly stream_id: number;
    readonly user_id: number;
    readonly stream_ids: number[];
    readonly user_ids: number[];
  } | Schemas['SubscriptionUpdateEvent']);
  readonly SubscriptionUpdateEvent: {
    readonly type: 'subscription';
    readonly op: 'update';
  } & {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'update';
    readonly email: string;
    readonly stream_id: number;
    readonly name: string;
    readonly property: 'color';
    readonly value: string;
  } | {
    readonly id: number;
    readonly type: 'subscription';
    readonly op: 'update';
    readonly email: string;
    readonly stream_id: number;
    readonly name: string;
    readonly property: 'in_home_view' | 'pin_to_top' | 'desktop_notifications' | 'audible_notifications' | 'push_notifications' | 'email_notifications' | 'wildcard_mentions_notify';
    readonly value: boolean;
  };
  readonly SystemBot: {
    readonly email: string;
    readonly user_id: number;
    readonly is_admin: boolean;
    readonly is_bot: true;
    /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded */
    readonly bot_type: 1 | 2 | 3 | 4;
    readonly avatar_url: string;
    readonly timezone: string;
    /** ISO 8601 */
    readonly date_joined: string;
    readonly full_name: string;
  };
  readonly Topic: {
    /** As the newest message spells it */
    readonly name: string;
    /** The newest message */
    readonly max_id: number;
  };
  readonly TypingEvent: {
    readonly type: 'typing';
  } & {
    readonly id: number;
    readonly type: 'typing';
    readonly op: 'start';
    readonly sender: {
      readonly user_id: number;
      readonly email: string;
    };
    /** The sender among them */
    readonly recipients: {
      readonly user_id: number;
      readonly email: string;
    }[];
  } | {
    readonly id: number;
    readonly type: 'typing';
    readonly op: 'stop';
    readonly sender: {
      readonly user_id: number;
      readonly email: string;
    };
    /** The sender among them */
    readonly recipients: {
      readonly user_id: number;
      readonly email: string;
    }[];
  };
  /** Must be an organization administrator: an administrator-only endpoint is called by somebody else */
  readonly UnauthorizedPrincipalError400: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'UNAUTHORIZED_PRINCIPAL';
  };
  /** User not authorized to execute queries on behalf of '{principal}': a principal is unknown or deactivated */
  readonly UnauthorizedPrincipalError403: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'UNAUTHORIZED_PRINCIPAL';
    readonly principal: string;
  };
  /** The '{event_type}' event isn't currently supported by the {webhook_name} webhook: a webhook brings an event that its integration does not handle */
  readonly UnexpectedWebhookEventTypeError: {
    readonly result: 'error';
    readonly msg: string;
    readonly code: 'UNEXPECTED_WEBHOOK_EVENT_TYPE';
    readonly webhook_name: string;
    readonly event_type: string | null;
  };
  readonly UnreadMessages: {
    readonly pms: {
      readonly sender_id: number;
      /** Ids of messages, ascending */
      readonly unread_message_ids: number[];
    }[];
    readonly streams: {
      readonly stream_id: number;
      readonly topic: string;
      readonly sender_ids: number[];
      /** Ids of messages, ascending */
      readonly unread_message_ids: number[];
    }[];
    readonly huddles: {
      /** Ids of all who take part, the reader included, ascending, with commas */
      readonly user_ids_string: string;
      /** Ids of messages, ascending */
      readonly unread_message_ids: number[];
    }[];
    /** Ids of messages, ascending */
    readonly mentions: number[];
    /** Of unread messages that are not muted */
    readonly count: number;
  };
  readonly UpdateDisplaySettingsEvent: {
    readonly type: 'update_display_settings';
  } & {
    readonly id: number;
    readonly type: 'update_display_settings';
    /** Email address */
    readonly user: string;
    readonly setting_name: 'default_language' | 'emojiset' | 'timezone';
    readonly setting: string;
    /** Of a changed `default_language` */
    readonly language_name?: string;
  } | {
    readonly id: number;
    readonly type: 'update_display_settings';
    /** Email address */
    readonly user: string;
    readonly setting_name: 'demote_inactive_streams';
    readonly setting: number;
  } | {
    readonly id: number;
    readonly type: 'update_display_settings';
    /** Email address */
    readonly user: string;
    readonly setting_name: 'dense_mode' | 'fluid_layout_width' | 'high_contrast_mode' | 'left_side_userlist' | 'night_mode' | 'starred_message_counts' | 'translate_emoticons' | 'twenty_four_hour_time';
    readonly setting: boolean;
  };
  readonly UpdateGlobalNotificationsEvent: {
    readonly type: 'update_global_notifications';
  } & {
    readonly id: number;
    readonly type: 'update_global_notifications';
    /** Email address */
    readonly user: string;
    readonly notification_name: 'enable_desktop_notifications' | 'enable_digest_emails' | 'enable_login_emails' | 'enable_offline_email_notifications' | 'enable_offline_push_notifications' | 'enable_online_push_notifications' | 'enable_sounds' | 'enable_stream_desktop_notifications' | 'enable_stream_email_notifications' | 'enable_stream_push_notifications' | 'enable_stream_audible_notifications' | 'wildcard_mentions_notify' | 'message_content_in_email_notifications' | 'pm_content_in_desktop_notifications' | 'realm_name_in_notifications';
    readonly setting: boolean;
  } | {
    readonly id: number;
    readonly type: 'update_global_notifications';
    /** Email address */
    readonly user: string;
    readonly notification_name: 'notification_sound';
    readonly setting: string;
  } | {
    readonly id: number;
    readonly type: 'update_global_notifications';
    /** Email address */
    readonly user: string;
    readonly notification_name: 'desktop_icon_count_display';
    readonly setting: number;
  };
  readonly UpdateMessageEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'update_message';
    /** Who edited */
    readonly user_id: number;
    /** The address of who edited */
    readonly sender: string;
    readonly message_id: number;
    /** That message and others that were moved with it */
    readonly message_ids: number[];
    /** Seconds since 1970 */
    readonly edit_timestamp: number;
    /** The flags that `message_id` has for the receiver now */
    readonly flags: Schemas['MessageFlag'][];
    readonly stream_name?: string;
    readonly stream_id?: number;
    /** With the others of content: it was edited */
    readonly orig_content?: string;
    readonly orig_rendered_content?: string;
    readonly content?: string;
    readonly rendered_content?: string;
    readonly prev_rendered_content_version?: number;
    readonly is_me_message?: boolean;
    /** With the others of topics: it was moved */
    readonly orig_subject?: string;
    readonly subject?: string;
    readonly subject_links?: string[];
    readonly propagate_mode?: 'change_one' | 'change_later' | 'change_all';
  };
  readonly UpdateMessageFlagsEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'update_message_flags';
    readonly operation: 'add' | 'remove';
    readonly op: 'add' | 'remove';
    readonly flag: Schemas['MessageFlag'];
    readonly messages: number[];
    /** Of all messages, which are not listed then */
    readonly all: boolean;
  };
  readonly User: Schemas['Person'] | Schemas['BotUser'];
  readonly UserGroup: {
    readonly id: number;
    readonly name: string;
    readonly description: string;
    /** User ids, ascending; deactivated people stay members */
    readonly members: number[];
  };
  readonly UserGroupEvent: {
    readonly type: 'user_group';
  } & {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'add';
    readonly group: Schemas['UserGroup'];
  } | {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'update';
    readonly group_id: number;
    readonly data: {
      readonly name: string;
    } | {
      readonly description: string;
    };
  } | {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'add_members';
    readonly group_id: number;
    readonly user_ids: number[];
  } | {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'remove_members';
    readonly group_id: number;
    readonly user_ids: number[];
  } | {
    readonly id: number;
    readonly type: 'user_group';
    readonly op: 'remove';
    readonly group_id: number;
  };
  readonly UserStatus: {
    readonly away?: true;
    readonly status_text?: string;
  };
  readonly UserStatusEvent: {
    /** Its position in the log */
    readonly id: number;
    readonly type: 'user_status';
    readonly user_id: number;
    readonly away?: boolean;
    /** Empty: it was cleared */
    readonly status_text?: string;
  };
};

export type Operations = {
  /** Fetch messages around an anchor */
  readonly 'GET /messages': {
    readonly parameters: {
      /** A message id; `newest`, `oldest` or `first_unread` */
      readonly anchor?: string | undefined;
      /** Messages below the anchor */
      readonly num_before: number;
      /** Messages above the anchor */
      readonly num_after: number;
      /** Terms of operator and operand */
      readonly narrow?: readonly unknown[] | undefined;
      /** Wins over `anchor` */
      readonly use_first_unread_anchor?: boolean | undefined;
      /** `avatar_url` is null where clients can make it */
      readonly client_gravatar?: boolean | undefined;
      /** HTML instead of the raw text */
      readonly apply_markdown?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly anchor: number;
      readonly found_anchor: boolean;
      readonly found_oldest: boolean;
      readonly found_newest: boolean;
      readonly history_limited: boolean;
      readonly messages: Schemas['FetchedMessage'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadNarrowError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Send a message */
  readonly 'POST /messages': {
    readonly parameters: {
      /** `stream` or `private`; also `channel` and `direct` */
      readonly type: string;
      /** The stream by name or id; or the recipients by address, as text with commas or JSON list, or by id */
      readonly to?: string | undefined;
      /** Required for streams; cut at 60 characters Also accepted as `subject`. */
      readonly topic?: string | undefined;
      /** The text; cut at 10000 characters */
      readonly content: string;
      /** Local echo: the event queue whose event carries `local_id` */
      readonly queue_id?: string | undefined;
      /** Local echo: the id that the client gave the message */
      readonly local_id?: string | undefined;
      /** A widget as JSON text; at most 10000 characters */
      readonly widget_content?: string | undefined;
      /** For mirroring accounts only */
      readonly forged?: string | undefined;
      /** Ignored when it names the organization */
      readonly realm_str?: string | undefined;
      /** `send_now`, `send_later` or `remind` */
      readonly delivery_type?: string | undefined;
      /** When a message that is not sent now is delivered: a date and time in ISO 8601, such as `2031-05-01T09:30:00+02:00`, also `20310501T093000` and `2031/05/01 09:30`, or as HTTP has it, `Thu, 01 May 2031 09:30:00 GMT` */
      readonly deliver_at?: string | undefined;
      /** The time zone of a `deliver_at` without an offset, by its IANA name; by default that of the account, else UTC */
      readonly tz_guess?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** The id of the message; not of one that is sent later */
      readonly id?: number;
      /** Of a message that is sent later: when, in ISO 8601 with an offset */
      readonly deliver_at?: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RequestConfusingVarError'] | Schemas['StreamDoesNotExistError'] | Schemas['MethodNotAllowedError'] | Schemas['IdempotencyKeyReusedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Render a message */
  readonly 'POST /messages/render': {
    readonly parameters: {
      /** The text; of any length */
      readonly content: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** The HTML */
      readonly rendered: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the raw text of a message */
  readonly 'GET /messages/{message_id}': {
    readonly parameters: {
      /** The message */
      readonly message_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** The text as it was written */
      readonly raw_content: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Edit the text or topic of a message */
  readonly 'PATCH /messages/{message_id}': {
    readonly parameters: {
      /** The message */
      readonly message_id: number;
      /** The new text; `(deleted)` is stored for an empty one */
      readonly content?: string | undefined;
      /** The new topic; cut at 60 characters Also accepted as `subject`. */
      readonly topic?: string | undefined;
      /** Which messages of exactly the same topic get the new one too: `change_one`; `change_later`, all with a larger id; `change_all`, all others of the last seven days. At most 50,000 messages move at once, of 16 MiB of HTML */
      readonly propagate_mode?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RequestConfusingVarError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete a message for good */
  readonly 'DELETE /messages/{message_id}': {
    readonly parameters: {
      /** The message */
      readonly message_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get a message's edit history */
  readonly 'GET /messages/{message_id}/history': {
    readonly parameters: {
      /** The message */
      readonly message_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly message_history: Schemas['EditSnapshot'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete all messages of a topic for good */
  readonly 'POST /streams/{stream_id}/delete_topic': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
      /** The topic, in any letter case */
      readonly topic_name: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Say which messages a narrow matches */
  readonly 'GET /messages/matches_narrow': {
    readonly parameters: {
      /** The ids of the messages */
      readonly msg_ids: readonly number[];
      /** Terms of operator and operand */
      readonly narrow: readonly unknown[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly messages: Record<string, {
        readonly match_content: string;
        readonly match_subject: string;
      }>;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadNarrowError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Upload a file */
  readonly 'POST /user_uploads': {
    readonly parameters: {
      /** The type of the file; its usual extension is appended to the name */
      readonly mimetype?: string | undefined;
      readonly file?: Blob | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Where the file is, below the server */
      readonly uri: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RealmUploadQuotaError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get an uploaded file */
  readonly 'GET /user_uploads/{realm_id}/{path}': {
    readonly parameters: {
      /** The organization */
      readonly realm_id: string;
      /** The rest of the uri */
      readonly path: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get a picture that a message shows */
  readonly 'GET /thumbnail': {
    readonly parameters: {
      /** The address of the picture; uploads without a slash before it */
      readonly url: string;
      /** `thumbnail` or `full` */
      readonly size: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the caller's own files */
  readonly 'GET /attachments': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly attachments: Schemas['Attachment'][];
      /** Bytes of the whole organization */
      readonly upload_space_used: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete one of the caller's own files */
  readonly 'DELETE /attachments/{attachment_id}': {
    readonly parameters: {
      /** The id of the file */
      readonly attachment_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change the caller's own flags on messages */
  readonly 'POST /messages/flags': {
    readonly parameters: {
      /** The ids */
      readonly messages: readonly number[];
      /** `add` or `remove` */
      readonly op: string;
      /** One of the message flags */
      readonly flag: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly messages: number[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Mark all messages as read */
  readonly 'POST /mark_all_as_read': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Mark all messages of a stream as read */
  readonly 'POST /mark_stream_as_read': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Mark all messages of a topic as read */
  readonly 'POST /mark_topic_as_read': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
      /** The topic */
      readonly topic_name: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the caller's alert words */
  readonly 'GET /users/me/alert_words': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** all alert words, in the order in which they were added */
      readonly alert_words: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add alert words */
  readonly 'POST /users/me/alert_words': {
    readonly parameters: {
      /** Words or phrases of at most 100 characters */
      readonly alert_words: readonly string[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** all alert words, in the order in which they were added */
      readonly alert_words: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Remove alert words */
  readonly 'DELETE /users/me/alert_words': {
    readonly parameters: {
      /** The words to remove */
      readonly alert_words: readonly string[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** all alert words, in the order in which they were added */
      readonly alert_words: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Tell the message on which the caller stands */
  readonly 'GET /users/me/pointer': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** its id; -1 for a new account */
      readonly pointer: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Move the pointer forward */
  readonly 'POST /users/me/pointer': {
    readonly parameters: {
      /** The message id */
      readonly pointer: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Move the pointer forward */
  readonly 'PUT /users/me/pointer': {
    readonly parameters: {
      /** The message id */
      readonly pointer: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** React to a message with an emoji */
  readonly 'POST /messages/{message_id}/reactions': {
    readonly parameters: {
      /** The id of the message */
      readonly message_id: number;
      /** The name of the emoji */
      readonly emoji_name: string;
      /** The code of the emoji: hex code points joined by `-`, the id of a custom emoji, or `zulip`; by default what the name says */
      readonly emoji_code?: string | undefined;
      /** `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; by default what the name says, and `unicode_emoji` for a code */
      readonly reaction_type?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Take back a reaction of the caller's */
  readonly 'DELETE /messages/{message_id}/reactions': {
    readonly parameters: {
      /** The id of the message */
      readonly message_id: number;
      /** The name of the emoji; needed without `emoji_code` */
      readonly emoji_name?: string | undefined;
      /** The code of the emoji: hex code points joined by `-`, the id of a custom emoji, or `zulip`; by default what the name says */
      readonly emoji_code?: string | undefined;
      /** `unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; by default what the name says, and `unicode_emoji` for a code */
      readonly reaction_type?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add data of a widget to a message */
  readonly 'POST /submessage': {
    readonly parameters: {
      /** The id of the message */
      readonly message_id: number;
      /** What the data is for, such as `widget`; at most 60 characters */
      readonly msg_type: string;
      /** JSON as text; at most 10000 characters */
      readonly content: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of helloworld */
  readonly 'POST /external/helloworld': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly featured_title: string;
        readonly featured_url: string;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of github */
  readonly 'POST /external/github': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** Branches whose pushes are sent; by default all */
      readonly branches?: string | undefined;
      readonly body: Record<string, unknown>;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['MissingHttpEventHeaderError'] | Schemas['UnexpectedWebhookEventTypeError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of gitlab */
  readonly 'POST /external/gitlab': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** Branches whose pushes are sent; by default all */
      readonly branches?: string | undefined;
      readonly body: Record<string, unknown>;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['MissingHttpEventHeaderError'] | Schemas['UnexpectedWebhookEventTypeError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of travis */
  readonly 'POST /external/travis': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** Whether builds of pull requests send nothing */
      readonly ignore_pull_requests?: boolean | undefined;
      /** The build */
      readonly payload: {
        readonly author_name: string;
        readonly status_message: string;
        readonly compare_url: string;
        readonly build_url: string;
        readonly type?: string | undefined;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of circleci */
  readonly 'POST /external/circleci': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly payload: {
          readonly reponame: string;
          readonly build_url: string;
          readonly username: string;
          readonly branch: string;
          readonly status: string;
          readonly previous?: {
            readonly status?: string | undefined;
          } | null | undefined;
        };
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of sentry */
  readonly 'POST /external/sentry': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly project_name: string;
        readonly url: string;
        readonly level: string;
        readonly message: string;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of alertmanager */
  readonly 'POST /external/alertmanager': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** The label that is the topic */
      readonly name?: string | undefined;
      /** The label that is the text */
      readonly desc?: string | undefined;
      readonly body: {
        readonly alerts: readonly {
          readonly status: string;
          readonly generatorURL: string;
          readonly labels?: Record<string, string> | undefined;
          readonly annotations?: Record<string, string> | undefined;
        }[];
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of ifttt */
  readonly 'POST /external/ifttt': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly topic?: string | undefined;
        readonly subject?: string | undefined;
        readonly content?: string | undefined;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of zapier */
  readonly 'POST /external/zapier': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly type?: string | undefined;
        readonly topic?: string | undefined;
        readonly subject?: string | undefined;
        readonly content?: string | undefined;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of slack */
  readonly 'POST /external/slack': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** Who wrote it */
      readonly user_name: string;
      /** What was written */
      readonly text: string;
      /** Where it was written */
      readonly channel_name: string;
      /** `1`: a topic for each channel; `0`: the stream of its name */
      readonly channels_map_to_topics?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['StreamDoesNotExistError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of heroku */
  readonly 'POST /external/heroku': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      /** The version */
      readonly head: string;
      /** The application */
      readonly app: string;
      /** Who deployed it */
      readonly user: string;
      /** Its address */
      readonly url: string;
      /** What is new in it */
      readonly git_log: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of zabbix */
  readonly 'POST /external/zabbix': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly hostname: string;
        readonly severity: string;
        readonly status: string;
        readonly item: string;
        readonly trigger: string;
        readonly link: string;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Receive a webhook of splunk */
  readonly 'POST /external/splunk': {
    readonly parameters: {
      /** The stream to send to; without it the owner of the bot gets a private message */
      readonly stream?: string | undefined;
      /** The topic; by default what the integration says. Cut at 60 characters */
      readonly topic?: string | undefined;
      readonly body: {
        readonly search_name?: string | undefined;
        readonly results_link?: string | undefined;
        readonly result?: {
          readonly host?: string | undefined;
          readonly source?: string | undefined;
          readonly _raw?: string | undefined;
        } | undefined;
      };
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Of the account, where that was asked */
      readonly full_name?: string;
      readonly email?: string;
      readonly id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['InvalidJsonError'] | Schemas['RequestVariableMissingError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List streams */
  readonly 'GET /streams': {
    readonly parameters: {
      /** All public streams */
      readonly include_public?: boolean | undefined;
      /** Streams to which the caller is subscribed */
      readonly include_subscribed?: boolean | undefined;
      /** All streams; for administrators */
      readonly include_all_active?: boolean | undefined;
      /** Default streams that the caller may access; adds is_default to every stream */
      readonly include_default?: boolean | undefined;
      /** For a bot: streams to which its owner is subscribed */
      readonly include_owner_subscribed?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly streams: Schemas['ListedStream'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Find the id of a stream */
  readonly 'GET /get_stream_id': {
    readonly parameters: {
      /** Its name in any letter case; white space around it does not count */
      readonly stream: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly stream_id: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change a stream */
  readonly 'PATCH /streams/{stream_id}': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
      /** A new description, as JSON or as it is */
      readonly description?: string | undefined;
      /** Whether only invited people may access it */
      readonly is_private?: boolean | undefined;
      /** Whether only administrators may post */
      readonly is_announcement_only?: boolean | undefined;
      /** With is_private: whether new subscribers see what was before them */
      readonly history_public_to_subscribers?: boolean | undefined;
      /** A new name, as JSON or as it is */
      readonly new_name?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate a stream */
  readonly 'DELETE /streams/{stream_id}': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the subscribers of a stream */
  readonly 'GET /streams/{stream_id}/members': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly subscribers: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the address by which mail is sent to a stream */
  readonly 'GET /streams/{stream_id}/email_address': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly email: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the topics of a stream, newest first */
  readonly 'GET /users/me/{stream_id}/topics': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly topics: Schemas['Topic'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the caller's subscriptions */
  readonly 'GET /users/me/subscriptions': {
    readonly parameters: {
      /** Add the sorted email addresses of the subscribers of each stream */
      readonly include_subscribers?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly subscriptions: Schemas['ListedSubscription'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Subscribe to streams, creating those that do not exist */
  readonly 'POST /users/me/subscriptions': {
    readonly parameters: {
      /** Streams by name; the description is used for created streams, the color for new subscriptions */
      readonly subscriptions: readonly {
        readonly name: string;
        readonly color?: string | undefined;
        readonly description?: string | undefined;
      }[];
      /** Created streams are private */
      readonly invite_only?: boolean | undefined;
      /** Only administrators may post to created streams */
      readonly is_announcement_only?: boolean | undefined;
      /** New subscribers of a created private stream see its history; false by default */
      readonly history_public_to_subscribers?: boolean | undefined;
      /** Announce created public streams in the notifications stream */
      readonly announce?: boolean | undefined;
      /** People to act for; an empty list means the caller */
      readonly principals?: readonly (string | number)[] | undefined;
      /** Refuse the request when a private stream cannot be accessed */
      readonly authorization_errors_fatal?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** new subscriptions by email address */
      readonly subscribed: Record<string, string[]>;
      readonly already_subscribed: Record<string, string[]>;
      /** present when authorization_errors_fatal is false */
      readonly unauthorized?: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Subscribe to some streams and unsubscribe from others */
  readonly 'PATCH /users/me/subscriptions': {
    readonly parameters: {
      /** Names of the streams to leave */
      readonly delete?: readonly string[] | undefined;
      /** Streams by name; the description is used for created streams, the color for new subscriptions */
      readonly add?: readonly {
        readonly name: string;
        readonly color?: string | undefined;
        readonly description?: string | undefined;
      }[] | undefined;
      /** Created streams are private */
      readonly invite_only?: boolean | undefined;
      /** Only administrators may post to created streams */
      readonly is_announcement_only?: boolean | undefined;
      /** New subscribers of a created private stream see its history; false by default */
      readonly history_public_to_subscribers?: boolean | undefined;
      /** Announce created public streams in the notifications stream */
      readonly announce?: boolean | undefined;
      /** People to act for; an empty list means the caller */
      readonly principals?: readonly (string | number)[] | undefined;
      /** Refuse the request when a private stream cannot be accessed */
      readonly authorization_errors_fatal?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** new subscriptions by email address */
      readonly subscribed: Record<string, string[]>;
      readonly already_subscribed: Record<string, string[]>;
      /** present when authorization_errors_fatal is false */
      readonly unauthorized?: string[];
      /** one stream name for each person and stream */
      readonly removed: string[];
      /** one stream name for each person and stream */
      readonly not_subscribed: string[];
      /** one stream name for each person and stream */
      readonly not_removed: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['StreamDoesNotExistError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Unsubscribe from streams */
  readonly 'DELETE /users/me/subscriptions': {
    readonly parameters: {
      /** Names of the streams to leave */
      readonly subscriptions: readonly string[];
      /** People to act for; an empty list means the caller */
      readonly principals?: readonly (string | number)[] | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** one stream name for each person and stream */
      readonly removed: string[];
      /** one stream name for each person and stream */
      readonly not_subscribed: string[];
      /** one stream name for each person and stream */
      readonly not_removed: string[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['StreamDoesNotExistError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Set properties of the caller's subscriptions */
  readonly 'POST /users/me/subscriptions/properties': {
    readonly parameters: {
      /** Streams, properties and their values; set in order */
      readonly subscription_data: readonly {
        readonly stream_id: number;
        /** `color` (`#` and three or six hex digits), or one of the booleans `in_home_view`, `is_muted`, `pin_to_top`, `desktop_notifications`, `audible_notifications`, `push_notifications`, `email_notifications`, `wildcard_mentions_notify` */
        readonly property: string;
        readonly value: string | boolean;
      }[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** what was set, as it was asked for */
      readonly subscription_data: {
        readonly stream_id: number;
        readonly property: string;
        readonly value: string | boolean;
      }[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Mute or unmute a topic */
  readonly 'PATCH /users/me/subscriptions/muted_topics': {
    readonly parameters: {
      /** The stream by id */
      readonly stream_id?: number | undefined;
      /** The stream by name */
      readonly stream?: string | undefined;
      /** The topic, at most 60 characters */
      readonly topic: string;
      /** `add` mutes, `remove` unmutes */
      readonly op: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Set one property of a subscription of the caller */
  readonly 'PATCH /users/me/subscriptions/{stream_id}': {
    readonly parameters: {
      /** The stream */
      readonly stream_id: number;
      /** `color` (`#` and three or six hex digits), or one of the booleans `in_home_view`, `is_muted`, `pin_to_top`, `desktop_notifications`, `audible_notifications`, `push_notifications`, `email_notifications`, `wildcard_mentions_notify` */
      readonly property: string;
      /** The colour, or `true` or `false` */
      readonly value: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** what was set, as it was asked for */
      readonly subscription_data: {
        readonly stream_id: number;
        readonly property: string;
        readonly value: string | boolean;
      }[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Tell whether somebody is subscribed to a stream */
  readonly 'GET /users/{user_id}/subscriptions/{stream_id}': {
    readonly parameters: {
      /** The person or bot */
      readonly user_id: number;
      /** The stream */
      readonly stream_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly is_subscribed: boolean;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Make a stream one that new people join */
  readonly 'POST /default_streams': {
    readonly parameters: {
      /** The stream by name, in any letter case */
      readonly stream_name?: string | undefined;
      /** The stream by id, as newer clients name it */
      readonly stream_id?: number | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['RequestVariableMissingError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Make a stream none that new people join */
  readonly 'DELETE /default_streams': {
    readonly parameters: {
      /** The stream by name, in any letter case */
      readonly stream_name?: string | undefined;
      /** The stream by id, as newer clients name it */
      readonly stream_id?: number | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['RequestVariableMissingError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Create a group of streams that people may join at their first visit */
  readonly 'POST /default_stream_groups/create': {
    readonly parameters: {
      /** At most 60 characters */
      readonly group_name: string;
      /** What the group is for, at most 1024 characters; may be empty */
      readonly description: string;
      /** Its streams, none of them a default stream */
      readonly stream_names: readonly string[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Rename or describe a group of streams */
  readonly 'PATCH /default_stream_groups/{group_id}': {
    readonly parameters: {
      /** The group */
      readonly group_id: number;
      /** A new name */
      readonly new_group_name?: string | undefined;
      /** A new description, at most 1024 characters */
      readonly new_description?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete a group of streams; the streams stay */
  readonly 'DELETE /default_stream_groups/{group_id}': {
    readonly parameters: {
      /** The group */
      readonly group_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add streams to a group, or remove them */
  readonly 'PATCH /default_stream_groups/{group_id}/streams': {
    readonly parameters: {
      /** The group */
      readonly group_id: number;
      /** `add` or `remove` */
      readonly op: string;
      /** The streams */
      readonly stream_names: readonly string[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the settings that a client needs before it signs in */
  readonly 'GET /server_settings': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly authentication_methods: Record<string, boolean>;
      readonly service_version: string;
      readonly zulip_version: string;
      readonly push_notifications_enabled: boolean;
      readonly is_incompatible: boolean;
      readonly email_auth_enabled: boolean;
      readonly require_email_format_usernames: boolean;
      readonly realm_uri: string;
      readonly realm_name?: string;
      readonly realm_icon?: string;
      readonly realm_logo?: string;
      readonly realm_night_logo?: string;
      /** HTML */
      readonly realm_description?: string;
      readonly external_authentication_methods: unknown[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the API key of an account by its password */
  readonly 'POST /fetch_api_key': {
    readonly parameters: {
      /** The email address of the account */
      readonly username: string;
      /** The password of the account */
      readonly password: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly api_key: string;
      /** the real address */
      readonly email: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | {
      readonly result: 'error';
      readonly msg: string;
      readonly reason: 'user disable' | 'realm deactivated' | 'password auth disabled' | 'incorrect_creds' | 'unregistered';
    } | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the API key of any account on a development server */
  readonly 'POST /dev_fetch_api_key': {
    readonly parameters: {
      /** The email address of the account */
      readonly username: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly api_key: string;
      /** the real address */
      readonly email: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | {
      readonly result: 'error';
      readonly msg: string;
      readonly reason: 'user disable' | 'realm deactivated' | 'password auth disabled' | 'incorrect_creds' | 'unregistered';
    } | Schemas['MethodNotAllowedError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the people that one may sign in as on a development server */
  readonly 'GET /dev_list_users': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly direct_admins: {
        readonly email: string;
        readonly realm_uri: string;
      }[];
      readonly direct_users: {
        readonly email: string;
        readonly realm_uri: string;
      }[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the people that one may sign in as on a development server */
  readonly 'POST /dev_list_users': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly direct_admins: {
        readonly email: string;
        readonly realm_uri: string;
      }[];
      readonly direct_users: {
        readonly email: string;
        readonly realm_uri: string;
      }[];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['MethodNotAllowedError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the caller's profile */
  readonly 'GET /users/me': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly user_id: number;
      readonly email: string;
      readonly full_name: string;
      readonly short_name: string;
      readonly avatar_url: string;
      readonly is_admin: boolean;
      readonly is_bot: boolean;
      /** -1 for a new account */
      readonly pointer: number;
      /** another one on every call */
      readonly client_id: string;
      /** the newest message that the account itself sent, -1 if there is none */
      readonly max_message_id: number;
      readonly profile_data?: Schemas['ProfileData'];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate the caller's own account and all its bots */
  readonly 'DELETE /users/me': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['CannotDeactivateLastUserError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Replace the caller's API key */
  readonly 'POST /users/me/api_key/regenerate': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly api_key: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List all accounts, active and deactivated, by ascending id */
  readonly 'GET /users': {
    readonly parameters: {
      /** avatar_url is null for accounts whose avatar is a Gravatar */
      readonly client_gravatar?: boolean | undefined;
      /** Add profile_data for humans */
      readonly include_custom_profile_fields?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly members: Schemas['Member'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Create a person */
  readonly 'POST /users': {
    readonly parameters: {
      /** The email address */
      readonly email: string;
      /** At least 6 characters, and not guessed in 10,000 tries */
      readonly password: string;
      /** At most 100 characters */
      readonly full_name: string;
      /** By default the part of the address before the @ */
      readonly short_name?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get one account, active or deactivated */
  readonly 'GET /users/{user_id}': {
    readonly parameters: {
      /** The id of the person or bot */
      readonly user_id: number;
      /** avatar_url is null for accounts whose avatar is a Gravatar */
      readonly client_gravatar?: boolean | undefined;
      /** Add profile_data for humans */
      readonly include_custom_profile_fields?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly user: Schemas['Member'];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change name, role or profile of a person or bot */
  readonly 'PATCH /users/{user_id}': {
    readonly parameters: {
      /** The id of the account */
      readonly user_id: number;
      /** A blank one is ignored */
      readonly full_name?: string | undefined;
      /** Whether the account is an administrator */
      readonly is_admin?: boolean | undefined;
      /** Whether the account is a guest */
      readonly is_guest?: boolean | undefined;
      /** Fields with their values; an empty value removes the entry */
      readonly profile_data?: readonly {
        readonly id: number;
        readonly value: string | number | readonly unknown[] | null;
      }[] | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate a person and all bots of that person */
  readonly 'DELETE /users/{user_id}': {
    readonly parameters: {
      /** The id of the account */
      readonly user_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Reactivate a person or bot */
  readonly 'POST /users/{user_id}/reactivate': {
    readonly parameters: {
      /** The id of the account */
      readonly user_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Replace the caller's avatar */
  readonly 'POST /users/me/avatar': {
    readonly parameters: {
      readonly file: Blob;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly avatar_url: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['BadImageError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Take away the caller's avatar */
  readonly 'DELETE /users/me/avatar': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly avatar_url: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Find the avatar of an account */
  readonly 'GET /avatar/{email_or_id}': {
    readonly parameters: {
      /** Email address or user id */
      readonly email_or_id: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Find the large avatar of an account */
  readonly 'GET /avatar/{email_or_id}/medium': {
    readonly parameters: {
      /** Email address or user id */
      readonly email_or_id: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['InvalidApiKeyError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get an uploaded avatar */
  readonly 'GET /user_avatars/{realm_id}/{file}': {
    readonly parameters: {
      /** The organization */
      readonly realm_id: string;
      /** As avatar_url says */
      readonly file: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the avatar of whom there is none */
  readonly 'GET /static/images/default-avatar.png': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the large avatar of whom there is none */
  readonly 'GET /static/images/default-avatar-medium.png': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Fill in custom profile fields */
  readonly 'PATCH /users/me/profile_data': {
    readonly parameters: {
      /** Fields with their values; person pickers take user ids */
      readonly data: readonly {
        readonly id: number;
        readonly value: string | number | readonly unknown[];
      }[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Empty custom profile fields */
  readonly 'DELETE /users/me/profile_data': {
    readonly parameters: {
      /** Ids of fields */
      readonly data: readonly number[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Say whether the Enter key sends */
  readonly 'POST /users/me/enter-sends': {
    readonly parameters: {
      /** Enter sends */
      readonly enter_sends: boolean;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Say that a tip of the tour was seen */
  readonly 'POST /users/me/hotspots': {
    readonly parameters: {
      /** The name of the tip */
      readonly hotspot: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change the caller's name or password */
  readonly 'PATCH /settings': {
    readonly parameters: {
      /** Ignored where names may not be changed */
      readonly full_name?: string | undefined;
      /** Refused unless it is the present address */
      readonly email?: string | undefined;
      /** Needed for a new password */
      readonly old_password?: string | undefined;
      /** As strong as that of a new account */
      readonly new_password?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** if it changed */
      readonly full_name?: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change how the caller's clients show things */
  readonly 'PATCH /settings/display': {
    readonly parameters: {
      /** Times run to 24 hours */
      readonly twenty_four_hour_time?: boolean | undefined;
      /** Lines stand close */
      readonly dense_mode?: boolean | undefined;
      /** Starred messages are counted */
      readonly starred_message_counts?: boolean | undefined;
      /** The whole width is used */
      readonly fluid_layout_width?: boolean | undefined;
      /** High contrast */
      readonly high_contrast_mode?: boolean | undefined;
      /** Dark colours */
      readonly night_mode?: boolean | undefined;
      /** Emoticons become emoji */
      readonly translate_emoticons?: boolean | undefined;
      /** A language code */
      readonly default_language?: string | undefined;
      /** People are listed on the left */
      readonly left_side_userlist?: boolean | undefined;
      /** `google`, `google-blob`, `twitter` or `text` */
      readonly emojiset?: string | undefined;
      /** 1 automatic, 2 always, 3 never */
      readonly demote_inactive_streams?: number | undefined;
      /** An IANA name */
      readonly timezone?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly default_language?: string;
      readonly demote_inactive_streams?: number;
      readonly dense_mode?: boolean;
      readonly emojiset?: string;
      readonly fluid_layout_width?: boolean;
      readonly high_contrast_mode?: boolean;
      readonly left_side_userlist?: boolean;
      readonly night_mode?: boolean;
      readonly starred_message_counts?: boolean;
      readonly translate_emoticons?: boolean;
      readonly twenty_four_hour_time?: boolean;
      readonly timezone?: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change what the caller is notified of */
  readonly 'PATCH /settings/notifications': {
    readonly parameters: {
      /** Streams, on the desktop */
      readonly enable_stream_desktop_notifications?: boolean | undefined;
      /** Streams, by mail */
      readonly enable_stream_email_notifications?: boolean | undefined;
      /** Streams, on mobile devices */
      readonly enable_stream_push_notifications?: boolean | undefined;
      /** Streams, by sound */
      readonly enable_stream_audible_notifications?: boolean | undefined;
      /** Mentions of all */
      readonly wildcard_mentions_notify?: boolean | undefined;
      /** `ding` or `zulip` */
      readonly notification_sound?: string | undefined;
      /** Mentions, on the desktop */
      readonly enable_desktop_notifications?: boolean | undefined;
      /** Mentions, by sound */
      readonly enable_sounds?: boolean | undefined;
      /** While away, by mail */
      readonly enable_offline_email_notifications?: boolean | undefined;
      /** While away, on mobile devices */
      readonly enable_offline_push_notifications?: boolean | undefined;
      /** While present, on mobile devices */
      readonly enable_online_push_notifications?: boolean | undefined;
      /** Digests by mail */
      readonly enable_digest_emails?: boolean | undefined;
      /** New logins by mail */
      readonly enable_login_emails?: boolean | undefined;
      /** Mails show messages */
      readonly message_content_in_email_notifications?: boolean | undefined;
      /** Desktop shows private messages */
      readonly pm_content_in_desktop_notifications?: boolean | undefined;
      /** 1 all unread, 2 private and mentions, 3 none */
      readonly desktop_icon_count_display?: number | undefined;
      /** Mails show the organization's name */
      readonly realm_name_in_notifications?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly enable_desktop_notifications?: boolean;
      readonly enable_digest_emails?: boolean;
      readonly enable_login_emails?: boolean;
      readonly enable_offline_email_notifications?: boolean;
      readonly enable_offline_push_notifications?: boolean;
      readonly enable_online_push_notifications?: boolean;
      readonly enable_sounds?: boolean;
      readonly enable_stream_desktop_notifications?: boolean;
      readonly enable_stream_email_notifications?: boolean;
      readonly enable_stream_push_notifications?: boolean;
      readonly enable_stream_audible_notifications?: boolean;
      readonly wildcard_mentions_notify?: boolean;
      readonly message_content_in_email_notifications?: boolean;
      readonly notification_sound?: string;
      readonly pm_content_in_desktop_notifications?: boolean;
      readonly desktop_icon_count_display?: number;
      readonly realm_name_in_notifications?: boolean;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the caller's own active bots with their keys */
  readonly 'GET /bots': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly bots: Schemas['OwnBot'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Create a bot of which the caller is the owner */
  readonly 'POST /bots': {
    readonly parameters: {
      /** No active account may have it */
      readonly full_name: string;
      /** The start of its address */
      readonly short_name: string;
      /** 1 generic, 2 incoming webhook, 3 outgoing webhook */
      readonly bot_type?: number | undefined;
      /** Where an outgoing-webhook bot reports to */
      readonly payload_url?: string | undefined;
      /** The name of its service, or the integration of an incoming-webhook bot */
      readonly service_name?: string | undefined;
      /** Texts by name */
      readonly config_data?: Record<string, string> | undefined;
      /** 1 generic, 2 Slack */
      readonly interface_type?: number | undefined;
      /** The name of a stream */
      readonly default_sending_stream?: string | undefined;
      /** The name of a stream */
      readonly default_events_register_stream?: string | undefined;
      /** Its event queues listen to all public streams */
      readonly default_all_public_streams?: boolean | undefined;
      readonly file?: Blob | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly user_id: number;
      readonly email: string;
      readonly api_key: string;
      readonly avatar_url: string;
      /** Name of a stream */
      readonly default_sending_stream: string | null;
      /** Name of a stream */
      readonly default_events_register_stream: string | null;
      readonly default_all_public_streams: boolean;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['BadImageError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change a bot */
  readonly 'PATCH /bots/{bot_id}': {
    readonly parameters: {
      /** The id of the bot */
      readonly bot_id: number;
      /** No other active account may have it */
      readonly full_name?: string | undefined;
      /** The new owner, no guest. The bot has at most the role of its owner, and another key where it lost a role or an owner who is no administrator gives it away */
      readonly bot_owner_id?: number | undefined;
      /** Texts by name; others stay */
      readonly config_data?: Record<string, string> | undefined;
      /** Where an outgoing-webhook bot reports to */
      readonly service_payload_url?: string | undefined;
      /** 1 generic, 2 Slack; goes with service_payload_url */
      readonly service_interface?: number | undefined;
      /** The name of a stream; empty for none */
      readonly default_sending_stream?: string | undefined;
      /** The name of a stream; empty for none */
      readonly default_events_register_stream?: string | undefined;
      /** Its event queues listen to all public streams */
      readonly default_all_public_streams?: boolean | undefined;
      readonly file?: Blob | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly full_name: string;
      readonly avatar_url: string;
      /** as given */
      readonly service_interface: number;
      /** as given */
      readonly service_payload_url: string | null;
      /** as given */
      readonly config_data: Record<string, string> | null;
      /** Name of a stream */
      readonly default_sending_stream: string | null;
      /** Name of a stream */
      readonly default_events_register_stream: string | null;
      readonly default_all_public_streams: boolean;
      /** email address, if it has one */
      readonly bot_owner?: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadImageError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate a bot */
  readonly 'DELETE /bots/{bot_id}': {
    readonly parameters: {
      /** The id of the bot */
      readonly bot_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Replace a bot's API key */
  readonly 'POST /bots/{bot_id}/api_key/regenerate': {
    readonly parameters: {
      /** The id of the bot */
      readonly bot_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly api_key: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Read what the caller stored */
  readonly 'GET /bot_storage': {
    readonly parameters: {
      /** By default all keys */
      readonly keys?: readonly string[] | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly storage: Record<string, string>;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Store texts under keys, for the caller alone */
  readonly 'PUT /bot_storage': {
    readonly parameters: {
      /** Texts by key */
      readonly storage: Record<string, string>;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete what the caller stored */
  readonly 'DELETE /bot_storage': {
    readonly parameters: {
      /** By default all keys */
      readonly keys?: readonly string[] | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the custom profile fields in their order */
  readonly 'GET /realm/profile_fields': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly custom_fields: Schemas['ProfileField'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add a custom profile field */
  readonly 'POST /realm/profile_fields': {
    readonly parameters: {
      /** The label, at most 40 characters */
      readonly name?: string | undefined;
      /** At most 80 characters */
      readonly hint?: string | undefined;
      /** The choices of a list, or the external account */
      readonly field_data?: unknown;
      /** A type as listed */
      readonly field_type: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly id: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Put the custom profile fields in another order */
  readonly 'PATCH /realm/profile_fields': {
    readonly parameters: {
      /** All ids in order */
      readonly order: readonly number[];
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change a custom profile field, but for its type */
  readonly 'PATCH /realm/profile_fields/{field_id}': {
    readonly parameters: {
      /** The id of the field */
      readonly field_id: number;
      /** The label, at most 40 characters */
      readonly name?: string | undefined;
      /** At most 80 characters */
      readonly hint?: string | undefined;
      /** The choices of a list, or the external account */
      readonly field_data?: unknown;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete a custom profile field with everything that was filled in */
  readonly 'DELETE /realm/profile_fields/{field_id}': {
    readonly parameters: {
      /** The id of the field */
      readonly field_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Answer nothing, with status 204 */
  readonly 'GET /generate_204': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Change settings of the organization */
  readonly 'PATCH /realm': {
    readonly parameters: {
      /** At most 40 characters */
      readonly name?: string | undefined;
      /** At most 1000 characters */
      readonly description?: string | undefined;
      /** New people have addresses of its domains */
      readonly emails_restricted_to_domains?: boolean | undefined;
      /** Addresses of throw-away services are refused */
      readonly disallow_disposable_email_addresses?: boolean | undefined;
      /** New people have to be invited */
      readonly invite_required?: boolean | undefined;
      /** Only administrators invite */
      readonly invite_by_admins_only?: boolean | undefined;
      /** People keep their names */
      readonly name_changes_disabled?: boolean | undefined;
      /** People keep their addresses */
      readonly email_changes_disabled?: boolean | undefined;
      /** People keep their avatars */
      readonly avatar_changes_disabled?: boolean | undefined;
      /** Messages show pictures that they link to */
      readonly inline_image_preview?: boolean | undefined;
      /** Messages show pages that they link to */
      readonly inline_url_embed_preview?: boolean | undefined;
      /** Only administrators add custom emoji */
      readonly add_emoji_by_admins_only?: boolean | undefined;
      /** People delete their own messages */
      readonly allow_message_deleting?: boolean | undefined;
      /** For so long; 0 for ever */
      readonly message_content_delete_limit_seconds?: number | undefined;
      /** Messages may be edited */
      readonly allow_message_editing?: boolean | undefined;
      /** People change topics of messages of others */
      readonly allow_community_topic_editing?: boolean | undefined;
      /** Clients ask for a topic */
      readonly mandatory_topics?: boolean | undefined;
      /** Content is edited for so long; 0 for ever */
      readonly message_content_edit_limit_seconds?: number | undefined;
      /** What messages were before is shown */
      readonly allow_edit_history?: boolean | undefined;
      /** A language code */
      readonly default_language?: string | undefined;
      /** Days until somebody is no longer new */
      readonly waiting_period_threshold?: number | undefined;
      /** New people get a mail */
      readonly send_welcome_emails?: boolean | undefined;
      /** Digests are mailed */
      readonly digest_emails_enabled?: boolean | undefined;
      /** Mails show messages */
      readonly message_content_allowed_in_email_notifications?: boolean | undefined;
      /** 1 everybody makes bots, 2 generic ones only administrators, 3 only administrators */
      readonly bot_creation_policy?: 1 | 2 | 3 | undefined;
      /** 1 members, 2 administrators, 3 after the waiting period */
      readonly create_stream_policy?: 1 | 2 | 3 | undefined;
      /** 1 members, 2 administrators, 3 after the waiting period */
      readonly invite_to_stream_policy?: 1 | 2 | 3 | undefined;
      /** 1 members, 2 administrators */
      readonly user_group_edit_policy?: 1 | 2 | undefined;
      /** 1 everybody sees addresses, 3 administrators */
      readonly email_address_visibility?: 1 | 3 | undefined;
      /** Times run to 24 hours for new people */
      readonly default_twenty_four_hour_time?: boolean | undefined;
      /** 1 Jitsi Meet, 2 Google Hangouts */
      readonly video_chat_provider?: number | undefined;
      /** Where calls of Google Hangouts are; empty only without them */
      readonly google_hangouts_domain?: string | undefined;
      /** 0 Monday to 6 Sunday */
      readonly digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | undefined;
      /** -1: messages are kept for ever */
      readonly message_retention_days?: -1 | undefined;
      /** Empty: there are no calls to Zoom */
      readonly zoom_user_id?: '' | undefined;
      /** Empty: there are no calls to Zoom */
      readonly zoom_api_key?: '' | undefined;
      /** Empty: there are no calls to Zoom */
      readonly zoom_api_secret?: '' | undefined;
      /** Ways to sign in, by the names that register tells */
      readonly authentication_methods?: Record<string, boolean> | undefined;
      /** New streams are announced there; negative is none */
      readonly notifications_stream_id?: number | undefined;
      /** New people are announced there; negative is none */
      readonly signup_notifications_stream_id?: number | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly add_emoji_by_admins_only?: boolean;
      readonly allow_edit_history?: boolean;
      readonly allow_message_deleting?: boolean;
      readonly default_twenty_four_hour_time?: boolean;
      readonly digest_emails_enabled?: boolean;
      readonly disallow_disposable_email_addresses?: boolean;
      readonly email_changes_disabled?: boolean;
      readonly invite_required?: boolean;
      readonly invite_by_admins_only?: boolean;
      readonly inline_image_preview?: boolean;
      readonly inline_url_embed_preview?: boolean;
      readonly mandatory_topics?: boolean;
      readonly name_changes_disabled?: boolean;
      readonly avatar_changes_disabled?: boolean;
      readonly emails_restricted_to_domains?: boolean;
      readonly send_welcome_emails?: boolean;
      readonly message_content_allowed_in_email_notifications?: boolean;
      readonly bot_creation_policy?: number;
      readonly create_stream_policy?: number;
      readonly invite_to_stream_policy?: number;
      readonly user_group_edit_policy?: number;
      readonly email_address_visibility?: number;
      readonly video_chat_provider?: number;
      readonly waiting_period_threshold?: number;
      readonly digest_weekday?: number;
      readonly default_language?: 'updated';
      readonly google_hangouts_domain?: 'updated';
      readonly allow_message_editing?: boolean;
      readonly allow_community_topic_editing?: boolean;
      readonly message_content_edit_limit_seconds?: number;
      readonly message_content_delete_limit_seconds?: number;
      readonly name?: 'updated';
      readonly description?: 'updated';
      /** By the name of a way to sign in that the server has */
      readonly authentication_methods?: Record<string, boolean>;
      readonly notifications_stream_id?: number;
      readonly signup_notifications_stream_id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate the organization */
  readonly 'POST /realm/deactivate': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the domains that addresses of new people may be restricted to */
  readonly 'GET /realm/domains': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly domains: Schemas['RealmDomain'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add a domain */
  readonly 'POST /realm/domains': {
    readonly parameters: {
      /** Such as `example.com` */
      readonly domain: string;
      /** Domains below it as well */
      readonly allow_subdomains: boolean;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** Its id, and the domain in lower case */
      readonly new_domain: [number, string];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Say whether a domain stands for those below it as well */
  readonly 'PATCH /realm/domains/{domain}': {
    readonly parameters: {
      /** The domain */
      readonly domain: string;
      /** Domains below it as well */
      readonly allow_subdomains: boolean;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Remove a domain */
  readonly 'DELETE /realm/domains/{domain}': {
    readonly parameters: {
      /** The domain */
      readonly domain: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Find the organization's icon */
  readonly 'GET /realm/icon': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Replace the organization's icon */
  readonly 'POST /realm/icon': {
    readonly parameters: {
      readonly file: Blob;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly icon_url: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['BadImageError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Take the organization's icon back to the default */
  readonly 'DELETE /realm/icon': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly icon_url: string;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Find the organization's logo */
  readonly 'GET /realm/logo': {
    readonly parameters: {
      /** The logo for dark ground */
      readonly night: boolean;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Replace the organization's logo for day or night */
  readonly 'POST /realm/logo': {
    readonly parameters: {
      /** The logo for dark ground */
      readonly night: boolean;
      readonly file: Blob;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['BadImageError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Take the organization's logo for day or night back to the default */
  readonly 'DELETE /realm/logo': {
    readonly parameters: {
      /** The logo for dark ground */
      readonly night: boolean;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get an uploaded icon or logo */
  readonly 'GET /user_avatars/{realm_id}/realm/{file}': {
    readonly parameters: {
      /** The organization */
      readonly realm_id: string;
      /** As the URL says */
      readonly file: string;
      /** As the URL says; the picture may be kept then */
      readonly version?: string | undefined;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the logo of organizations that have none */
  readonly 'GET /static/images/logo/parley-logo.png': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the logo for dark ground of organizations that have none */
  readonly 'GET /static/images/logo/parley-logo-night.png': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the custom emoji, deactivated ones included */
  readonly 'GET /realm/emoji': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** By id */
      readonly emoji: Record<string, Schemas['Emoji']>;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add a custom emoji */
  readonly 'POST /realm/emoji/{emoji_name}': {
    readonly parameters: {
      /** Lower-case letters, digits, `.`, `-` and `_`; spaces become `_` */
      readonly emoji_name: string;
      readonly file: Blob;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Deactivate a custom emoji */
  readonly 'DELETE /realm/emoji/{emoji_name}': {
    readonly parameters: {
      /** The name of an active one */
      readonly emoji_name: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the picture of a custom emoji */
  readonly 'GET /user_avatars/{realm_id}/emoji/images/{file}': {
    readonly parameters: {
      /** The organization */
      readonly realm_id: string;
      /** As source_url says */
      readonly file: string;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the picture of the one built-in emoji that is no character */
  readonly 'GET /static/generated/emoji/images/emoji/unicode/zulip.png': {
    readonly parameters: NoParameters;
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the patterns that become links in messages */
  readonly 'GET /realm/filters': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly filters: Schemas['Linkifier'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add a pattern that becomes links in messages */
  readonly 'POST /realm/filters': {
    readonly parameters: {
      /** A regular expression of prefixes and named groups such as `#(?P<id>[0-9]+)` */
      readonly pattern: string;
      /** A URL with the groups, such as `https://tickets.example.com/%(id)s` */
      readonly url_format_string: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly id: number;
    };
    readonly refusal: Schemas['PlainError'] | {
      readonly result: 'error';
      readonly msg: string;
      readonly errors: Record<string, string[]>;
    } | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['PlainError'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Remove a pattern that becomes links in messages */
  readonly 'DELETE /realm/filters/{filter_id}': {
    readonly parameters: {
      /** The id of the pattern */
      readonly filter_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** List the user groups */
  readonly 'GET /user_groups': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly user_groups: Schemas['UserGroup'][];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Create a user group */
  readonly 'POST /user_groups/create': {
    readonly parameters: {
      /** At most 100 characters; letter case counts */
      readonly name: string;
      /** User ids */
      readonly members?: readonly number[] | undefined;
      /** At most 1024 characters */
      readonly description: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Give a user group another name or description */
  readonly 'PATCH /user_groups/{group_id}': {
    readonly parameters: {
      /** The id of the group */
      readonly group_id: number;
      /** At most 100 characters */
      readonly name?: string | undefined;
      /** At most 1024 characters */
      readonly description?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete a user group */
  readonly 'DELETE /user_groups/{group_id}': {
    readonly parameters: {
      /** The id of the group */
      readonly group_id: number;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Add people to a user group, and take people out */
  readonly 'POST /user_groups/{group_id}/members': {
    readonly parameters: {
      /** The id of the group */
      readonly group_id: number;
      /** User ids to take out */
      readonly delete?: readonly number[] | undefined;
      /** User ids to add */
      readonly add?: readonly number[] | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['UnauthorizedPrincipalError400'] | Schemas['UnauthorizedPrincipalError403'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Say that one is away, or something in words */
  readonly 'POST /users/me/status': {
    readonly parameters: {
      /** Whether the caller is away */
      readonly away?: boolean | undefined;
      /** At most 60 characters; an empty one takes it away */
      readonly status_text?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Report the presence of the caller's client */
  readonly 'POST /users/me/presence': {
    readonly parameters: {
      /** `active` or `idle` */
      readonly status: string;
      /** The answer holds no data */
      readonly ping_only?: boolean | undefined;
      /** Whether the person has done anything since the last report; not used */
      readonly new_user_input?: boolean | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** By email address: active people with a report in the last 14 days */
      readonly presences?: Record<string, Schemas['Presence']>;
      /** Seconds since 1970, with a fraction */
      readonly server_timestamp?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the presence of one person */
  readonly 'GET /users/{email}/presence': {
    readonly parameters: {
      /** The email address */
      readonly email: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly presence: Schemas['Presence'];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get the presence of everybody */
  readonly 'GET /realm/presence': {
    readonly parameters: NoParameters;
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      /** By email address: active people with a report in the last 14 days */
      readonly presences: Record<string, Schemas['Presence']>;
      /** Seconds since 1970, with a fraction */
      readonly server_timestamp: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Tell that the caller starts or stops typing */
  readonly 'POST /typing': {
    readonly parameters: {
      /** `start` or `stop` */
      readonly op: string;
      /** Ids or email addresses as JSON list, or addresses as text with commas */
      readonly to?: string | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Register an event queue */
  readonly 'POST /register': {
    readonly parameters: {
      /** Render message content as HTML. */
      readonly apply_markdown?: boolean | undefined;
      /** The client makes Gravatar URLs itself: `avatar_url` is null where it can. */
      readonly client_gravatar?: boolean | undefined;
      /** Receive messages from all public streams. By default false; at register as the account is set up. */
      readonly all_public_streams?: boolean | undefined;
      /** Whether the returned subscriptions list the subscribers of each stream. */
      readonly include_subscribers?: boolean | undefined;
      /** Types of events wanted; every type by default. */
      readonly event_types?: readonly string[] | undefined;
      /** Types whose state is returned; by default those of `event_types`. */
      readonly fetch_event_types?: readonly string[] | undefined;
      /** Restricts message events: a list of `[operator, operand]` pairs, or one such pair. */
      readonly narrow?: readonly unknown[] | undefined;
      /** Idle seconds after which the queue is collected; 0 is the default of ten minutes, a week the most. */
      readonly queue_lifespan_secs?: number | undefined;
      /** What the client understands: `notification_settings_null`. Others are ignored. */
      readonly client_capabilities?: {
        readonly notification_settings_null?: boolean | undefined;
      } & Record<string, unknown> | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly queue_id: string;
      /** The state is exact as of this event */
      readonly last_event_id: number;
      /** With fetch type `alert_words` */
      readonly alert_words?: string[];
      /** With fetch type `custom_profile_fields` */
      readonly custom_profile_fields?: Schemas['ProfileField'][];
      /** With fetch type `custom_profile_fields` */
      readonly custom_profile_field_types?: {
        readonly SHORT_TEXT: {
          readonly id: number;
          readonly name: string;
        };
        readonly LONG_TEXT: {
          readonly id: number;
          readonly name: string;
        };
        readonly CHOICE: {
          readonly id: number;
          readonly name: string;
        };
        readonly DATE: {
          readonly id: number;
          readonly name: string;
        };
        readonly URL: {
          readonly id: number;
          readonly name: string;
        };
        readonly USER: {
          readonly id: number;
          readonly name: string;
        };
        readonly EXTERNAL_ACCOUNT: {
          readonly id: number;
          readonly name: string;
        };
      };
      /** With fetch type `default_streams` */
      readonly realm_default_streams?: Schemas['Stream'][];
      /** With fetch type `default_stream_groups` */
      readonly realm_default_stream_groups?: Schemas['DefaultStreamGroup'][];
      /** With fetch type `hotspots` */
      readonly hotspots?: {
        readonly name: string;
        readonly title: string;
        readonly description: string;
        readonly delay: number;
      }[];
      /** The newest message that the account has; -1 for none */
      readonly max_message_id?: number;
      /** Name of a stream, and topic */
      readonly muted_topics?: [string, string][];
      /** -1 for a new account */
      readonly pointer?: number;
      /** By email address: active people with a report in the last 14 days */
      readonly presences?: Record<string, Schemas['Presence']>;
      /** With fetch type `realm` */
      readonly realm_add_emoji_by_admins_only?: boolean;
      /** With fetch type `realm` */
      readonly realm_allow_edit_history?: boolean;
      /** With fetch type `realm` */
      readonly realm_allow_message_deleting?: boolean;
      /** With fetch type `realm` */
      readonly realm_default_twenty_four_hour_time?: boolean;
      /** With fetch type `realm` */
      readonly realm_digest_emails_enabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_disallow_disposable_email_addresses?: boolean;
      /** With fetch type `realm` */
      readonly realm_email_changes_disabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_invite_required?: boolean;
      /** With fetch type `realm` */
      readonly realm_invite_by_admins_only?: boolean;
      /** With fetch type `realm` */
      readonly realm_inline_image_preview?: boolean;
      /** With fetch type `realm` */
      readonly realm_inline_url_embed_preview?: boolean;
      /** With fetch type `realm` */
      readonly realm_mandatory_topics?: boolean;
      /** With fetch type `realm` */
      readonly realm_name_changes_disabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_avatar_changes_disabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_emails_restricted_to_domains?: boolean;
      /** With fetch type `realm` */
      readonly realm_send_welcome_emails?: boolean;
      /** With fetch type `realm` */
      readonly realm_message_content_allowed_in_email_notifications?: boolean;
      /** With fetch type `realm` */
      readonly realm_bot_creation_policy?: number;
      /** With fetch type `realm` */
      readonly realm_create_stream_policy?: number;
      /** With fetch type `realm` */
      readonly realm_invite_to_stream_policy?: number;
      /** With fetch type `realm` */
      readonly realm_user_group_edit_policy?: number;
      /** With fetch type `realm` */
      readonly realm_email_address_visibility?: number;
      /** With fetch type `realm` */
      readonly realm_video_chat_provider?: number;
      /** With fetch type `realm` */
      readonly realm_waiting_period_threshold?: number;
      /** With fetch type `realm` */
      readonly realm_digest_weekday?: number;
      /** With fetch type `realm` */
      readonly realm_default_language?: string;
      /** With fetch type `realm` */
      readonly realm_google_hangouts_domain?: string;
      /** With fetch type `realm` */
      readonly realm_allow_message_editing?: boolean;
      /** With fetch type `realm` */
      readonly realm_allow_community_topic_editing?: boolean;
      /** With fetch type `realm` */
      readonly realm_message_content_edit_limit_seconds?: number;
      /** With fetch type `realm` */
      readonly realm_message_content_delete_limit_seconds?: number;
      /** null: messages are kept */
      readonly realm_message_retention_days?: number | null;
      /** With fetch type `realm` */
      readonly realm_name?: string;
      /** With fetch type `realm` */
      readonly realm_description?: string;
      /** With fetch type `realm` */
      readonly realm_uri?: string;
      /** With fetch type `realm` */
      readonly realm_bot_domain?: string;
      /** By the name of a way to sign in that the server has */
      readonly realm_authentication_methods?: Record<string, boolean>;
      /** With fetch type `realm` */
      readonly realm_icon_url?: string;
      /** With fetch type `realm` */
      readonly realm_icon_source?: 'G' | 'U';
      /** With fetch type `realm` */
      readonly realm_logo_url?: string;
      /** With fetch type `realm` */
      readonly realm_logo_source?: 'D' | 'U';
      /** With fetch type `realm` */
      readonly realm_night_logo_url?: string;
      /** With fetch type `realm` */
      readonly realm_night_logo_source?: 'D' | 'U';
      /** MiB */
      readonly max_icon_file_size?: number;
      /** MiB */
      readonly max_logo_file_size?: number;
      /** -1: none */
      readonly realm_notifications_stream_id?: number;
      /** -1: none */
      readonly realm_signup_notifications_stream_id?: number;
      /** With fetch type `realm` */
      readonly realm_presence_disabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_is_zephyr_mirror_realm?: boolean;
      /** With fetch type `realm` */
      readonly realm_email_auth_enabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_password_auth_enabled?: boolean;
      /** With fetch type `realm` */
      readonly realm_push_notifications_enabled?: boolean;
      /** With fetch type `realm` */
      readonly settings_send_digest_emails?: boolean;
      /** With fetch type `realm` */
      readonly plan_includes_wide_organization_logo?: boolean;
      /** Bytes */
      readonly realm_upload_quota?: number | null;
      /** With fetch type `realm` */
      readonly realm_plan_type?: number;
      /** With fetch type `realm` */
      readonly upgrade_text_for_wide_organization_logo?: string;
      /** With fetch type `realm` */
      readonly realm_available_video_chat_providers?: Record<string, {
        readonly name: string;
        readonly id: number;
      }>;
      /** With fetch type `realm` */
      readonly realm_default_external_accounts?: Record<string, {
        readonly text: string;
        readonly url_pattern: string;
        readonly name: string;
        readonly hint: string;
      }>;
      /** With fetch type `realm_bot` */
      readonly realm_bots?: Schemas['ManagedBot'][];
      /** With fetch type `realm_domains` */
      readonly realm_domains?: Schemas['RealmDomain'][];
      /** With fetch type `realm_embedded_bots` */
      readonly realm_embedded_bots?: Schemas['BotIntegration'][];
      /** With fetch type `realm_incoming_webhook_bots` */
      readonly realm_incoming_webhook_bots?: Schemas['BotIntegration'][];
      /** By id */
      readonly realm_emoji?: Record<string, Schemas['Emoji']>;
      /** With fetch type `realm_filters` */
      readonly realm_filters?: Schemas['Linkifier'][];
      /** With fetch type `realm_user` */
      readonly realm_users?: Schemas['User'][];
      /** With fetch type `realm_user` */
      readonly realm_non_active_users?: Schemas['User'][];
      /** With fetch type `realm_user` */
      readonly cross_realm_bots?: Schemas['SystemBot'][];
      /** With fetch type `realm_user` */
      readonly avatar_source?: 'G' | 'U';
      /** With fetch type `realm_user` */
      readonly avatar_url?: string;
      /** With fetch type `realm_user` */
      readonly avatar_url_medium?: string;
      /** With fetch type `realm_user` */
      readonly email?: string;
      /** With fetch type `realm_user` */
      readonly delivery_email?: string;
      /** With fetch type `realm_user` */
      readonly full_name?: string;
      /** With fetch type `realm_user` */
      readonly user_id?: number;
      /** With fetch type `realm_user` */
      readonly is_admin?: boolean;
      /** With fetch type `realm_user` */
      readonly is_guest?: boolean;
      /** With fetch type `realm_user` */
      readonly enter_sends?: boolean;
      /** With fetch type `realm_user` */
      readonly can_create_streams?: boolean;
      /** With fetch type `realm_user` */
      readonly can_subscribe_other_users?: boolean;
      /** With fetch type `realm_user_groups` */
      readonly realm_user_groups?: Schemas['UserGroup'][];
      /** With fetch type `recent_private_conversations` */
      readonly recent_private_conversations?: {
        readonly max_message_id: number;
        readonly user_ids: number[];
      }[];
      /** Ids of messages, ascending */
      readonly starred_messages?: number[];
      /** With fetch type `stop_words` */
      readonly stop_words?: string[];
      /** With fetch type `stream` */
      readonly streams?: Schemas['Stream'][];
      /** With fetch type `stream` */
      readonly stream_name_max_length?: number;
      /** With fetch type `stream` */
      readonly stream_description_max_length?: number;
      /** With fetch type `subscription` */
      readonly subscriptions?: Schemas['Subscription'][];
      /** With fetch type `subscription` */
      readonly unsubscribed?: Schemas['Subscription'][];
      /** With fetch type `subscription` */
      readonly never_subscribed?: Schemas['NeverSubscribedStream'][];
      /** With fetch type `update_display_settings` */
      readonly default_language?: string;
      /** With fetch type `update_display_settings` */
      readonly demote_inactive_streams?: number;
      /** With fetch type `update_display_settings` */
      readonly dense_mode?: boolean;
      /** With fetch type `update_display_settings` */
      readonly emojiset?: string;
      /** With fetch type `update_display_settings` */
      readonly fluid_layout_width?: boolean;
      /** With fetch type `update_display_settings` */
      readonly high_contrast_mode?: boolean;
      /** With fetch type `update_display_settings` */
      readonly left_side_userlist?: boolean;
      /** With fetch type `update_display_settings` */
      readonly night_mode?: boolean;
      /** With fetch type `update_display_settings` */
      readonly starred_message_counts?: boolean;
      /** With fetch type `update_display_settings` */
      readonly translate_emoticons?: boolean;
      /** With fetch type `update_display_settings` */
      readonly twenty_four_hour_time?: boolean;
      /** With fetch type `update_display_settings` */
      readonly timezone?: string;
      /** With fetch type `update_display_settings` */
      readonly emojiset_choices?: {
        readonly key: string;
        readonly text: string;
      }[];
      /** With fetch type `update_global_notifications` */
      readonly enable_desktop_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_digest_emails?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_login_emails?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_offline_email_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_offline_push_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_online_push_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_sounds?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_stream_desktop_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_stream_email_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_stream_push_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly enable_stream_audible_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly wildcard_mentions_notify?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly message_content_in_email_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly notification_sound?: string;
      /** With fetch type `update_global_notifications` */
      readonly pm_content_in_desktop_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly desktop_icon_count_display?: number;
      /** With fetch type `update_global_notifications` */
      readonly realm_name_in_notifications?: boolean;
      /** With fetch type `update_global_notifications` */
      readonly available_notification_sounds?: string[];
      /** By user id: those who are away or have a text */
      readonly user_status?: Record<string, Schemas['UserStatus']>;
      /** With fetch type `zulip_version` */
      readonly zulip_version?: string;
      readonly unread_msgs?: Schemas['UnreadMessages'];
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadNarrowError'] | Schemas['MethodNotAllowedError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get events from a queue */
  readonly 'GET /events': {
    readonly parameters: {
      /** The queue, from register. */
      readonly queue_id?: string | undefined;
      /** The highest event id received and acknowledged; required with `queue_id`. */
      readonly last_event_id?: number | undefined;
      /** Answer at once, even with nothing. */
      readonly dont_block?: boolean | undefined;
      /** Render message content as HTML. */
      readonly apply_markdown?: boolean | undefined;
      /** The client makes Gravatar URLs itself: `avatar_url` is null where it can. */
      readonly client_gravatar?: boolean | undefined;
      /** Receive messages from all public streams. By default false; at register as the account is set up. */
      readonly all_public_streams?: boolean | undefined;
      /** Whether the returned subscriptions list the subscribers of each stream. */
      readonly include_subscribers?: boolean | undefined;
      /** Types of events wanted; every type by default. */
      readonly event_types?: readonly string[] | undefined;
      /** Types whose state is returned; by default those of `event_types`. */
      readonly fetch_event_types?: readonly string[] | undefined;
      /** Restricts message events: a list of `[operator, operand]` pairs, or one such pair. */
      readonly narrow?: readonly unknown[] | undefined;
      /** As `queue_lifespan_secs` of register. */
      readonly lifespan_secs?: number | undefined;
      /** The same under the name that register uses. */
      readonly queue_lifespan_secs?: number | undefined;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
      readonly events: Schemas['Event'][];
      readonly queue_id: string;
      /** Of a queue that was registered by this request */
      readonly last_event_id?: number;
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadEventQueueIdError'] | Schemas['BadNarrowError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Delete an event queue */
  readonly 'DELETE /events': {
    readonly parameters: {
      /** The queue, from register. */
      readonly queue_id: string;
    };
    readonly answer: {
      readonly result: 'success';
      readonly msg: '';
    };
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadEventQueueIdError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
  /** Get events from a queue as a stream */
  readonly 'GET /events/stream': {
    readonly parameters: {
      /** The queue, from register. */
      readonly queue_id: string;
      /** The highest event id received and acknowledged; required without a `Last-Event-ID` header. */
      readonly last_event_id?: number | undefined;
    };
    readonly answer: Response;
    readonly refusal: Schemas['PlainError'] | Schemas['BadRequestError'] | Schemas['RequestVariableMissingError'] | Schemas['RequestVariableInvalidError'] | Schemas['BadEventQueueIdError'] | Schemas['RateLimitError'] | Schemas['ServiceUnavailableError'];
  };
};

/** Operations whose path is not below `/api/v1`. */
export const operationsBelowRoot: ReadonlySet<string> = new Set([
  'GET /user_uploads/{realm_id}/{path}',
  'GET /thumbnail',
  'GET /avatar/{email_or_id}',
  'GET /avatar/{email_or_id}/medium',
  'GET /user_avatars/{realm_id}/{file}',
  'GET /static/images/default-avatar.png',
  'GET /static/images/default-avatar-medium.png',
  'GET /user_avatars/{realm_id}/realm/{file}',
  'GET /static/images/logo/parley-logo.png',
  'GET /static/images/logo/parley-logo-night.png',
  'GET /user_avatars/{realm_id}/emoji/images/{file}',
  'GET /static/generated/emoji/images/emoji/unicode/zulip.png',
]);

/** Operations whose parameter `body` is the JSON body of the request. */
export const operationsWithJsonBody: ReadonlySet<string> = new Set([
  'POST /external/helloworld',
  'POST /external/github',
  'POST /external/gitlab',
  'POST /external/circleci',
  'POST /external/sentry',
  'POST /external/alertmanager',
  'POST /external/ifttt',
  'POST /external/zapier',
  'POST /external/zabbix',
  'POST /external/splunk',
]);
