/**
 * The headers that a problem needs because of its status.
 */

export interface ProblemHeaders {
  readonly [name: string]: string
}

/** RFC 6750, section 3. It is the same for a missing and an invalid key, so it reveals nothing about the key. */
const challenge: ProblemHeaders = { "www-authenticate": 'Bearer realm="holdfast"' }

/** Seconds. */
const retryAfter: ProblemHeaders = { "retry-after": "2" }

/** Returns the headers of a status, or undefined if it needs none. */
export const forStatus = (status: number): ProblemHeaders | undefined =>
  status === 401 ? challenge : status === 429 || status === 503 ? retryAfter : undefined
