/** The published package: the client as one module, and its types as one file, with those that they use from `@parley/api` and TypeBox. */
import { readFileSync } from 'node:fs';

import { defineConfig } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

export default defineConfig({
  input: 'src/index.ts',
  platform: 'neutral',
  // No type needs it: the compiler finds it imported, but none of it remains in the output.
  external: /^ajv/,
  treeshake: { moduleSideEffects: 'no-external' },
  transform: { target: 'es2023' },
  plugins: [
    dts({ tsconfig: 'tsconfig.build.json' }),
    {
      name: 'licence-of-typebox',
      generateBundle() {
        // Some of its types are used in ours.
        const source = readFileSync('../api/node_modules/typebox/license');
        this.emitFile({ type: 'asset', fileName: 'typebox-license.txt', source });
      },
    },
  ],
  output: { dir: 'dist' },
});
