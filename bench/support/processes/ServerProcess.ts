/**
 * Servers that run in a child process and send the port that they listen on as their first message.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { attempt, type BenchFailure } from "../run/BenchFailure.ts"
import * as ChildProcess from "./ChildProcess.ts"

/** A server that can be measured. */
export interface ServerProcess {
  readonly pid: number
  readonly port: number
}

const decode = Schema.decodeUnknownPromise(Schema.Struct({ port: Schema.Int }))

/** Starts a server and waits until it listens. */
export const start = (options: ChildProcess.Options): Effect.Effect<ServerProcess, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* ChildProcess.spawnNode(options)
    const message = yield* ChildProcess.nextMessage(child)
    const { port } = yield* attempt("The server's address", () => decode(message))
    return { pid: child.pid, port }
  })
