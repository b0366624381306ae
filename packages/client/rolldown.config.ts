/** What is published: the client as one module, and its types as one file, with what they take from `@parley/api` and TypeBox. */
import { readFileSync } from 'node:fs';

import { defineConfig } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

export default defineConfig({
  input: 'src/index.ts',
  platform: 'neutral',
  // No type needs it: the compiler that makes the types finds it imported, and nothing of it is left.
  external: /^ajv/,
  treeshake: { moduleSideEffects: 'no-external' },
  transform: { target: 'es2023' },
  plugins: [
    dts({ tsconfig: 'tsconfig.build.json' }),
    {
      name: 'licence-of-typebox',
      generateBundle() {
        // Some of its types are in ours.
        const source = readFileSync('../api/node_modules/typebox/license');
        this.emitFile({ type: 'asset', fileName: 'typebox-license.txt', source });
      },
    },
  ],
  output: { dir: 'dist' },
});
