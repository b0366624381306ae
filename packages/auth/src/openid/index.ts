export * from './openid-provider.ts';
export { ProviderAnswerFault, ProviderUnavailable } from './provider-faults.ts';
