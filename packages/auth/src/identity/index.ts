export { signIdentity } from './sign-identity.ts';
export * from './verify-identity.ts';
export * from './session-cookie.ts';
