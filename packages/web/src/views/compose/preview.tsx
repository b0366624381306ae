import type { App } from '../../data/app.ts';
import { texts } from '../../texts.ts';
import { RenderedHtml } from '../parts/rendered-html.tsx';
import { useReading } from '../parts/waiting.tsx';

/** How others will see a text, which does not change: what the server's renderer makes of it. */
export function Preview({ app, content }: { readonly app: App; readonly content: string }) {
  const { value, waiting } = useReading(() => app.request('POST /messages/render', { content }));
  return (
    <div class="compose-preview" role="region" aria-label={texts.compose.preview} tabIndex={0}>
      {value === undefined ? waiting : <RenderedHtml html={value.rendered} />}
    </div>
  );
}
