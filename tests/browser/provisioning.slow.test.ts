/** Tokens of identity providers, in the settings of the organization (decision 0052). */
import { expect, test } from 'vitest';

import { startBrowserTests } from './browser-system.ts';
import { expectGone, expectShown } from './visitor.ts';

const { system, open } = startBrowserTests();

test('a token is made, shown once, used by a provider, and revoked', async () => {
  const { page } = await open(system().ann, '#settings/scim');
  const row = page
    .getByRole('list', { name: 'Identity providers' })
    .getByText('Okta', { exact: true });
  await page.getByLabel('Name', { exact: true }).fill('Okta');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expectShown(row);
  const token = await page.getByLabel('The new token').innerText();
  const ask = async (): Promise<number> => {
    const answer = await fetch(`${system().cluster.url}/scim/v2/Users?count=1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.status;
  };
  expect(await ask()).toBe(200);
  await page.getByRole('button', { name: 'Remove: Okta' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expectGone(row);
  expect(await ask()).toBe(401);
});
