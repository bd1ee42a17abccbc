/**
 * The SDK's client as effects, with the errors of the port that it serves. The SDK is loaded when the first client is
 * made, not when this package is.
 */
import type * as Sdk from "@aws-sdk/client-s3"
import * as Scoped from "@holdfast/core/Scoped"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import * as AnswerTime from "./AnswerTime.ts"
import * as DirectRequests from "./DirectRequests.ts"
import * as PayloadHash from "./PayloadHash.ts"
import * as SmallPut from "./SmallPut.ts"

/** Makes one request. The signal ends it. */
type Request<A> = (client: Sdk.S3Client, sdk: typeof Sdk, options: { readonly abortSignal: AbortSignal }) => Promise<A>

/** An object's name in a request. */
export interface Target {
  readonly Bucket: string
  readonly Key: string
}

/** A part of an object, or the whole. */
export interface Range extends Target {
  /** As the header has it. */
  readonly Range?: string
}

export interface Opened {
  /** A stream of Node's where the service sent one. */
  readonly Body?: unknown
  readonly ContentLength?: number | undefined
}

/** How a port tells what went wrong. */
export interface Errors<E> {
  /** For whatever the SDK, or a body of its, threw. */
  readonly fromSdk: (operation: string) => (cause: unknown) => E
  /** The service answered, but not as the protocol has it. */
  readonly unexpected: (operation: string, message: string) => E
  /** There are more bytes than the service takes in one object. */
  readonly tooLarge: (operation: string, message: string) => E
  /** Logs that something was left behind after an outcome that stands already. */
  readonly untidy: (error: E) => Effect.Effect<void>
}

export interface Client<E> {
  readonly errors: Errors<E>
  /** Whether requests go over TLS. */
  readonly isEncrypted: boolean
  /** A request for one answer. When it is interrupted it is cut off, and has ended when the interruption has. */
  readonly call: <A>(operation: string, request: Request<A>) => Effect.Effect<A, E>
  /** Puts an object in one request, as `SmallPut` does; interrupted as `call` is. */
  readonly put: (operation: string, input: SmallPut.Input, sha256: string) => Effect.Effect<SmallPut.Answer, E>
  /** A request for an object's bytes; whatever is left of them is cut off with the scope. */
  readonly open: (operation: string, target: Range) => Effect.Effect<Opened, E, Scope.Scope>
}

const emptySha256 = createHash("sha256").digest("hex")

/** With an endpoint as it is written, if there is one. */
export type Configuration = Sdk.S3ClientConfig & { readonly endpoint?: string }

/** A client, closed with the scope. No request is made yet. */
export const make = <E>(configuration: Configuration, errors: Errors<E>): Effect.Effect<Client<E>, E, Scope.Scope> =>
  Effect.gen(function* () {
    const sdk = yield* Effect.promise(() => import("@aws-sdk/client-s3"))
    const client = yield* Effect.acquireRelease(
      Effect.try({ try: () => new sdk.S3Client(configuration), catch: errors.fromSdk("open") }),
      (client) => Effect.sync(() => client.destroy())
    )
    // It makes ready what a log would say, even where nobody listens.
    client.middlewareStack.remove("loggerMiddleware")
    AnswerTime.install(client)
    PayloadHash.install(client)
    // The SDK's own checksums are the work of its middleware.
    const isPlain = configuration.requestChecksumCalculation === "WHEN_REQUIRED"
    const send: DirectRequests.Send = isPlain ? DirectRequests.make(client) : () => Promise.resolve(undefined)
    const put = SmallPut.make(client, sdk, send)

    const call = <A>(operation: string, request: Request<A>): Effect.Effect<A, E> =>
      Effect.callback((resume) => {
        const controller = new AbortController()
        const ended = request(client, sdk, { abortSignal: controller.signal }).then(
          (answer) => resume(Effect.succeed(answer)),
          (cause) => resume(Effect.fail(errors.fromSdk(operation)(cause)))
        )
        return Effect.promise(() => {
          controller.abort()
          return ended
        })
      })

    const get = async (target: Range, abortSignal: AbortSignal): Promise<Opened> => {
      const headers = target.Range === undefined ? {} : { range: target.Range }
      const answer = await send({ operation: "GetObject", target, headers, sha256: emptySha256 }, abortSignal)
      if (answer === undefined) return client.send(new sdk.GetObjectCommand(target), { abortSignal })
      const length = answer.headers["content-length"]
      return { Body: answer.body, ContentLength: length === undefined ? undefined : Number(length) }
    }

    const open: Client<E>["open"] = (operation, target) =>
      Scoped.acquire(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      ).pipe(
        Effect.flatMap(({ signal }) =>
          Effect.tryPromise({ try: () => get(target, signal), catch: errors.fromSdk(operation) })
        )
      )

    const isEncrypted = configuration.endpoint === undefined || /^https:/i.test(configuration.endpoint)
    return {
      errors,
      isEncrypted,
      call,
      put: (operation, input, sha256) => call(operation, (_client, _sdk, options) => put(input, sha256, options)),
      open
    }
  })
