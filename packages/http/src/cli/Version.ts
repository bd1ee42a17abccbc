/**
 * The version of this package, read from its manifest.
 */
import * as Predicate from "effect/Predicate"
import { readFileSync } from "node:fs"

const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

export const version: string =
  Predicate.hasProperty(manifest, "version") && Predicate.isString(manifest.version) ? manifest.version : "0.0.0"
