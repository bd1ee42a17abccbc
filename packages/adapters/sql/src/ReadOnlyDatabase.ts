/**
 * A database that accepts no changes.
 */

/** Returns the cause of an error for it. */
export const cause = (): Error =>
  new Error("The database accepts no changes: it is a standby, or read-only by a setting")
