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
import type * as ErrorClasses from "./internal/ErrorClasses.ts"

/** Every error with which a method of the library rejects, as a union. */
export type Rejection = {
  [Name in keyof typeof ErrorClasses]: InstanceType<(typeof ErrorClasses)[Name]>
}[keyof typeof ErrorClasses]

/** Options of every method. */
export interface CallOptions {
  /** Aborts the call: it rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
}

/** One page of a list. */
export interface AnyPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: string | null
}

/** The names of the operations that return pages. */
export type PagedName<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends (...input: never) => AnyPage<unknown> ? Name : never
}[keyof Operations]

type IteratorName<Name> = Name extends `list${infer Items}` ? `iterate${Items}` : `iterate${Capitalize<Name & string>}`

/**
 * For each list a method that iterates over the items of all its pages: `iterate` for `list`, `iterateParts` for `listParts`,
 * `iterateDeliveries` for `deliveries`. It takes the input of the list; `limit` is the size of the pages that it requests, each when the items of the former one were taken.
 */
type Iterators<Operations, Leading extends ReadonlyArray<unknown>, Options> = {
  readonly [Name in PagedName<Operations> as IteratorName<Name>]: Operations[Name] extends (
    ...input: infer Input
  ) => AnyPage<infer Item>
    ? (...parameters: [...Leading, ...Input, options?: Options]) => AsyncGenerator<Item, void, undefined>
    : never
}

/**
 * The methods of a set of operations: `Leading` parameters, then the operation's input, then `Options`. Lists have an iterator in
 * addition.
 */
export type Methods<Operations, Leading extends ReadonlyArray<unknown>, Options = CallOptions> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (...input: infer Input) => infer Result
    ? (...parameters: [...Leading, ...Input, options?: Options]) => Promise<Result>
    : never
} & Iterators<Operations, Leading, Options>

/** The names of the paged operations; nothing to state when there is none. */
export type Paged<Operations> = [PagedName<Operations>] extends [never]
  ? []
  : [paged: { readonly [Name in PagedName<Operations>]: true }]
