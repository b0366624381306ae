import type { Command } from '../command.ts';

type CommandGroup = () => Promise<readonly Command[]>;

/**
 * The commands by the first word of their names, in the order in which the help lists them. Each is loaded when it runs: a start of all services
 * runs some, and none of them needs the code of the others.
 */
const groups: ReadonlyMap<string, CommandGroup> = new Map<string, CommandGroup>([
  ['serve', async () => [(await import('./serve.ts')).serveCommand]],
  ['check', async () => [(await import('./check.ts')).checkCommand]],
  ['probe', async () => [(await import('./probe.ts')).probeCommand]],
  ['migrate', async () => [(await import('./migrate.ts')).migrateCommand]],
  ['first-start', async () => [(await import('./first-start.ts')).firstStartCommand]],
  ['organization', async () => (await import('./organization.ts')).organizationCommands],
  ['user', async () => (await import('./users.ts')).userCommands],
  ['bot', async () => [(await import('./bots.ts')).createBotCommand]],
  ['key', async () => (await import('./keys.ts')).keyCommands],
  ['mail', async () => (await import('./mails.ts')).mailCommands],
  ['scim-token', async () => (await import('./scim-tokens.ts')).scimTokenCommands],
  ['queues', async () => [(await import('./log.ts')).queuesCommand]],
  ['log', async () => [(await import('./log.ts')).logCommand]],
  ['epoch', async () => [(await import('./log.ts')).epochCommand]],
  ['export', async () => [(await import('./transfer.ts')).exportCommand]],
  ['import', async () => [(await import('./transfer.ts')).importCommand]],
  ['import-from', async () => [(await import('./import-from.ts')).importFromCommand]],
]);

/** @returns all commands, in the order in which the help lists them */
export async function listCommands(): Promise<readonly Command[]> {
  const lists = await Promise.all(Array.from(groups.values(), (group) => group()));
  return lists.flat();
}

/** @returns the commands whose names begin with a word */
export async function listCommandsOf(word: string): Promise<readonly Command[]> {
  return (await groups.get(word)?.()) ?? [];
}
