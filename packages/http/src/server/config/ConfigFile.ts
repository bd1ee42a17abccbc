/**
 * The configuration file: one JSON object with settings by name. Values are written as JSON has them (`8080`, `true`,
 * `["https://a.example"]`) or as the text that the environment would hold.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import type { Fault, Given } from "./ConfigError.ts"

/** What a file gives, and what is wrong with it. */
export interface Contents {
  readonly given: ReadonlyMap<string, Given>
  readonly faults: ReadonlyArray<Fault>
}

export const empty: Contents = { given: new Map(), faults: [] }

const broken = (path: string, what: string): Contents => ({ given: new Map(), faults: [{ where: path, what }] })

/** The text of a value, undefined for what no setting can be. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return Array.isArray(value) && value.every(Predicate.isString) ? value.join(",") : undefined
}

/** Where JSON ends to be JSON. The parser's own message quotes the text, and with it secrets. */
const position = (error: unknown): string =>
  / \(line \d+ column \d+\)/.exec(error instanceof Error ? error.message : "")?.[0] ?? ""

const parse = (path: string, names: ReadonlySet<string>, text: string): Contents => {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    return broken(path, `is not JSON${position(error)}`)
  }
  if (!Predicate.isObject(json) || Array.isArray(json)) return broken(path, "must hold one JSON object")

  const given = new Map<string, Given>()
  const faults: Array<Fault> = []
  for (const [name, value] of Object.entries(json)) {
    const where = `${name} in ${path}`
    const text = textOf(value)
    if (!names.has(name)) faults.push({ where, what: "there is no such setting" })
    else if (text === undefined) faults.push({ where, what: "expected text, a number, true, false or a list of texts" })
    else given.set(name, { where, text })
  }
  return { given, faults }
}

/** Reads a file that may give the settings of these names. */
export const read = (path: string, names: ReadonlySet<string>): Effect.Effect<Contents, never, FileSystem.FileSystem> =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(path)).pipe(
    Effect.map((text) => parse(path, names, text)),
    Effect.catch((error) => Effect.succeed(broken(path, `cannot be read: ${error.message}`)))
  )
