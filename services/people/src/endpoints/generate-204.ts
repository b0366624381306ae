import { generate204Endpoint } from '@parley/api/organization';
import type { PeopleContext } from '@parley/people';
import { implement, noContent } from '@parley/server';

export const generate204Handler = implement(
  generate204Endpoint,
  (_context: PeopleContext) => noContent,
);
