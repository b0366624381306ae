const uniqueViolation = '23505';

/** @returns whether the database refused a row because another one has taken its place */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === uniqueViolation;
}
