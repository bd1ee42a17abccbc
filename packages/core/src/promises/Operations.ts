/**
 * The operations that the Promise API and the HTTP client have in common.
 *
 * Each resource declares its operations once, as an interface such as `BucketOperations`: name, input, result and
 * documentation. `Methods` derives from it the methods of `holdfast.buckets` (the actor is the first parameter, times are
 * `Date`) and those of `client.buckets` in `@holdfast/http/client` (times are ISO 8601 strings in UTC). An input has the
 * ids of the path and the fields of the body or the query, under their names in the HTTP API; a result has the fields of
 * the response.
 *
 * The documentation names errors by code, such as `bucket_exists`. The Promise API rejects with the error class that has
 * this `code` (`BucketExists`), the client with a `HoldfastError` that has it. It leaves out the codes of all operations:
 * `unauthenticated`, `forbidden`, `not_found`, `invalid_request`, `aborted`, for lists `invalid_cursor`, and for failures of the
 * database or the store `unavailable`, `storage_full` and `internal`.
 */

/** Options of every method. */
export interface CallOptions {
  /** Aborts the call: it rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** The methods of a set of operations: `Leading` parameters, then the operation's input, then `Options`. */
export type Methods<Operations, Leading extends ReadonlyArray<unknown>, Options = CallOptions> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (...input: infer Input) => infer Result
    ? (...parameters: [...Leading, ...Input, options?: Options]) => Promise<Result>
    : never
}
