/** A speech balloon, the sign of the server, on 96 by 100 units. */
export const balloon = `<path d="M16 12h64a8 8 0 0 1 8 8v40a8 8 0 0 1-8 8H48L28 88V68H16a8 8 0 0 1-8-8V20a8 8 0 0 1 8-8z" fill="#3b6ea8"/>
  <circle cx="30" cy="40" r="6" fill="#fff"/><circle cx="48" cy="40" r="6" fill="#fff"/><circle cx="66" cy="40" r="6" fill="#fff"/>`;
