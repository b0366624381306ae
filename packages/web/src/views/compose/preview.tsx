import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { renderMarkdown } from '../../data/compose-checks.ts';
import { texts } from '../../texts.ts';
import { useAttempt } from '../parts/attempt.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { Waiting } from '../parts/waiting.tsx';

/** How others will see a text, which does not change: what the server's renderer makes of it. */
export function Preview({ app, content }: { readonly app: App; readonly content: string }) {
  const html = useSignal<string | undefined>(undefined);
  const { failure, run } = useAttempt();
  const render = (): void =>
    void run(async () => {
      html.value = (await renderMarkdown(app, { content })).rendered;
    });
  useEffect(render, []);
  return (
    <div class="compose-preview" role="region" aria-label={texts.compose.preview} tabIndex={0}>
      {html.value === undefined ? (
        <Waiting failure={failure} onRetry={render} />
      ) : (
        <RenderedHtml html={html.value} />
      )}
    </div>
  );
}
