import { useSignal } from '@preact/signals';

import { perform } from '../../data/operation.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { useReading } from '../parts/waiting.tsx';
import { removal } from './action-button.tsx';
import { line } from './fields.ts';
import { ListSection } from './list-section.tsx';
import type { SectionProps } from './section.ts';

const tokenFields = [line('name', { required: true, maxLength: 100 })];

/** Tokens of identity providers that keep accounts by SCIM. */
export function ScimSection({ app }: SectionProps) {
  const made = useSignal<string | undefined>(undefined);
  const { value, waiting, again } = useReading(() => perform(app, 'GET /scim_tokens'));
  if (value === undefined) return waiting;
  return (
    <>
      <p class="hint">{t.scim.address(new URL('/scim/v2', location.href).href)}</p>
      {made.value !== undefined && (
        <>
          <p>{t.scim.shownOnce}</p>
          <output aria-label={t.scim.token}>
            <code>{made}</code>
          </output>
        </>
      )}
      <ListSection
        name="scim"
        rows={value.scim_tokens.map(({ id, name, last_used_at }) => ({
          key: id,
          title: name,
          detail:
            last_used_at === null
              ? t.scim.unused
              : t.scim.lastUsed(new Date(last_used_at * 1000).toLocaleString()),
          actions: [
            removal(
              () => perform(app, 'DELETE /scim_tokens/{token_id}', { token_id: id }).then(again),
              t.warnings.revokeScimToken,
            ),
          ],
        }))}
        fields={tokenFields}
        add={async ({ name }) => {
          made.value = (await perform(app, 'POST /scim_tokens', { name })).token;
          again();
        }}
      />
    </>
  );
}
