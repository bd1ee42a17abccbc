/**
 * The configuration file: one JSON object with a member for each setting. A value is JSON (`8080`, `true`,
 * `["https://a.example"]`) or the string that the environment variable would hold.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import type { ConfigFault, SourcedText } from "./ConfigError.ts"

/** The settings in a file, by name, and the faults of the file. */
export interface Contents {
  readonly settings: ReadonlyMap<string, SourcedText>
  readonly faults: ReadonlyArray<ConfigFault>
}

export const empty: Contents = { settings: new Map(), faults: [] }

const unusable = (path: string, problem: string): Contents => ({
  settings: new Map(),
  faults: [{ source: path, problem }]
})

/** Returns a JSON value as the text of a setting, or undefined for a value that no setting can have. */
const toText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return Array.isArray(value) && value.every(Predicate.isString) ? value.join(",") : undefined
}

/**
 * Returns the position of a syntax error. The parser's own message is not used: it quotes the text, secrets included.
 */
const positionOf = (error: unknown): string =>
  / \(line \d+ column \d+\)/.exec(error instanceof Error ? error.message : "")?.[0] ?? ""

const parse = (path: string, names: ReadonlySet<string>, text: string): Contents => {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    return unusable(path, `is not valid JSON${positionOf(error)}`)
  }
  if (!Predicate.isObject(json) || Array.isArray(json)) return unusable(path, "must contain one JSON object")

  const settings = new Map<string, SourcedText>()
  const faults: Array<ConfigFault> = []
  for (const [name, value] of Object.entries(json)) {
    const source = `${name} in ${path}`
    const valueText = toText(value)
    if (!names.has(name)) faults.push({ source, problem: "unknown setting" })
    else if (valueText === undefined) {
      faults.push({ source, problem: "expected a string, a number, true, false or a list of strings" })
    } else settings.set(name, { source, text: valueText })
  }
  return { settings, faults }
}

/** Reads a file. A member whose name is not in `names` is a fault. */
export const read = (path: string, names: ReadonlySet<string>): Effect.Effect<Contents, never, FileSystem.FileSystem> =>
  FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(path)).pipe(
    Effect.map((text) => parse(path, names, text)),
    Effect.catch((error) => Effect.succeed(unusable(path, `cannot be read: ${error.message}`)))
  )
