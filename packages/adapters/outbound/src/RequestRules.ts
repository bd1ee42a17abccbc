/**
 * What distinguishes the requests of a service, as far as their bounds depend on it.
 */

/** A request of a client. */
export interface RequestLine {
  readonly method: string
  /** With the query. */
  readonly path: string
}

export interface RequestRules {
  /**
   * Whether a successful response has the content of an object. Its bytes go to a reader one by one, who compares them
   * with the declared length. Every other response is collected in memory, and is bounded. Default: no request.
   */
  readonly isContent?: ((request: RequestLine) => boolean) | undefined
}
