export * from './domains.ts';
export * from './emoji.ts';
export * from './events.ts';
export {
  deleteExportEndpoint,
  getExportFileEndpoint,
  listExportsEndpoint,
  requestExportEndpoint,
} from './exports.ts';
export type { RealmExportJson } from './exports.ts';
export * from './linkifiers.ts';
export {
  authenticationMethodsSchema,
  linkifierSchema,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
} from './objects.ts';
export type { RealmEmoji } from './objects.ts';
export * from './pictures.ts';
export * from './profile-fields.ts';
export * from './realm.ts';
export * from './server-settings.ts';
export * from './settings.ts';
