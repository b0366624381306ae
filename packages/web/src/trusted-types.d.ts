// What the client uses of Trusted Types, which the library of the compiler does not describe. A trusted value is a string to the page.
interface TrustedTypePolicyFactory {
  createPolicy<Rules extends TrustedTypePolicyRules>(name: string, rules: Rules): Rules;
}
interface TrustedTypePolicyRules {
  createHTML?(text: string): string;
  createScriptURL?(address: string): string;
}
interface Window {
  readonly trustedTypes?: TrustedTypePolicyFactory;
}
