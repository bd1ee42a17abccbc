/**
 * Temporary directories, which are removed when the scope closes.
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

/** Creates an empty directory. */
export const make: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(Effect.sync(create), (path) =>
  Effect.sync(() => destroy(path))
)

const mount = (path: string, options: string) => execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path])

const unmount = (path: string) => execFileSync("umount", [path])

/** Mounts an empty file system in memory, with mount options such as `size=8m`. */
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

/** Makes a directory read-only until the scope closes. No file in it may be open. */
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

/** Why `makeFileSystem` cannot run; undefined if it can. */
export const missingForFileSystem: string | undefined = Requires.command(
  "sh",
  "-c",
  'd=$(mktemp -d) && trap \'rmdir "$d"\' EXIT && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"'
)
