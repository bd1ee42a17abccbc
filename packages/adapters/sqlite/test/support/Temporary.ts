/**
 * A temporary path for a database file.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** Returns the path of a database in a new directory, which is removed when the scope closes. */
export const file = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-sqlite-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  ),
  (directory) => join(directory, "sub", "holdfast.db")
)
