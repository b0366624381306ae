export * from './derived-secrets.ts';
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
export * from './passwords.ts';
export * from './session-tokens.ts';
