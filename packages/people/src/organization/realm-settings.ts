import { badRequest, limits, withoutCode } from '@parley/api';
import { findLanguageName } from '@parley/store';
import type { RealmSettings } from '@parley/api/organization';

import { checkDomain } from './domain-rules.ts';

/** The changes that PATCH realm requests; absent members stay unchanged. */
export type RealmRequest = {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly settings: {
    readonly [Name in keyof RealmSettings]?: RealmSettings[Name] | undefined;
  };
  /** By the server's names; see `authenticationMethods` of `@parley/store/objects`. */
  readonly authenticationMethods?: Readonly<Record<string, boolean>> | undefined;
  /** Negative means none. */
  readonly notificationsStreamId?: number | undefined;
  readonly signupNotificationsStreamId?: number | undefined;
};

const googleHangouts = 2;
const videoChatProviders: ReadonlySet<number> = new Set([1, googleHangouts]);

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

/** @throws ApiError for the first invalid value (reference facts, people 14.1) */
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
 * @param stored the settings before the request
 * @returns the requested settings, with the domain of calls in its canonical spelling
 * @throws ApiError without code if calls would have no valid domain (reference facts, people 14.1)
 */
export function withCheckedCalls(
  stored: RealmSettings,
  wanted: Partial<RealmSettings>,
): Partial<RealmSettings> {
  const { video_chat_provider: provider, google_hangouts_domain: domain } = wanted;
  if (provider === undefined && domain === undefined) return wanted;
  const now = { ...stored, ...wanted };
  const isNeeded = now.video_chat_provider === googleHangouts;
  if (domain === undefined) {
    if (isNeeded) checkDomain(now.google_hangouts_domain);
    return wanted;
  }
  const isEmpty = domain.trim() === '' && !isNeeded;
  return { ...wanted, google_hangouts_domain: isEmpty ? '' : checkDomain(domain) };
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
