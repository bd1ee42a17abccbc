/**
 * For how long a cache uses what was looked up.
 */

/**
 * Whether an entry that was stored for `lifetime` is used again. Times are in epoch milliseconds, the lifetime in milliseconds. A clock that
 * was set back since does not prolong an entry: its end is farther away than its lifetime then.
 */
export const isFresh = (expiresAt: number, now: number, lifetime: number): boolean =>
  expiresAt > now && expiresAt - now <= lifetime
