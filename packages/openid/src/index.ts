export { OpenIdProvider } from './openid-provider.ts';
export type { Answer, SignInAttempt, ProvidedIdentity } from './openid-provider.ts';
export { ProviderAnswerFault, ProviderUnavailable } from './provider-faults.ts';
