import { badRequest, limits, withoutCode } from '@parley/contracts';
import { findLanguageName } from '@parley/store';
import type { RealmSettings } from '@parley/store';

/** What PATCH realm asks for; what is absent stays. */
export type RealmRequest = {
  readonly name?: string;
  readonly description?: string;
  readonly settings: Partial<RealmSettings>;
  /** By the names that the server knows them by; see `authenticationMethods` of the store. */
  readonly authenticationMethods?: Readonly<Record<string, boolean>>;
  /** Negative is none. */
  readonly notificationsStreamId?: number;
  readonly signupNotificationsStreamId?: number;
};

const videoChatProviders: ReadonlySet<number> = new Set([1, 2, 3]);

/** Values that integers may have (reference facts, people 14.1). */
export const policyValues = {
  bot_creation_policy: [1, 2, 3],
  create_stream_policy: [1, 2, 3],
  invite_to_stream_policy: [1, 2, 3],
  user_group_edit_policy: [1, 2],
  email_address_visibility: [1, 3],
  digest_weekday: [0, 1, 2, 3, 4, 5, 6],
} as const;

/** Events tell these three together whenever one of them changes (reference facts, events 14.1). */
export const editingSettings = [
  'allow_message_editing',
  'message_content_edit_limit_seconds',
  'allow_community_topic_editing',
] as const;

/** It has an event of its own kind (reference facts, events 14.1). */
export const deletionLimit = 'message_content_delete_limit_seconds';

function length(text: string): number {
  return Array.from(text).length;
}

/** @throws ApiError with the first value that is none (reference facts, people 14.1) */
export function checkRealmRequest(request: RealmRequest): void {
  const { name, description, settings, authenticationMethods } = request;
  const { default_language: language, video_chat_provider: provider } = settings;
  if (language !== undefined && findLanguageName(language) === undefined)
    throw badRequest(`Invalid language '${language}'`);
  if (
    description !== undefined &&
    length(description) > limits.organizationDescriptionMaxCodePoints
  )
    throw withoutCode('Organization description is too long.');
  if (name !== undefined && length(name) > limits.organizationNameMaxCodePoints)
    throw withoutCode('Organization name is too long.');
  if (authenticationMethods !== undefined) checkSomeMethod(authenticationMethods);
  if (provider !== undefined && !videoChatProviders.has(provider))
    throw withoutCode(`Invalid video_chat_provider ${provider}`);
}

/**
 * Refuses an organization into which nobody could sign in.
 *
 * @throws ApiError without code
 */
export function checkSomeMethod(methods: Readonly<Record<string, boolean>>): void {
  if (!Object.values(methods).includes(true))
    throw withoutCode('At least one authentication method must be enabled.');
}
