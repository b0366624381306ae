export { signIdentity } from './sign-identity.ts';
export { verifyIdentity } from './verify-identity.ts';
export type { VerifiedIdentity } from './verify-identity.ts';
