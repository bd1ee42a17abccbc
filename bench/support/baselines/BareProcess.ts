/**
 * The baseline server, as a subject is measured against.
 */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { attempt, type BenchFailure } from "../BenchFailure.ts"
import * as BareStore from "./BareStore.ts"
import * as Child from "../Child.ts"

/** A server that can be measured. */
export interface Server {
  readonly pid: number
  readonly port: number
}

const Address = Schema.Struct({ port: Schema.Int })
const decode = Schema.decodeUnknownPromise(Address)

/** Starts it over a directory; succeeds when it listens. */
export const start = (directory: string): Effect.Effect<Server, BenchFailure, Scope.Scope> =>
  Effect.gen(function* () {
    yield* attempt("The baseline's directory", () => mkdir(directory, { recursive: true }))
    const script = fileURLToPath(new URL("BareServer.ts", import.meta.url))
    const child = yield* Child.spawnNode({ script, arguments: [directory], log: `${directory}.log` })
    const message = yield* Child.nextMessage(child)
    const { port } = yield* attempt("The baseline's address", () => decode(message))
    return { pid: child.pid, port }
  })

/** A file that it serves. */
export const putFile = (directory: string, name: "small" | "large", bytes: number): Effect.Effect<void, BenchFailure> =>
  attempt("The baseline's file", async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(`${directory}/${name}`, pieces(bytes))
  })

function* pieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(1024 * 1024, "holdfast")
  for (let left = bytes; left > 0; left -= piece.length) yield left >= piece.length ? piece : piece.subarray(0, left)
}

/** Removes what it has stored, so that the disk does not fill. */
export const removeStored = (directory: string): Effect.Effect<void, BenchFailure> =>
  attempt("Removing what the baseline stored", async () => {
    const names = (await readdir(directory)).filter((name) => name.startsWith(BareStore.prefix))
    await Promise.all(names.map((name) => rm(`${directory}/${name}`)))
  })
