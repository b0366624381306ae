export { deriveToken, openUnder, sealUnder } from './derived-secrets.ts';
export {
  deriveKeySecrets,
  hashToStore,
  hashesToFind,
  isCurrentHash,
  openEither,
  openEventMembers,
  openSecret,
  sealEventMembers,
  sealSecret,
} from './key-secrets.ts';
export type { KeySecrets } from './key-secrets.ts';
export { hashPassword, makePassword, verifyPassword } from './passwords.ts';
export {
  hashSessionToken,
  makeScimToken,
  makeSessionToken,
  scimTokenPattern,
  sessionTokenPattern,
} from './session-tokens.ts';
