/**
 * Directories that live as long as a test.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const create = () => Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-fs-"))

const destroy = (path: string) => Fs.rmSync(path, { recursive: true, force: true })

/** A new, empty directory. */
export const make: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(Effect.sync(create), (path) =>
  Effect.sync(() => destroy(path))
)

const mount = (path: string, options: string) => execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])

const unmount = (path: string) => execFileSync("umount", [path])

/** A new file system in memory, with mount options such as `size=8m`. */
export const makeFileSystem = (options: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = create()
      mount(path, options)
      return path
    }),
    (path) =>
      Effect.sync(() => {
        unmount(path)
        destroy(path)
      })
  )

/** Makes a directory that nothing is open in read-only, until the scope closes. */
export const readOnly = (path: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        execFileSync("mount", ["--bind", path, path])
        execFileSync("mount", ["-o", "remount,bind,ro", path])
      }),
      () => Effect.sync(() => unmount(path))
    )
  )

/** Why `makeFileSystem` does not work here; undefined where it does. */
export const missingForFileSystem: string | undefined = Requires.command(
  "sh",
  "-c",
  'd=$(mktemp -d) && trap \'rmdir "$d"\' EXIT && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"'
)
