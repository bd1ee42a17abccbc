/**
 * The headers that a status calls for, whatever the occurrence.
 */

export interface ProblemHeaders {
  readonly [name: string]: string
}

/** RFC 6750, section 3. The same for a missing and for a bad key, so nothing is said of the key. */
const challenge: ProblemHeaders = { "www-authenticate": 'Bearer realm="holdfast"' }

/** Seconds. */
const soon: ProblemHeaders = { "retry-after": "2" }

/** By status; undefined when it calls for none. */
export const of = (status: number): ProblemHeaders | undefined =>
  status === 401 ? challenge : status === 429 || status === 503 ? soon : undefined
