const humanNames = new Set([
  'website',
  'ios',
  'android',
  'snipe',
  'zulipandroid',
  'zulipios',
  'zulipdesktop',
  'zulipmobile',
  'zulipelectron',
  'zulipterminal',
]);

/**
 * Whether a person is assumed to read a message that is sent with this client, so that it is read at once (reference facts, messages 3.6).
 */
export function isHumanClient(clientName: string): boolean {
  const name = clientName.toLowerCase();
  return humanNames.has(name) || name.includes('desktop app');
}
