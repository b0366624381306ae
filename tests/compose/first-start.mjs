// The data that the first start of a system created in its empty database.

import assert from 'node:assert/strict';
import { createClient } from './api-client.mjs';
import { docker } from './engine.mjs';

/** From the engine, because compose adds terminal codes to the lines. */
async function readOwnLog(compose) {
  const containers = await compose.inspectContainers();
  const own = containers.find(({ service }) => service === 'first-start');
  return docker(['logs', own.Id]);
}

/** Finds the credentials in the first start's log, and signs in with both of them. */
export async function readCredentials(compose, gateways, organization, email) {
  const log = await readOwnLog(compose);
  const [password, ...passwords] = Array.from(
    log.matchAll(/^Password: (\S+)$/gm),
    ([, found]) => found,
  );
  const [apiKey] = Array.from(log.matchAll(/^API key: (\S+)$/gm), ([, found]) => found);
  assert.ok(password && apiKey, `the first start printed no credentials:\n${log}`);
  assert.deepEqual(passwords, [], 'passwords printed beside the first');

  const anonymous = createClient(gateways);
  const { body: settings } = await anonymous.request('GET', 'server_settings');
  assert.equal(settings.realm_name, organization);
  const { body: signedIn } = await anonymous.request('POST', 'fetch_api_key', {
    username: email,
    password,
  });
  assert.equal(signedIn.api_key, apiKey);

  const account = { email, api_key: apiKey };
  const administrator = createClient(gateways, account);
  const { body: own } = await administrator.request('GET', 'users/me');
  assert.equal(own.is_admin, true, 'the first account is an administrator');
  // Production has no accounts of the demo organization.
  const { body: everybody } = await administrator.request('GET', 'users');
  const people = everybody.members.filter((member) => !member.is_bot);
  assert.deepEqual(
    people.map((person) => person.user_id),
    [own.user_id],
  );
  return { account, password };
}

/** Searches all logs except that of the first start. */
export async function checkNothingSecret(compose, { account, password }) {
  const services = (await compose.run(['config', '--services'])).split('\n').filter(Boolean);
  const others = services.filter((service) => service !== 'first-start');
  const log = await compose.run(['logs', '--no-color', ...others]);
  assert.ok(log.length > 0, 'there are logs');
  for (const secret of [account.api_key, password])
    assert.ok(!log.includes(secret), 'a credential is in a log');
}

/** After `down` and `up`: the logs are those of new containers. */
export async function checkNothingToldAgain(compose, { account, password }) {
  const log = await compose.run(['logs', '--no-log-prefix']);
  const own = await readOwnLog(compose);
  assert.equal(own.trim(), 'There is an organization already: nothing is made.');
  for (const secret of [account.api_key, password])
    assert.ok(!log.includes(secret), 'a credential is in a log');
}

/** Creates people through the interface, and signs in as each with the password. */
export async function makePeople(gateways, { account }) {
  const administrator = createClient(gateways, account);
  const anonymous = createClient(gateways);
  const accounts = [account];
  for (const name of ['Bob Ray', 'Cay Orr', 'Dan Elm']) {
    const email = `${name.slice(0, 3).toLowerCase()}@boats.example`;
    const password = `the tide is low for ${name}`;
    await administrator.request('POST', 'users', {
      email,
      password,
      full_name: name,
      short_name: email.slice(0, 3),
    });
    const { body } = await anonymous.request('POST', 'fetch_api_key', {
      username: email,
      password,
    });
    accounts.push({ email, api_key: body.api_key });
  }
  return accounts;
}
