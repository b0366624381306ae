/** Every example of the documentation for curl, run against a server. */
import { languages } from '@parley/api/samples';

import { testSamples } from './samples/sample-suite.ts';

for (const language of languages.filter(({ label }) => label === 'curl')) testSamples(language);
