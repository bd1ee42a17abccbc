/**
 * A BlobStore on an object store. The adapter supplies the requests for objects. This module has the rest, which is the
 * same for every object store: keys and their prefix, empty ranges, the length of bodies, and errors with the operation
 * that failed.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BlobError from "./BlobError.ts"
import * as BlobKey from "./BlobKey.ts"
import * as BlobStore from "./BlobStore.ts"
import * as RemoteBody from "./RemoteBody.ts"
import * as RemoteFailure from "./RemoteFailure.ts"

/** An object of a listing. */
export interface ListedObject {
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** The response to a read, whose head has arrived. */
export interface Response {
  /** Undefined when the service sent none. */
  readonly body: AsyncIterable<Uint8Array> | undefined
  /** The number of bytes that the head announces; undefined when it announces none. */
  readonly contentLength: number | undefined
  /** The value of the header `Content-Range`, of a response to a request with a range. */
  readonly contentRange: string | undefined
}

/** The requests of an adapter. They fail with its own failure `F`. */
export interface Requests<F> {
  /** Writes an object, whole or not at all. When interrupted it leaves no object. */
  readonly put: <E, R>(
    name: string,
    content: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<BlobStore.BlobReceipt, F | E, R>
  /** Requests the size of an object. */
  readonly head: (name: string) => Effect.Effect<BlobStore.BlobInfo, F>
  /** Requests the bytes of an object. Closing the scope aborts the rest of the body. */
  readonly open: (name: string, range: BlobStore.ByteRange | undefined) => Effect.Effect<Response, F, Scope.Scope>
  /** Removes an object. Succeeds when it does not exist. */
  readonly remove: (name: string) => Effect.Effect<void, F>
  /** Lists every object whose name begins with the prefix. */
  readonly list: (prefix: string) => Stream.Stream<ListedObject, F>
  /** Succeeds when the bucket exists and the credentials permit access. */
  readonly check: Effect.Effect<void, F>
}

/** How an adapter makes the store. */
export interface Settings<F> {
  /** The adapter's name, for logs and health reports. */
  readonly name: string
  /** Prefix of every key. */
  readonly prefix: string
  readonly requests: Requests<F>
  readonly isFailure: (error: unknown) => error is F
  /** Returns the error of a method of BlobStore. */
  readonly toError: (operation: string) => (failure: F) => BlobError.BlobError
  /** Makes the failure of a response that does not follow the protocol. */
  readonly unexpected: (message: string) => F
  /** Makes the failure of a body that ended early. */
  readonly cut: (message: string) => F
  /** Makes the failure of a body that threw an error. */
  readonly fromBody: (cause: unknown) => F
}

/**
 * Returns the bytes of an object of any size. Fails with a failure of the adapter, before the first byte when there is no such
 * object, and at the end when the body was cut.
 */
export const readObject = <F>(
  open: Effect.Effect<Response, F, Scope.Scope>,
  { cut, fromBody, unexpected }: Pick<Settings<F>, "cut" | "fromBody" | "unexpected">
): Stream.Stream<Uint8Array, F> =>
  Stream.unwrap(
    Effect.map(open, ({ body, contentLength }) =>
      RemoteBody.checked<F>({
        body: body && Stream.fromAsyncIterable(body, fromBody),
        contentLength,
        range: undefined,
        size: { expected: undefined, announced: contentLength },
        onOtherSize: () => unexpected("it sends an object of another size"),
        onUnexpected: unexpected,
        onCut: cut
      })
    )
  )

/** Makes the store. */
export const make = <F>({
  cut,
  fromBody,
  isFailure,
  name,
  prefix,
  requests,
  toError,
  unexpected
}: Settings<F>): BlobStore.BlobStore["Service"] => {
  /**
   * Returns the name of a blob's object. Fails for a text that is not a `BlobKey`, which the port's callers guarantee.
   */
  const nameOf = (operation: string, key: string): Effect.Effect<string, BlobError.BlobError> =>
    BlobKey.parse(key) === undefined
      ? Effect.fail(new BlobError.BlobError({ reason: "Internal", operation, cause: new Error("not a blob key") }))
      : Effect.succeed(prefix + key)

  const head = (operation: string, key: string): Effect.Effect<BlobStore.BlobInfo, BlobError.BlobError> =>
    Effect.flatMap(nameOf(operation, key), (name) => Effect.mapError(requests.head(name), toError(operation)))

  return BlobStore.BlobStore.of({
    put: (key, content) =>
      Effect.flatMap(nameOf("put", key), (name) =>
        RemoteFailure.mapFailure(isFailure, toError("put"))(requests.put(name, content))
      ),

    // One request serves one reader, so that a blob and its replacement never mix.
    read: (key, { range, size } = {}) => {
      const otherSize = (found: number) =>
        new BlobError.BlobError({
          reason: "Damaged",
          operation: "read",
          cause: new Error(`the object has ${found} bytes instead of ${size}`)
        })
      // There is no header for a range without bytes.
      if (range?.length === 0) {
        const checked = Effect.map(head("read", key), (found) =>
          size === undefined || found.size === size ? Stream.empty : Stream.fail(otherSize(found.size))
        )
        return Stream.unwrap(checked)
      }
      const toReadError = toError("read")
      return nameOf("read", key).pipe(
        Effect.flatMap((name) => Effect.mapError(requests.open(name, range), toReadError)),
        Effect.map(({ body, contentLength, contentRange }) =>
          RemoteBody.checked({
            body: body && Stream.fromAsyncIterable(body, (cause) => toReadError(fromBody(cause))),
            contentLength,
            range,
            size: {
              expected: size,
              announced: range === undefined ? contentLength : RemoteBody.totalSize(contentRange)
            },
            onOtherSize: otherSize,
            onUnexpected: (message) => toReadError(unexpected(message)),
            onCut: (message) => toReadError(cut(message))
          })
        ),
        Stream.unwrap
      )
    },

    stat: (key) => head("stat", key),

    remove: (key) =>
      Effect.flatMap(nameOf("remove", key), (name) => Effect.mapError(requests.remove(name), toError("remove"))),

    // Skips objects that are not blobs.
    list: (within) =>
      requests.list(prefix + within).pipe(
        Stream.map(({ name, size }) => ({ key: name.slice(prefix.length), size })),
        Stream.filter(({ key }) => BlobKey.parse(key) !== undefined),
        Stream.mapError(toError("list"))
      ),

    localFile: () => undefined,

    check: Effect.mapError(requests.check, toError("check")),

    capabilities: { name, localFiles: false, shared: true }
  })
}
