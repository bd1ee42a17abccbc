/**
 * Reads a log of strace: the calls that change files below a directory, with the bytes that they wrote.
 *
 * The log is made with `-f -y -ttt -T -x` and a limit of strings above the largest write.
 */
import * as Path from "node:path"

/** A call. It ran from `start` to `end`, in milliseconds since the epoch. */
interface Timed {
  readonly start: number
  readonly end: number
}

export type Call = Timed &
  (
    | { readonly kind: "create"; readonly path: string; readonly truncates: boolean }
    | { readonly kind: "mkdir" | "remove"; readonly path: string }
    | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
    | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
    | { readonly kind: "truncate"; readonly path: string; readonly length: number }
    | { readonly kind: "sync"; readonly path: string }
  )

export const options: ReadonlyArray<string> = [
  "-f",
  "-y",
  "-ttt",
  "-T",
  "-x",
  "-s",
  "4000000",
  "--seccomp-bpf",
  "-e",
  "trace=openat,mkdir,rmdir,unlink,rename,link,write,writev,pwrite64,pwritev,ftruncate,fsync,fdatasync"
]

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, '"': 34, "\\": 92 }

/** Returns the bytes of a string as strace prints it. */
const unescape = (text: string): Buffer => {
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? ""
    if (char !== "\\") {
      bytes[length++] = text.charCodeAt(index)
      continue
    }
    const next = text[++index] ?? ""
    const [octal] = /^[0-7]{1,3}/.exec(text.slice(index, index + 3)) ?? []
    if (next === "x") {
      bytes[length++] = Number.parseInt(text.slice(index + 1, index + 3), 16)
      index += 2
    } else if (octal !== undefined) {
      bytes[length++] = Number.parseInt(octal, 8)
      index += octal.length - 1
    } else bytes[length++] = escapes[next] ?? next.charCodeAt(0)
  }
  return bytes.subarray(0, length)
}

const quoted = /"([^"\\]*(?:\\.[^"\\]*)*)"/g

const stringsOf = (args: string): ReadonlyArray<string> => [...args.matchAll(quoted)].map(([, text = ""]) => text)

/** Returns the lines with each call whole: strace splits a call when another thread makes one meanwhile. */
const wholeLines = function* (log: string): Generator<string> {
  const unfinished = new Map<string, string>()
  for (const line of log.split("\n")) {
    const [, thread = ""] = /^(\d+)/.exec(line) ?? []
    const begun = / <unfinished \.\.\.>$/.exec(line)
    if (begun !== null) unfinished.set(thread, line.slice(0, begun.index))
    else {
      const resumed = /<\.\.\. \w+ resumed>/.exec(line)
      yield resumed === null ? line : (unfinished.get(thread) ?? "") + line.slice(resumed.index + resumed[0].length)
    }
  }
}

/** Returns the successful calls on files below a directory, in the order in which they began. */
export const parse = (log: string, directory: string): ReadonlyArray<Call> => {
  const calls: Array<Call> = []
  /** Positions of open files, which `write` advances. */
  const positions = new Map<string, number>()
  for (const line of wholeLines(log)) {
    const parts = /^(\d+)\s+([\d.]+) (\w+)\((.*)\)\s+= (\d+)(?:<(.*)>)? <([\d.]+)>$/s.exec(line)
    if (parts === null) continue
    const [, , time = "", name = "", args = "", result = "", opened = "", duration = ""] = parts
    const start = Number(time) * 1000
    const timed = { start, end: start + Number(duration) * 1000 }
    const [, descriptor = "", path = ""] = /^(\d+)<([^>]*)>/.exec(args) ?? []
    const isInside = (candidate: string): boolean =>
      candidate.startsWith(directory + Path.sep) || candidate === directory
    const [first = "", second = ""] = name.startsWith("write") || name.startsWith("pwrite") ? [] : stringsOf(args)

    if (name === "openat") {
      if (!isInside(opened)) continue
      positions.set(`${result} ${opened}`, 0)
      if (args.includes("O_CREAT"))
        calls.push({ ...timed, kind: "create", path: opened, truncates: args.includes("O_TRUNC") })
    } else if (name === "mkdir" && isInside(first)) calls.push({ ...timed, kind: "mkdir", path: first })
    else if ((name === "unlink" || name === "rmdir") && isInside(first))
      calls.push({ ...timed, kind: "remove", path: first })
    else if ((name === "rename" || name === "link") && isInside(first))
      calls.push({ ...timed, kind: name, path: first, to: second })
    else if (!isInside(path)) continue
    else if (name === "ftruncate")
      calls.push({ ...timed, kind: "truncate", path, length: Number(args.slice(args.lastIndexOf(",") + 1)) })
    else if (name === "fsync" || name === "fdatasync") calls.push({ ...timed, kind: "sync", path })
    else {
      const bytes = Buffer.concat(stringsOf(args).map(unescape)).subarray(0, Number(result))
      const key = `${descriptor} ${path}`
      const isPositioned = name.startsWith("p")
      const offset = isPositioned ? Number(args.slice(args.lastIndexOf(",") + 1)) : (positions.get(key) ?? 0)
      if (!isPositioned) positions.set(key, offset + bytes.length)
      calls.push({ ...timed, kind: "write", path, offset, bytes })
    }
  }
  return calls.toSorted((one, other) => one.start - other.start)
}
