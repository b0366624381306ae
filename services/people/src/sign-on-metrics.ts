import type { SignOnOutcome } from '@parley/people';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

/** @returns a function that counts what became of a sign-in by an OpenID provider */
export function signOnCounter(
  registry: Registry,
): (provider: string, outcome: SignOnOutcome) => void {
  const counter = new Counter({
    name: 'parley_single_sign_on_total',
    help: 'Sign-ins by OpenID providers by their outcome',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  return (provider, outcome) => counter.inc({ provider, outcome });
}
