import type { Command } from '../command.ts';
import { createBotCommand } from './bots.ts';
import { checkCommand } from './check.ts';
import { firstStartCommand } from './first-start.ts';
import { importFromCommand } from './import-from.ts';
import { keyCommands } from './keys.ts';
import { epochCommand, logCommand, queuesCommand } from './log.ts';
import { mailCommands } from './mails.ts';
import { migrateCommand } from './migrate.ts';
import { organizationCommands } from './organization.ts';
import { probeCommand } from './probe.ts';
import { scimTokenCommands } from './scim-tokens.ts';
import { serveCommand } from './serve.ts';
import { transferCommands } from './transfer.ts';
import { userCommands } from './users.ts';

/** All commands, in the order in which the help lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  checkCommand,
  probeCommand,
  migrateCommand,
  firstStartCommand,
  ...organizationCommands,
  ...userCommands,
  createBotCommand,
  ...keyCommands,
  ...mailCommands,
  ...scimTokenCommands,
  queuesCommand,
  logCommand,
  epochCommand,
  ...transferCommands,
  importFromCommand,
];
