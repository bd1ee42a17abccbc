/**
 * Measures how long a neighbour waits: a tenant that reads a small file at a steady rate while another tenant attacks the
 * service or runs a large operation.
 *
 *     const { neighbour } = yield* Neighbour.observe({ url: `${files}/${fileId}/view`, headers: { "x-api-key": key } }, attack)
 *     assert.strictEqual(neighbour.failures, 0)
 *
 * The requests come from a process of their own, over six connections, each at its time, whether or not those before were
 * answered. The same process asks a bare HTTP server at the same times: a machine that is busy with other work makes both wait.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Address, Command, Report } from "./internal/Messages.ts"
import * as Waits from "./Waits.ts"

export interface Options {
  /** What the neighbour reads, with GET. It must answer 200. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds between two requests; 10 when absent. */
  readonly intervalMs?: number | undefined
  /** Milliseconds after which a request counts as failed; 60,000 when absent. */
  readonly timeoutMs?: number | undefined
}

export interface Observation<A> {
  /** What the observed work returned. */
  readonly result: A
  /** The requests that were due while the work ran. */
  readonly neighbour: Waits.Waits
  /** The requests to the bare HTTP server at the same times. */
  readonly reference: Waits.Waits
  /** How much longer a request of the neighbour waited, at most, than those to the bare HTTP server at that moment. */
  readonly worstBeyondMs: number
}

/** A process that sends requests, or the bare HTTP server, ended early. */
export class NeighbourError extends Data.TaggedError("NeighbourError")<{ readonly message: string }> {}

/** Requests to each address before the observation begins: they open the connection and fill the service's caches. */
const warmUpRequests = 20

/** The scripts of the processes have the extension of this file: `.ts` in the repository, `.js` in the published package. */
const pathOf = (name: string): string =>
  fileURLToPath(
    new URL(`./internal/${name}${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)
  )

const start = (name: string): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => fork(pathOf(name), { execArgv: [] })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

/** Sends a command, if there is one, and waits for the first message for which `select` returns a value. */
const receive = <Message, A>(
  child: ChildProcess,
  select: (message: Message) => A | undefined,
  command?: Command
): Effect.Effect<A, NeighbourError> =>
  Effect.callback<A, NeighbourError>((resume) => {
    const stop = () => child.off("message", onMessage).off("error", onEnd).off("exit", onEnd)
    const onMessage = (message: Message) => {
      const selected = select(message)
      if (selected === undefined) return
      stop()
      resume(Effect.succeed(selected))
    }
    const onEnd = (reason: unknown) => {
      stop()
      resume(Effect.fail(new NeighbourError({ message: `A process of the observation ended early: ${reason}` })))
    }
    child.on("message", onMessage).once("error", onEnd).once("exit", onEnd)
    if (command !== undefined) child.send(command)
    return Effect.sync(stop)
  })

/** Waits until the process has sent requests for this long. Returns its time. */
const awaitTime = (child: ChildProcess, milliseconds: number): Effect.Effect<number, NeighbourError> =>
  Effect.gen(function* () {
    const now = yield* receive(child, (message: Report) => ("nowMs" in message ? message.nowMs : undefined), "now")
    if (now >= milliseconds) return now
    yield* Effect.sleep(milliseconds - now)
    return yield* awaitTime(child, milliseconds)
  })

/**
 * Observes the neighbour while work runs. The observation begins once its requests are answered. It ends when the work has
 * ended and all requests are answered that were due until then.
 */
export const observe = <A, E, R>(
  { headers = {}, intervalMs = 10, timeoutMs = 60_000, url }: Options,
  work: Effect.Effect<A, E, R>
): Effect.Effect<Observation<A>, E | NeighbourError, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const [child, server] = yield* Effect.all([start("NeighbourProcess"), start("ReferenceProcess")])
      const port = yield* receive(server, (message: number) => message)
      const addresses: ReadonlyArray<Address> = [
        { url, headers },
        { url: `http://127.0.0.1:${port}/`, headers: {} }
      ]
      const isAnswered = (message: Report) => ("answered" in message && message.answered === url ? true : undefined)
      yield* receive(child, isAnswered, { start: { addresses, intervalMs, timeoutMs } })
      const from = yield* awaitTime(child, warmUpRequests * intervalMs)
      const result = yield* work
      const waits = yield* receive(child, (message: Report) => ("waits" in message ? message.waits : undefined), "stop")
      const [neighbour = [], reference = []] = waits
      return {
        result,
        neighbour: Waits.summarise(neighbour, from),
        reference: Waits.summarise(reference, from),
        worstBeyondMs: Waits.worstBeyond(neighbour, reference, from)
      }
    })
  )
