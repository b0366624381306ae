export { createPeopleContext } from './people-context.ts';
export type { PeopleContext, SignOnOutcome } from './people-context.ts';

export { changeEmail } from './accounts/change-email.ts';
export { changeOwnAccount } from './accounts/change-own-account.ts';
export { changePerson } from './accounts/change-person.ts';
export { createPerson } from './accounts/create-person.ts';
export { deactivateAccount } from './accounts/deactivate-account.ts';
export { isEmailShaped } from './accounts/email-rules.ts';
export { loadPasswordDictionaries } from './accounts/password-strength.ts';
export { isSameMailbox } from './accounts/mailbox.ts';
export { checkFullName } from './accounts/full-name.ts';
export { reactivateAccount } from './accounts/reactivate-account.ts';
export { prepareProof, provenByOperator } from './accounts/prove-caller.ts';
export { replaceApiKey } from './accounts/replace-api-key.ts';
export { setPassword } from './accounts/set-password.ts';
export { signInByPassword, signInForDevelopment } from './accounts/sign-in.ts';
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
export { deleteStorage, readStorage, writeStorage } from './bots/change-storage.ts';
export { createBot } from './bots/create-bot.ts';

export {
  deleteExport,
  makeExport,
  realmExportJson,
  requestExport,
} from './exports/realm-exports.ts';

export { addDomain, changeDomain, removeDomain } from './organization/change-domains.ts';
export {
  addEmoji,
  emojiFileKey,
  emojiSide,
  pictureExtensions,
  removeEmoji,
} from './organization/change-emoji.ts';
export {
  checkMayEditGroupsEarly,
  changeGroup,
  changeGroupMembers,
  createGroup,
  removeGroup,
} from './organization/change-groups.ts';
export { addLinkifier, removeLinkifier } from './organization/change-linkifiers.ts';
export { pictureUrl, removePicture, uploadPicture } from './organization/change-pictures.ts';
export { changeRealm } from './organization/change-realm.ts';
export { createOrganization } from './organization/create-organization.ts';
export { deactivateOrganization } from './organization/deactivate-organization.ts';
export { checkDomain } from './organization/domain-rules.ts';
export { checkLinkifier } from './organization/linkifier-rules.ts';
export { reactivateOrganization } from './organization/reactivate-organization.ts';
export { setStringId } from './organization/set-string-id.ts';

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
export {
  changeProvisionedGroup,
  createProvisionedGroup,
  deleteProvisionedGroup,
} from './scim/provision-group.ts';
export type { ProvisionedGroup, MembersChange } from './scim/provision-group.ts';
export { makeScimToken, revokeScimToken } from './scim/scim-tokens.ts';

export { addPushSubscription } from './sessions/add-push-subscription.ts';
export { endOtherSessions, endSession, openSession } from './sessions/change-sessions.ts';

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
export { requestPasswordReset, resetPassword } from './account-links/reset-password.ts';

export { writeTestMail } from './mails/write-mail.ts';

export { readPictures } from './pictures/picture-maker.ts';

export {
  addField,
  changeField,
  removeField,
  reorderFields,
} from './profile-fields/change-fields.ts';
export { changeOwnProfile } from './profile-fields/change-values.ts';

export {
  changeDisplaySettings,
  changeNotificationSettings,
  markHotspotSeen,
  setEnterSends,
} from './settings/change-settings.ts';

export { givenMembers } from './typed-members.ts';
