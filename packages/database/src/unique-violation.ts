const uniqueViolation = '23505';

/** @returns whether the database refused a row because another row has the same unique value */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === uniqueViolation;
}
