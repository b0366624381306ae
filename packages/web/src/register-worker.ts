/**
 * Registers the service worker of the built client. While the client is developed there is none, so that each change is seen at once.
 *
 * Under Trusted Types the address of a worker needs a policy. This one admits one address.
 */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const address = '/sw.js';
  const policy = window.trustedTypes?.createPolicy('parley-worker', {
    createScriptURL(asked: string): string {
      if (asked !== address) throw new Error(`${asked} is not the service worker`);
      return asked;
    },
  });
  // A browser may refuse workers, in a private window for example. Everything but the start without a network works all the same.
  void navigator.serviceWorker
    .register(policy?.createScriptURL(address) ?? address, { updateViaCache: 'none' })
    .catch(() => undefined);
}
