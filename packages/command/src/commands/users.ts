import { roles } from '@parley/api';
import { operator } from '@parley/store/access';
import {
  changeEmail,
  changePerson,
  createPerson,
  deactivateAccount,
  reactivateAccount,
  setPassword,
} from '@parley/people';
import { makePassword } from '@parley/auth/secrets';
import { findApiKey, listUsers } from '@parley/store';
import type { User } from '@parley/store';

import { accountJson, describeRole, getAccount } from '../account.ts';
import { checkChoice } from '../command.ts';
import type { Call, Command, CommandContext, Report } from '../command.ts';
import { withOrganization } from '../connections.ts';
import { readSecretFile } from '../read-file.ts';

const roleNames = Object.values(roles);

const passwordFile = {
  value: 'FILE',
  help: 'the file with the password, - for standard input; without it one is generated and printed once',
} as const;

async function readPassword(
  call: Call,
  { readInput }: CommandContext,
): Promise<{ password: string; isMade: boolean }> {
  const file = call.find('password-file');
  return file === undefined
    ? { password: makePassword(), isMade: true }
    : { password: await readSecretFile(file, readInput), isMade: false };
}

const createUser: Command = {
  name: 'user create',
  summary: 'Create a person, who joins the default streams',
  positionals: ['EMAIL'],
  options: {
    'full-name': { value: 'NAME', help: 'the name that others see', required: true },
    role: { value: 'ROLE', help: `${roleNames.join(', ')}; by default member` },
    'short-name': { value: 'NAME', help: 'by default the part before the @' },
    'password-file': passwordFile,
  },
  details:
    'Use --role administrator for the first administrator of an installation. No account may have the address yet.',
  run: async (call, surroundings) => {
    const role = call.findChoice('role', roleNames) ?? 'member';
    const { password, isMade } = await readPassword(call, surroundings);
    return withOrganization(surroundings.env, async (context) => {
      const user = await createPerson(context, operator, {
        email: call.word(0),
        password,
        fullName: call.get('full-name'),
        shortName: call.find('short-name'),
        role,
      });
      const apiKey = await findApiKey(context.pool, context.keySecrets, user.id);
      return {
        text: [
          `${user.deliveryEmail} is user ${user.id}, ${role}.`,
          ...(isMade ? [`Password: ${password}`, 'It is kept nowhere else.'] : []),
          `API key: ${apiKey}`,
          '',
        ].join('\n'),
        json: { ...accountJson(user), api_key: apiKey, ...(isMade && { password }) },
      };
    });
  },
};

const listCommand: Command = {
  name: 'user list',
  summary: 'List all people and bots, including deactivated ones',
  run: async (_call, { env }) =>
    withOrganization(env, async ({ pool }) => {
      const users = await listUsers(pool);
      const width = Math.max(0, ...users.map(({ deliveryEmail }) => deliveryEmail.length));
      const line = (user: User): string => {
        const state = user.isActive ? '' : ', deactivated';
        return `${String(user.id).padStart(6)}  ${user.deliveryEmail.padEnd(width)}  ${user.fullName} (${describeRole(user)}${state})\n`;
      };
      return { text: users.map(line).join(''), json: { users: users.map(accountJson) } };
    }),
};

/** A change of one account that is given by its address. */
function changeOf(
  command: Pick<Command, 'name' | 'summary' | 'details' | 'positionals'>,
  change: (
    context: Parameters<Parameters<typeof withOrganization>[1]>[0],
    user: User,
    call: Call,
  ) => Promise<{ readonly outcome: string; readonly user?: User }>,
): Command {
  return {
    ...command,
    positionals: ['EMAIL', ...(command.positionals ?? [])],
    run: async (call, { env }): Promise<Report> =>
      withOrganization(env, async (context) => {
        const user = await getAccount(context.pool, call.word(0));
        const { outcome, user: changed = user } = await change(context, user, call);
        const now = await getAccount(context.pool, changed.deliveryEmail);
        return { text: `${outcome}\n`, json: accountJson(now) };
      }),
  };
}

const setRole = changeOf(
  {
    name: 'user role',
    summary: `Change an account's role: ${roleNames.join(', ')}`,
    positionals: ['ROLE'],
    details: [
      'The last administrator keeps the role: make another one first. Bots above the new role get it too, with new keys; bots of a guest',
      'are deactivated.',
    ].join('\n'),
  },
  async (context, user, call) => {
    const role = checkChoice('ROLE', call.word(1), roleNames);
    await changePerson(context, operator, user.id, {
      fullName: undefined,
      isAdmin: role === 'administrator',
      isGuest: role === 'guest',
      profile: undefined,
    });
    return { outcome: `${user.deliveryEmail} is ${role} now.` };
  },
);

const setEmail = changeOf(
  { name: 'user email', summary: "Change an account's email address", positionals: ['NEW_EMAIL'] },
  async (context, user, call) => {
    const changed = await changeEmail(context, operator, user.id, call.word(1));
    return {
      outcome: `User ${user.id} has the address ${changed.deliveryEmail} now.`,
      user: changed,
    };
  },
);

const deactivate = changeOf(
  {
    name: 'user deactivate',
    summary: 'Deactivate a person with all their bots, or a bot',
    details: 'Keys stop working at once, and event queues and memberships end. Messages stay.',
  },
  async (context, user) => {
    await deactivateAccount(context, operator, user.id, user.botType === null ? 'person' : 'bot');
    return { outcome: `${user.deliveryEmail} is deactivated.` };
  },
);

const reactivate = changeOf(
  {
    name: 'user reactivate',
    summary: 'Reactivate a person or a bot',
    details:
      "Password, key and subscriptions are the previous ones. A person's bots stay deactivated; a bot above its owner's role gets that role.",
  },
  async (context, user) => {
    await reactivateAccount(context, operator, user.id);
    return { outcome: `${user.deliveryEmail} is active.` };
  },
);

const resetPassword: Command = {
  name: 'user password',
  summary: "Replace a person's password",
  positionals: ['EMAIL'],
  options: { 'password-file': passwordFile },
  details: 'Sessions, API key, linked sign-ins and push subscriptions of the account end.',
  run: async (call, surroundings) => {
    const { password, isMade } = await readPassword(call, surroundings);
    return withOrganization(surroundings.env, async (context) => {
      const user = await getAccount(context.pool, call.word(0));
      await setPassword(context, operator, user.id, password);
      return {
        text: isMade
          ? `Password: ${password}\nIt is kept nowhere else.\n`
          : `The password of ${user.deliveryEmail} is replaced.\n`,
        json: { ...accountJson(user), ...(isMade && { password }) },
      };
    });
  },
};

export const userCommands: readonly Command[] = [
  createUser,
  listCommand,
  setRole,
  setEmail,
  resetPassword,
  deactivate,
  reactivate,
];
