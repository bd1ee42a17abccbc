/**
 * Errors that several services share. Each has the `code` of the HTTP API's problem document; the HTTP layer maps the code
 * to a status. The errors of a single resource are in the folder of that resource.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Fault } from "./inputs/Faults.ts"
import type { Permission } from "./Permission.ts"

export type { Fault } from "./inputs/Faults.ts"

/** The most faults that the message of an error names. */
const maxNamed = 3

const toText = ({ detail, pointer }: Fault): string =>
  pointer === "" ? detail : `${pointer.slice(1).replaceAll("/", ".")}: ${detail}`

/** The input is not valid. `errors` contains every fault, the message the first ones. */
export class InvalidRequest extends Data.TaggedError("InvalidRequest")<{
  readonly message: string
  readonly errors: ReadonlyArray<Fault>
}> {
  readonly code = "invalid_request"

  /** Returns the error for an input with a single fault. */
  static at(pointer: string, detail: string): InvalidRequest {
    return InvalidRequest.of([{ pointer, detail }])
  }

  /**
   * Returns the error for an input with faults.
   *
   * @param options.subject The first sentence of the message.
   * @param options.omitted The number of further faults, which the error does not list.
   */
  static of(
    errors: ReadonlyArray<Fault>,
    {
      omitted = 0,
      subject = "The request is not valid"
    }: { readonly subject?: string | undefined; readonly omitted?: number | undefined } = {}
  ): InvalidRequest {
    const named = errors.slice(0, maxNamed).map(toText).join("; ")
    const more = errors.length - maxNamed
    const inErrors = more > 0 ? `; and ${more} more in errors` : ""
    const unlisted = omitted > 0 ? `; ${omitted} more are not listed` : ""
    return new InvalidRequest({ message: `${subject}. ${named}${inErrors}${unlisted}`, errors })
  }
}

/** The cursor was not issued by this service, or belongs to another list. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{}> {
  readonly code = "invalid_cursor"
  override readonly message = "The cursor is not valid for this list. Use the nextCursor of the previous page."
}

/** The key is missing, malformed, unknown, expired or revoked. All five deliberately give the same error. */
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{}> {
  readonly code = "unauthenticated"
  override readonly message = "A valid API key is required."
}

/**
 * The actor lacks the permission. The error depends on the operation and on the kind of the actor alone: it is deliberately the same
 * whether the tenant exists or not.
 */
export class Forbidden extends Data.TaggedError("Forbidden")<{
  readonly message: string
  /** The permission that is missing; undefined where no role or scope would permit the operation. */
  readonly permission: Permission | undefined
}> {
  readonly code = "forbidden"

  constructor(message: string, permission?: Permission) {
    super({ message, permission })
  }
}

/** The key may be used from pages of certain origins only, and the request is of another origin, or does not state one. */
export class OriginNotAllowed extends Data.TaggedError("OriginNotAllowed")<{}> {
  readonly code = "origin_not_allowed"
  override readonly message =
    "The API key may be used only from web pages of its allowedOrigins, and the request does not come from one of them."
}

/** The resource does not exist in the tenant, bucket or file that the request names. */
export class NotFound extends Data.TaggedError("NotFound")<{
  readonly resource:
    | "account"
    | "tenant"
    | "member"
    | "membership"
    | "token"
    | "key"
    | "role"
    | "bucket"
    | "file"
    | "folder"
    | "folder job"
    | "header"
    | "stream"
    | "captions"
    | "poster"
    | "version"
    | "mirror"
    | "webhook"
    | "delivery"
    | "share"
    | "upload"
    | "S3 credential"
  /** Those that do not exist, where the request names several. */
  readonly ids?: ReadonlyArray<string> | undefined
}> {
  readonly code = "not_found"
  override get message(): string {
    return this.ids === undefined
      ? `There is no such ${this.resource}.`
      : `There is no such ${this.resource}: ${this.ids.join(", ")}. Nothing was changed.`
  }

  /** Returns the error for files that do not exist. A request for a single file knows which one it is. */
  static ofFiles(missing: ReadonlyArray<string>, requested: ReadonlyArray<string>): NotFound {
    return new NotFound({ resource: "file", ids: requested.length === 1 ? undefined : missing })
  }

  /** Returns the value that a look-up found; fails with `missing` when it found none. */
  static whenNone<A, E, R>(
    found: Effect.Effect<Option.Option<A>, E, R>,
    missing: NotFound
  ): Effect.Effect<A, E | NotFound, R> {
    return Effect.flatMap(found, (option) =>
      Option.isNone(option) ? Effect.fail(missing) : Effect.succeed(option.value)
    )
  }
}

/** The limits of a tenant on a part of it: who may have so many, and of what. */
const partLimits: { readonly [limit: string]: readonly [subject: string, things: string] } = {
  tokensPerMember: ["A member of the tenant", "tokens"],
  headersPerFile: ["A file of the tenant", "headers"],
  captionsPerContent: ["A content", "captions"],
  uploadsPerLink: ["An upload link or share", "open uploads"],
  uploadsPerClient: ["A client of an upload link or share", "open uploads"],
  folderJobs: ["A bucket", "folder jobs that are not finished"]
}

/** A limit of a tenant or of a bucket would be exceeded. Nothing was changed. */
export class QuotaExceeded extends Data.TaggedError("QuotaExceeded")<{
  readonly quota: {
    /** Whose limit it is. */
    readonly owner: "tenant" | "bucket"
    /** What the limit counts, such as `bytes` or `files`. */
    readonly limit: string
    readonly maximum: number
    /** What the owner uses. */
    readonly use: number
  }
}> {
  readonly code = "quota_exceeded"
  override get message(): string {
    const { limit, maximum, owner, use } = this.quota
    const [subject, things] = partLimits[limit] ?? [`The ${owner}`, limit]
    return `${subject} may have ${maximum} ${things} and has ${use}. Remove some, or ask for a higher limit.`
  }
}

/** The message of the errors of ports whose disk or quota is full. */
export const storageFullMessage =
  "The storage of this deployment is full. Delete files, or ask its operator for more space."

/** A precondition of the request (`If-Match`, `If-None-Match`) does not hold for the current content. */
export class PreconditionFailed extends Data.TaggedError("PreconditionFailed")<{}> {
  readonly code = "precondition_failed"
  override readonly message =
    "A precondition of the request (If-Match or If-None-Match) does not hold for the current content."
}
