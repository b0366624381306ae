export { identityHeaderName, requestIdHeaderName } from '@parley/contracts';
export { identityLifetimeMs, signIdentity } from './sign-identity.ts';
export * from './verify-identity.ts';
