import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { renderPreview } from '../../data/compose-checks.ts';
import { describeFailure } from '../../data/failure.ts';
import { texts } from '../../texts.ts';
import { RenderedHtml } from '../parts/rendered-html.tsx';

/** How others will see a text: what the server's renderer makes of it. */
export function Preview({ app, content }: { readonly app: App; readonly content: string }) {
  const html = useSignal<string | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    failure.value = undefined;
    renderPreview(app, content, ending.signal).then(
      (rendered) => {
        html.value = rendered;
      },
      (error: unknown) => {
        if (!ending.signal.aborted) failure.value = describeFailure(error);
      },
    );
    return () => ending.abort();
  }, [app, content]);
  return (
    <div class="compose-preview" role="region" aria-label={texts.compose.preview} tabIndex={0}>
      {failure.value !== undefined && <p class="refused">{failure.value}</p>}
      {failure.value === undefined && html.value === undefined && <p>{texts.compose.rendering}</p>}
      {html.value !== undefined && <RenderedHtml html={html.value} />}
    </div>
  );
}
