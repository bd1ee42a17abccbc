/**
 * Compares a bucket with a directory byte by byte by rclone, whose code is independent of Holdfast.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Requires from "../Requires.ts"

class RcloneError extends Data.TaggedError("RcloneError")<{ readonly message: string }> {}

/** The reason why rclone cannot run; undefined when it can. */
export const missing: string | undefined = Requires.command("rclone", "version")

/** A bucket or container, in the terms of rclone. */
export interface Remote {
  /** Options of the rclone backend, such as `type` and `endpoint`. */
  readonly options: Readonly<Record<string, string>>
  readonly path: string
}

const environment = (directory: string, { options }: Remote) => ({
  PATH: process.env.PATH,
  LC_ALL: "C.UTF-8",
  HOME: directory,
  RCLONE_CONFIG: join(directory, "no.conf"),
  ...Object.fromEntries(
    Object.entries(options).map(([name, value]) => [`RCLONE_CONFIG_IT_${name.toUpperCase()}`, value])
  )
})

/**
 * Returns the names of all files of a directory. Fails unless the remote has the same files with the same bytes, and no others.
 */
export const check = (directory: string, remote: Remote): Effect.Effect<ReadonlyArray<string>, RcloneError> =>
  Effect.callback((resume) => {
    const args = ["check", "--download", "--combined", "-", "--retries", "1", directory, `it:${remote.path}`]
    const options = { env: environment(directory, remote), timeout: 120_000, maxBuffer: 64 * 1024 * 1024 }
    const child = execFile("rclone", args, options, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "")
      const differences = lines.filter((line) => !line.startsWith("= "))
      resume(
        error === null && differences.length === 0
          ? Effect.succeed(lines.map((line) => line.slice(2)))
          : Effect.fail(new RcloneError({ message: [...differences, stderr].join("\n").slice(0, 4000) }))
      )
    })
    return Effect.sync(() => child.kill())
  })
