/**
 * Runs FFmpeg's programs under strace, to see which files they open and which connections they make.
 */
import * as Context from "effect/Context"
import { readdirSync, rmSync } from "node:fs"
import * as Files from "./Files.ts"
import * as Tools from "./Tools.ts"

export interface Calls {
  /** Paths, also of missing files. The random parts of temporary directories are removed. */
  readonly opened: ReadonlyArray<string>
  readonly connected: ReadonlyArray<string>
}

export class Trace extends Context.Service<
  Trace,
  {
    /** Returns the calls since the last call of `take`. */
    readonly take: () => Calls
  }
>()("@holdfast/ffmpeg/test/Trace") {}

const script = (program: string, directory: string): string =>
  `exec strace -f -qq -s 4096 -o "${directory}/$$.trace" -e trace=open,openat,openat2,connect ${program} "$@"`

/** Writes wrappers of FFmpeg's programs into a directory, which run the real programs and record their system calls. */
export const install = (directory: string): Trace["Service"] => {
  Files.program(`${directory}/ffmpeg`, script(Tools.ffmpeg, directory))
  Files.program(`${directory}/ffprobe`, script(Tools.ffprobe, directory))
  return {
    take: () => {
      const traces = readdirSync(directory).filter((name) => name.endsWith(".trace"))
      const lines = traces.flatMap((name) => Files.lines(`${directory}/${name}`))
      for (const name of traces) rmSync(`${directory}/${name}`)
      const opened = lines.flatMap((line) => {
        const [, path] = /\bopen(?:at2?)?\((?:[^"]*, )?"([^"]*)"/.exec(line) ?? []
        return path === undefined ? [] : [path.replaceAll(/holdfast-([a-z]+)(-\w+)+/g, "holdfast-$1")]
      })
      return {
        opened: [...new Set(opened)].map((path) => path.replace(/^\/proc\/\d+\//, "/proc/self/")),
        // A connection to a local socket, such as that of the name service cache, is not a network connection.
        connected: lines.filter((line) => line.includes("connect(") && !line.includes("AF_UNIX"))
      }
    }
  }
}
