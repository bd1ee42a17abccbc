/**
 * FFmpeg's programs under strace: which files they open, and whom they connect to.
 */
import * as Context from "effect/Context"
import { readdirSync, rmSync } from "node:fs"
import * as Files from "./Files.ts"
import * as Tools from "./Tools.ts"

export interface Calls {
  /** Paths, found or not. Those of the work's own directories are told without their random parts. */
  readonly opened: ReadonlyArray<string>
  readonly connected: ReadonlyArray<string>
}

export class Trace extends Context.Service<
  Trace,
  {
    /** What was called since the last time. */
    readonly take: () => Calls
  }
>()("@holdfast/ffmpeg/test/Trace") {}

const script = (program: string, directory: string): string =>
  `exec strace -f -qq -s 4096 -o "${directory}/$$.trace" -e trace=open,openat,openat2,connect ${program} "$@"`

/** Puts programs of FFmpeg's names into a directory, each of which runs the real one and writes down its calls. */
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
        return path === undefined ? [] : [path.replaceAll(/holdfast-(\w+)-\w+/g, "holdfast-$1")]
      })
      return {
        opened: [...new Set(opened)].map((path) => path.replace(/^\/proc\/\d+\//, "/proc/self/")),
        // A look-up in the system's own name service cache is no request to anybody.
        connected: lines.filter((line) => line.includes("connect(") && !line.includes("AF_UNIX"))
      }
    }
  }
}
