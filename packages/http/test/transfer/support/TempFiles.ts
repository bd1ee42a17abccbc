/**
 * Temporary files of a test, and the number of open descriptors of them.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createCipheriv } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Bytes without repetition, so that a test detects any misplaced byte. The same seed gives the same bytes. */
export const pattern = (length: number, seed = 1): Buffer =>
  createCipheriv("aes-128-ctr", Buffer.alloc(16, seed), Buffer.alloc(16)).update(Buffer.alloc(length))

export const tempFile = (bytes: Uint8Array): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = Path.join(Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-transfer-")), "blob")
      Fs.writeFileSync(path, bytes)
      return path
    }),
    (path) => Effect.sync(() => Fs.rmSync(Path.dirname(path), { recursive: true, force: true }))
  )

const target = (fd: string): string | undefined => {
  try {
    return Fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

/** The number of this process's open descriptors of a file. */
export const openCount = (path: string): number =>
  Fs.readdirSync("/proc/self/fd").filter((fd) => target(fd) === path).length
