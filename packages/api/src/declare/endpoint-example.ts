/**
 * One example of each endpoint, from which the documentation makes calls in several languages; a test runs them all. A text or number that
 * differs between organizations is an `ExampleVariable`.
 */

/** A value that readers must replace by their own: the calls take it from the environment variable with this name. */
export class ExampleVariable {
  readonly name: string;
  readonly type: 'integer' | 'string';
  /** Where readers find their own value, in a few words of markdown. */
  readonly from: string;

  constructor(name: string, type: ExampleVariable['type'], from: string) {
    this.name = name;
    this.type = type;
    this.from = from;
  }
}

function integer(name: string, from: string): ExampleVariable {
  return new ExampleVariable(name, 'integer', from);
}

function string(name: string, from: string): ExampleVariable {
  return new ExampleVariable(name, 'string', from);
}

/** All variables of examples. If two have one name, the example needs a separate object, which it may change or remove. */
export const exampleVariables = {
  messageId: integer('MESSAGE_ID', '`id` in the answer of `POST messages`'),
  pollId: integer(
    'MESSAGE_ID',
    '`id` in the answer of `POST messages` with `/poll` as its first word',
  ),
  streamId: integer('STREAM_ID', '`stream_id` in the answer of `GET streams`'),
  spareStreamId: integer('STREAM_ID', '`stream_id` in the answer of `GET streams`'),
  userId: integer('USER_ID', '`user_id` in the answer of `GET users`'),
  spareUserId: integer('USER_ID', '`user_id` in the answer of `GET users`'),
  deactivatedUserId: integer('USER_ID', '`user_id` in the answer of `GET users`'),
  botId: integer('BOT_ID', '`user_id` in the answer of `GET users`'),
  userGroupId: integer('GROUP_ID', '`id` in the answer of `GET user_groups`'),
  defaultStreamGroupId: integer(
    'GROUP_ID',
    '`id` in the `realm_default_stream_groups` of `POST register`',
  ),
  scimTokenId: integer('TOKEN_ID', '`id` in the answer of `GET scim_tokens`'),
  sessionId: integer('SESSION_ID', '`session_id` in the answer of `GET sessions`'),
  profileFieldId: integer('FIELD_ID', '`id` in the answer of `GET realm/profile_fields`'),
  otherProfileFieldId: integer(
    'OTHER_FIELD_ID',
    '`id` in the answer of `GET realm/profile_fields`',
  ),
  linkifierId: integer('FILTER_ID', '`id` in the answer of `POST realm/filters`'),
  exportId: integer('EXPORT_ID', '`id` in the answer of `GET export/realm`'),
  attachmentId: integer('ATTACHMENT_ID', '`id` in the answer of `GET attachments`'),
  scheduledMessageId: integer(
    'SCHEDULED_MESSAGE_ID',
    '`scheduled_message_id` in the answer of `GET scheduled_messages`',
  ),
  draftId: integer('DRAFT_ID', '`ids` in the answer of `POST drafts`'),
  queueId: string('QUEUE_ID', '`queue_id` in the answer of `POST register`'),
  lastEventId: integer(
    'LAST_EVENT_ID',
    '`last_event_id` in the answer of `POST register`, later the `id` of the last event',
  ),
  newPassword: string('NEW_PASSWORD', 'a password of your choice'),
  resetToken: string('TOKEN', 'the part of the link in the mail after `/#reset/`'),
  confirmToken: string('TOKEN', 'the part of the link in the mail after `/#confirm/`'),
  joinToken: string('TOKEN', 'the part of the link in the mail after `/#join/`'),
  invitationLinkToken: string('TOKEN', 'the part of the `invite_link` after `/#join/`'),
  identityId: integer('IDENTITY_ID', '`identity_id` in the answer of `GET sso/identities`'),
  invitationId: integer('INVITE_ID', '`id` in the answer of `GET invites`'),
  invitationLinkId: integer('INVITE_ID', '`id` in the answer of `GET invites`'),
  password: string('PARLEY_PASSWORD', 'the password of the account'),
  email: string('PARLEY_EMAIL', 'the address of the account'),
  realmId: string('REALM_ID', 'the number in addresses of files, such as `/user_uploads/1/…`'),
  uploadedPath: string(
    'FILE_PATH',
    'the part after the number in the `uri` that `POST user_uploads` answered',
  ),
  uploadedUri: string('FILE_URI', 'the `uri` that `POST user_uploads` answered, without its slash'),
  avatarFile: string('AVATAR_FILE', 'the last part of an `avatar_url`, without its query'),
  emojiFile: string('EMOJI_FILE', 'the last part of a `source_url` of `GET realm/emoji`'),
  realmPictureFile: string(
    'PICTURE_FILE',
    'the last part of `realm_icon` in `GET server_settings`',
  ),
} as const;

export type ExampleVariableName = keyof typeof exampleVariables;

/** A value, possibly with variables in it. */
export type ExampleValue =
  | string
  | number
  | boolean
  | null
  | ExampleVariable
  | readonly ExampleValue[]
  | { readonly [key: string]: ExampleValue };

/** The caller. */
export type ExampleCaller = 'member' | 'administrator' | 'bot' | 'incoming-webhook bot' | 'nobody';

export type EndpointExample<Name extends string = string> = {
  /** By default the account that the access requires, otherwise a member. */
  readonly as?: ExampleCaller;
  /** By the names of declared parameters; absent ones are not sent. */
  readonly parameters?: { readonly [Each in Name]?: ExampleValue };
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of a file to send. */
  readonly file?: string;
  /** The name of the file for an answer that is not JSON. */
  readonly savedAs?: string;
};
