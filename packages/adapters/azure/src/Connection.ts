/**
 * The SDK's client as effects. The SDK is loaded when the first client is made, not when this package is.
 */
import type * as Sdk from "@azure/storage-blob"
import * as GuardedAgents from "@holdfast/outbound/GuardedAgents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Account from "./Account.ts"
import * as AzureFailure from "./AzureFailure.ts"
import type * as AzureOptions from "./AzureOptions.ts"
import * as SocketTimeouts from "./SocketTimeouts.ts"

/** Makes one request. The signal ends it. */
type Request<A> = (container: Sdk.ContainerClient, signal: AbortSignal) => Promise<A>

export interface Connection {
  /** A request for one answer. When it is interrupted it is cut off, and has ended when the interruption has. */
  readonly call: <A>(request: Request<A>) => Effect.Effect<A, AzureFailure.AzureFailure>
  /** A request for an answer with a body; whatever is left of that is cut off with the scope. */
  readonly open: <A>(request: Request<A>) => Effect.Effect<A, AzureFailure.AzureFailure, Scope.Scope>
}

export interface Settings extends AzureOptions.Requests {
  readonly account: AzureOptions.Account
  readonly container: string
  /** Whether addresses are connected to that are not on the public Internet. */
  readonly allowPrivate: boolean
}

/** Milliseconds before the second repetition; the first one comes at once. */
const retryDelay = 500

/** Agents that end with the scope. */
const agents = ({ allowPrivate, maxConnections = 500, ...settings }: Settings) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = GuardedAgents.make({ allowPrivate }, { maxSockets: maxConnections })
      const timeouts = {
        connect: Duration.toMillis(settings.connectTimeout ?? "5 seconds"),
        idle: Duration.toMillis(settings.idleTimeout ?? "1 minute")
      }
      for (const agent of [made.http, made.https]) SocketTimeouts.apply(agent, timeouts)
      return made
    }),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )

/**
 * The SDK hands these on to the pipeline of Azure's core, whose options they are (`agent`, `redirectOptions`). With an
 * agent of ours it uses no proxy of the environment. Nothing redirects, so that a redirect is an answer like any other.
 */
const pipeline = (agent: GuardedAgents.Agents["http"], maxTries: number) => ({
  agent,
  redirectOptions: { maxRetries: 0 },
  retryOptions: { maxTries, retryDelayInMs: retryDelay }
})

/** A client, whose connections are closed with the scope. No request is made yet. */
export const make = (settings: Settings): Effect.Effect<Connection, AzureFailure.AzureFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const sdk = yield* Effect.promise(() => import("@azure/storage-blob"))
    const { credential, url } = yield* Account.access(sdk, settings.account, settings.container)
    const { http, https } = yield* agents(settings)
    const agent = new URL(url).protocol === "https:" ? https : http
    const container = yield* Effect.try({
      try: () => new sdk.ContainerClient(url, sdk.newPipeline(credential, pipeline(agent, settings.maxAttempts ?? 3))),
      catch: AzureFailure.from
    })

    /** Whatever a request throws before it is made is a failure of it as well. */
    const begin = async <A>(request: Request<A>, signal: AbortSignal): Promise<A> => request(container, signal)

    return {
      call: <A>(request: Request<A>) =>
        Effect.callback<A, AzureFailure.AzureFailure>((resume) => {
          const controller = new AbortController()
          const ended = begin(request, controller.signal).then(
            (answer) => resume(Effect.succeed(answer)),
            (cause) => resume(Effect.fail(AzureFailure.from(cause)))
          )
          return Effect.promise(() => {
            controller.abort()
            return ended
          })
        }),
      open: (request) =>
        Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (controller) => Effect.sync(() => controller.abort())
        ).pipe(
          Effect.flatMap(({ signal }) =>
            Effect.tryPromise({ try: () => begin(request, signal), catch: AzureFailure.from })
          )
        )
    }
  })
