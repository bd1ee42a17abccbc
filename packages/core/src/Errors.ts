/**
 * Errors that several services share. Each has the `code` that the wire carries; none knows an HTTP status.
 * The errors of one resource stand beside that resource.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** One fault in an input: where (RFC 6901 JSON Pointer) and what. */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

/** The input is malformed; `errors` names every fault that was found. */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{
  readonly message: string
  readonly errors: ReadonlyArray<Fault>
}> {
  readonly code = "invalid_request"

  /** An input with a single fault. */
  static at(pointer: string, detail: string): InvalidRequest {
    return new InvalidRequest({ message: "The request is not valid.", errors: [{ pointer, detail }] })
  }
}

/** The cursor was not made by this service, or belongs to another list. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{}> {
  readonly code = "invalid_cursor"
  override readonly message = "The cursor is not one that this list returned."
}

/** No key, or one that is malformed, unknown, expired or revoked: deliberately one error for all five. */
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{}> {
  readonly code = "unauthenticated"
  override readonly message = "A valid API key is required."
}

/** The key is good, but not for this: deliberately the same whether the tenant exists or not. */
export class Forbidden extends Data.TaggedError("Forbidden")<{}> {
  readonly code = "forbidden"
  override readonly message = "This key does not permit the operation."
}

/** What the path names does not exist under its parents. */
export class NotFound extends Data.TaggedError("NotFound")<{
  readonly resource:
    | "account"
    | "tenant"
    | "member"
    | "token"
    | "key"
    | "role"
    | "bucket"
    | "file"
    | "header"
    | "stream"
    | "mirror"
}> {
  readonly code = "not_found"
  override get message(): string {
    return `There is no such ${this.resource}.`
  }

  /** The value that a look-up found, or this error. */
  static whenNone<A, E, R>(
    found: Effect.Effect<Option.Option<A>, E, R>,
    missing: NotFound
  ): Effect.Effect<A, E | NotFound, R> {
    return Effect.flatMap(found, (option) => Effect.mapError(Effect.fromOption(option), () => missing))
  }
}

/** A condition of the request (`If-Match`, `If-None-Match`) does not hold for the content that stands. */
export class PreconditionFailed extends Data.TaggedError("PreconditionFailed")<{}> {
  readonly code = "precondition_failed"
  override readonly message = "The content has changed: a condition of the request does not hold."
}
