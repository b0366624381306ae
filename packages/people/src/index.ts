export { createPeopleContext } from './people-context.ts';
export type { PeopleContext, SignOnOutcome } from './people-context.ts';

export { changeEmail } from './accounts/change-email.ts';
export { changeOwnAccount } from './accounts/change-own-account.ts';
export { changePerson } from './accounts/change-person.ts';
export { createPerson } from './accounts/create-person.ts';
export { deactivateAccount } from './accounts/deactivate-account.ts';
export { isEmailShaped } from './accounts/email-rules.ts';
export { loadPasswordDictionaries } from './accounts/password-strength.ts';
export * from './accounts/mailbox.ts';
export * from './accounts/full-name.ts';
export { reactivateAccount } from './accounts/reactivate-account.ts';
export { prepareProof, provenByOperator } from './accounts/prove-caller.ts';
export * from './accounts/replace-api-key.ts';
export * from './accounts/set-password.ts';
export * from './accounts/sign-in.ts';
export {
  accountDisabled,
  checkEmailShape,
  incorrectCredentials,
  notRegistered,
  organizationDeactivated,
  passwordSignInDisabled,
} from './accounts/sign-in-refusals.ts';

export { avatarKey, avatarSides, findOneFile } from './avatars/avatar-files.ts';
export { removeOwnAvatar, uploadOwnAvatar } from './avatars/change-avatar.ts';

export { checkShortName } from './bots/bot-rules.ts';
export { changeBot } from './bots/change-bot.ts';
export * from './bots/change-storage.ts';
export { createBot } from './bots/create-bot.ts';

export * from './exports/realm-exports.ts';

export * from './organization/change-domains.ts';
export * from './organization/change-emoji.ts';
export {
  checkMayEditGroupsEarly,
  changeGroup,
  changeGroupMembers,
  createGroup,
  removeGroup,
} from './organization/change-groups.ts';
export * from './organization/change-linkifiers.ts';
export * from './organization/change-pictures.ts';
export * from './organization/change-realm.ts';
export { createOrganization } from './organization/create-organization.ts';
export * from './organization/deactivate-organization.ts';
export { checkDomain } from './organization/domain-rules.ts';
export * from './organization/linkifier-rules.ts';
export * from './organization/reactivate-organization.ts';
export * from './organization/set-string-id.ts';

export { unlinkIdentity } from './sso/identities.ts';
export { isSingleSignOnUsed, signInPath } from './sso/providers.ts';
export { beginSingleSignOn, finishSingleSignOn, prepareSignOut } from './sso/single-sign-on.ts';
export type { FinishedSignIn, ReturnedSignIn } from './sso/single-sign-on.ts';
export {
  changeProvisionedPerson,
  createProvisionedPerson,
  deleteProvisionedPerson,
} from './scim/provision-person.ts';
export type { ProvisionedPerson } from './scim/provision-person.ts';
export * from './scim/provision-group.ts';
export * from './scim/scim-tokens.ts';

export * from './sessions/add-push-subscription.ts';
export * from './sessions/change-sessions.ts';

export { confirmEmailChange } from './account-links/change-own-email.ts';
export {
  invitePeople,
  invitedAs,
  makeInvitationLink,
  resendInvitation,
  revokeInvitation,
} from './account-links/invite.ts';
export type { InvitationTerms } from './account-links/invite.ts';
export { join, lookAtJoinLink, requestToJoin } from './account-links/join.ts';
export { addressOfLink, isOpenToStrangers } from './account-links/links.ts';
export * from './account-links/reset-password.ts';

export { writeTestMail } from './mails/write-mail.ts';

export { readPictures } from './pictures/picture-maker.ts';

export * from './profile-fields/change-fields.ts';
export { changeOwnProfile } from './profile-fields/change-values.ts';

export * from './settings/change-settings.ts';

export { givenMembers } from './typed-members.ts';
