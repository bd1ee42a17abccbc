/**
 * Starts the baseline server, and manages its files.
 */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ServerProcess from "../processes/ServerProcess.ts"
import { attempt, type BenchFailure } from "../run/BenchFailure.ts"
import * as DurableStore from "./DurableStore.ts"

/** Starts the server on a directory and waits until it listens. */
export const start = (directory: string): Effect.Effect<ServerProcess.ServerProcess, BenchFailure, Scope.Scope> =>
  Effect.andThen(
    attempt("The baseline's directory", () => mkdir(directory, { recursive: true })),
    ServerProcess.start({
      script: fileURLToPath(new URL("NodeServer.ts", import.meta.url)),
      arguments: [directory],
      log: `${directory}.log`
    })
  )

/** Writes a file that the server sends. */
export const writeServedFile = (
  directory: string,
  name: "small" | "large",
  bytes: number
): Effect.Effect<void, BenchFailure> =>
  attempt("The baseline's file", async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(`${directory}/${name}`, chunks(bytes))
  })

function* chunks(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024, "holdfast")
  for (let left = bytes; left > 0; left -= chunk.length) yield left >= chunk.length ? chunk : chunk.subarray(0, left)
}

/** Removes the bodies that the server has stored, so that the disk does not fill. */
export const removeStored = (directory: string): Effect.Effect<void, BenchFailure> =>
  attempt("Removing what the baseline stored", async () => {
    const names = (await readdir(directory)).filter((name) => name.startsWith(DurableStore.prefix))
    await Promise.all(names.map((name) => rm(`${directory}/${name}`)))
  })
