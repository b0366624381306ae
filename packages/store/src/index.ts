export * from './api-keys.ts';
export * from './passwords.ts';
export * from './realm.ts';
export * from './users.ts';
export * from './user-settings.ts';
export * from './user-json.ts';
