/** Command: writes the generated pages of the documentation. */
import { writeFileSync } from 'node:fs';

import { generatedPages } from './generated-pages.ts';

for (const { path, text } of generatedPages()) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
}
