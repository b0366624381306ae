export type { PresenceContext } from './context.ts';
export { createPresenceContext } from './service.ts';

// What the operator's command does with people and bots, by the rules of the endpoints.
export { avatarKey } from './avatars/avatar-files.ts';
export { changeEmail } from './accounts/change-email.ts';
export { changePerson } from './accounts/change-person.ts';
export { createPerson } from './accounts/create-person.ts';
export { deactivateAccount } from './accounts/deactivate-account.ts';
export { reactivateAccount } from './accounts/reactivate-account.ts';
export { replaceApiKey } from './accounts/replace-api-key.ts';
export { setPassword } from './accounts/set-password.ts';
export { createBot } from './bots/create-bot.ts';
export { emojiFileKey } from './organization/change-emoji.ts';
export { changeRealm } from './organization/change-realm.ts';
export { deactivateOrganization } from './organization/deactivate-organization.ts';
export { policyValues } from './organization/realm-settings.ts';
export { reactivateOrganization } from './organization/reactivate-organization.ts';
export { setStringId } from './organization/set-string-id.ts';
export { createOrganization } from './organization/create-organization.ts';
