/** Every example of the documentation in Python, run against a server. */
import { languages } from '@parley/api/samples';

import { testSamples } from './samples/sample-suite.ts';

for (const language of languages.filter(({ label }) => label === 'Python')) testSamples(language);
