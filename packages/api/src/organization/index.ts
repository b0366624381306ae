export {
  addRealmDomainEndpoint,
  changeRealmDomainEndpoint,
  listRealmDomainsEndpoint,
  removeRealmDomainEndpoint,
} from './domains.ts';
export {
  addRealmEmojiEndpoint,
  getEmojiFileEndpoint,
  getExtraEmojiEndpoint,
  listRealmEmojiEndpoint,
  removeRealmEmojiEndpoint,
} from './emoji.ts';
export { heartbeatEvent, organizationEvents } from './events.ts';
export {
  deleteExportEndpoint,
  getExportFileEndpoint,
  listExportsEndpoint,
  requestExportEndpoint,
} from './exports.ts';
export type { RealmExportJson } from './exports.ts';
export {
  addLinkifierEndpoint,
  listLinkifiersEndpoint,
  removeLinkifierEndpoint,
} from './linkifiers.ts';
export {
  authenticationMethodsSchema,
  linkifierSchema,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
} from './objects.ts';
export type { RealmEmoji } from './objects.ts';
export {
  getDefaultLogoEndpoint,
  getDefaultNightLogoEndpoint,
  getRealmIconEndpoint,
  getRealmLogoEndpoint,
  getRealmPictureEndpoint,
  removeRealmIconEndpoint,
  removeRealmLogoEndpoint,
  uploadRealmIconEndpoint,
  uploadRealmLogoEndpoint,
} from './pictures.ts';
export {
  addProfileFieldEndpoint,
  changeOwnProfileEndpoint,
  changeProfileFieldEndpoint,
  clearOwnProfileEndpoint,
  listProfileFieldsEndpoint,
  removeProfileFieldEndpoint,
  reorderProfileFieldsEndpoint,
} from './profile-fields.ts';
export { changeRealmEndpoint, deactivateRealmEndpoint } from './realm.ts';
export type { ChangedRealm } from './realm.ts';
export { generate204Endpoint, getServerSettingsEndpoint } from './server-settings.ts';
export {
  botCreationPolicies,
  emailAddressVisibilities,
  policyValues,
  realmSettingDefaults,
  realmSettings,
  settingSchemas,
  streamPolicies,
  userGroupPolicies,
} from './settings.ts';
export type { RealmSettings } from './settings.ts';
