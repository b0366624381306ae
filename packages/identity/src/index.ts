export { signIdentity } from './sign-identity.ts';
export { verifyIdentity } from './verify-identity.ts';
export type { VerifiedIdentity } from './verify-identity.ts';
export {
  attemptCookieOf,
  attemptLifetimeSecs,
  clearSessionCookie,
  deviceCookieOf,
  sessionCookieOf,
  sessionCookieValues,
  setSessionCookie,
} from './session-cookie.ts';
export type { SessionCookie } from './session-cookie.ts';
