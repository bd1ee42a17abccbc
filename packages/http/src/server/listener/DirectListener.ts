/**
 * Answers requests ahead of the router where that is possible (`handlers/DirectAnswers`).
 */
import { CurrentRequest } from "@holdfast/core/access/CurrentRequest"
import { MetadataError } from "@holdfast/core/MetadataError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { FindDirectAnswer } from "../../handlers/support/DirectAnswer.ts"
import * as KnownFailures from "../../incoming/KnownFailures.ts"
import * as RequestInfos from "../../incoming/RequestInfos.ts"
import * as RunningFibers from "./RunningFibers.ts"

export interface Options {
  readonly find: FindDirectAnswer
  /** Answers the requests that `find` does not. */
  readonly router: RequestListener
  /**
   * Records the route of a request and returns what is known of the request. A refusal needs no observer: the router reports it,
   * because it answers such a request.
   */
  readonly observe: (request: IncomingMessage, route: string) => Omit<RequestInfos.Source, "headers">
  readonly context: Context.Context<never>
  /** Closing it interrupts the answers that are running. */
  readonly scope: Scope.Scope
}

/** Returns the failure of the database, which may have come after the time that a statement may take. */
const databaseFailure = (cause: Cause.Cause<unknown>): MetadataError | undefined =>
  cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason) && reason.error instanceof MetadataError ? [reason.error] : []
  )[0]

/**
 * How many services a request may provide until its context is copied, with all services of the program. An upload provides eight to ten.
 */
const maxDepth = 16

const makeListener = (
  { context, find, observe, router }: Options,
  running: RunningFibers.RunningFibers<boolean, unknown>
): RequestListener => {
  const services = Context.makeUnsafe<never>(context.mapUnsafe, { maxDepth })
  const complete = (exit: Exit.Exit<boolean, unknown>, request: IncomingMessage, response: ServerResponse): void => {
    if ((Exit.isSuccess(exit) && exit.value) || response.destroyed) return
    // The head promises bytes that will not come.
    if (response.headersSent) return void response.destroy()
    const failure = Exit.isFailure(exit) ? databaseFailure(exit.cause) : undefined
    if (failure !== undefined) KnownFailures.set(request, Cause.fail(failure))
    router(request, response)
  }

  return (request, response) => {
    const found = find(request)
    if (found === undefined) return router(request, response)
    const info = RequestInfos.make({ ...observe(request, found.route), headers: request.headers })
    const fiber = Effect.runForkWith(Context.add(services, CurrentRequest, info))(found.answer(response, info))
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return complete(exit, request, response)
    running.add(fiber)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
    fiber.addObserver((later) => complete(later, request, response))
  }
}

/** Makes the listener. A client that disconnects interrupts its answer. */
export const make = (options: Options): Effect.Effect<RequestListener> =>
  Effect.map(RunningFibers.make(options.scope), (running) => makeListener(options, running))
