/**
 * What distinguishes the requests of a service, as far as their bounds depend on it.
 */

/** A request of a client. */
export interface RequestLine {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Returns the value of a header; undefined when the request has none of this name. */
  readonly header: (name: string) => unknown
}

export interface RequestRules {
  /**
   * Whether a successful response has the content of an object. Its bytes go to a reader one by one, who compares them
   * with the declared length. Every other response is collected in memory, and is bounded. Default: no request.
   */
  readonly isContent?: ((request: RequestLine) => boolean) | undefined

  /**
   * Whether the service works on all bytes of a large object before it responds, as for a copy. Such a request may take
   * ten minutes. Default: no request.
   */
  readonly isSlow?: ((request: RequestLine) => boolean) | undefined
  /** How long other requests may take in all, in milliseconds; longer while they send a body. Default: 30 seconds. */
  readonly requestTimeout?: number | undefined
}
