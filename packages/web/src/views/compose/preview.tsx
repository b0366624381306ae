import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { renderMarkdown } from '../../data/compose-checks.ts';
import { texts } from '../../texts.ts';
import { FailureNote, useAttempt } from '../parts/attempt.tsx';
import { RenderedHtml } from '../parts/rendered-html.tsx';

/** How others will see a text, which does not change: what the server's renderer makes of it. */
export function Preview({ app, content }: { readonly app: App; readonly content: string }) {
  const html = useSignal<string | undefined>(undefined);
  const { isRunning, failure, run } = useAttempt();
  useEffect(() => {
    const ending = new AbortController();
    void run(async () => {
      const { signal } = ending;
      html.value = (await renderMarkdown(app, { content }, { signal })).rendered;
    });
    return () => ending.abort();
  }, []);
  return (
    <div class="compose-preview" role="region" aria-label={texts.compose.preview} tabIndex={0}>
      <FailureNote text={failure} />
      {isRunning && <p>{texts.compose.rendering}</p>}
      {html.value !== undefined && <RenderedHtml html={html.value} />}
    </div>
  );
}
