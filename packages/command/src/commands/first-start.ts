import { operator } from '@parley/store/access';
import { createOrganization, createPerson } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { makePassword } from '@parley/auth/secrets';
import { findApiKey, findRealm, listUsers } from '@parley/store';

import { accountJson } from '../account.ts';
import type { Command, Report } from '../command.ts';
import { withPeople } from '../connections.ts';

function nothing(why: string): Report {
  return { text: `${why}\n`, json: { is_first_start: false } };
}

/** A run that was killed between the two steps left an organization without people; the next run continues from there. */
async function findReasonToDoNothing({ pool }: PeopleContext): Promise<string | undefined> {
  if ((await findRealm(pool)) === undefined) return undefined;
  const people = (await listUsers(pool)).filter(({ botType }) => botType === null);
  return people.length === 0 ? undefined : 'There is an organization already: nothing is made.';
}

async function createFirst(
  context: PeopleContext,
  first: { readonly organization: string; readonly email: string; readonly fullName: string },
): Promise<Report> {
  const { organization, email, fullName } = first;
  if ((await findRealm(context.pool)) === undefined)
    await createOrganization(context, {
      name: organization,
      stringId: '',
      description: '',
      settings: {},
    });
  const password = makePassword();
  const user = await createPerson(context, operator, {
    email,
    password,
    fullName,
    shortName: undefined,
    role: 'administrator',
  });
  const apiKey = await findApiKey(context.pool, context.keySecrets, user.id);
  return {
    text: [
      `${organization} is there. Its first administrator is ${user.deliveryEmail}.`,
      `Password: ${password}`,
      `API key: ${apiKey}`,
      'They are printed this once. Change the password after signing in, or make a new one with parley user password.',
      '',
    ].join('\n'),
    json: { is_first_start: true, organization, ...accountJson(user), api_key: apiKey, password },
  };
}

export const firstStartCommand: Command = {
  name: 'first-start',
  summary: 'Create the organization and its first administrator, if there are none',
  options: {
    organization: { value: 'NAME', help: 'the name of the organization', required: true },
    email: { value: 'EMAIL', help: "the administrator's address", required: true },
    'full-name': { value: 'NAME', help: 'the name that others see', required: true },
  },
  details:
    'What a new installation runs before anybody comes: it prints a password and an API key once, and does nothing where there is an organization with people, or where the demo organization is wanted (PARLEY_DEMO, on in development).',
  run: async (call, { env }) =>
    withPeople(env, async (context, config) => {
      if (config.demo)
        return nothing('The demo organization is to be made here: nothing else is made.');
      const reason = await findReasonToDoNothing(context);
      if (reason !== undefined) return nothing(reason);
      return createFirst(context, {
        organization: call.get('organization'),
        email: call.get('email'),
        fullName: call.get('full-name'),
      });
    }),
};
