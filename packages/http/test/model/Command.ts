/**
 * What all commands of the model test have in common.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import * as fc from "fast-check"
import { assert } from "vitest"
import type * as TestServer from "../support/TestServer.ts"
import type * as Model from "./Model.ts"

/** The API, with a counter of the commands that ran. */
export interface Real {
  readonly requests: TestServer.TestServer
  readonly bucket: BucketRef
  /** Path of the bucket's files. */
  readonly path: string
  readonly count: () => void
}

export type Command = fc.AsyncCommand<Model.Model, Real>

/** Makes a command that can always run. Its name appears in the report of a failing run. */
export const command = (name: string, run: (model: Model.Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run: (model, real) => {
    real.count()
    return run(model, real)
  },
  toString: () => name
})

export interface FileRecord {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly alias: string | null
  readonly version: number
  readonly state: string
  readonly metadata: object
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly expands?: { readonly size: { readonly bytes: number } }
}

/** Expects that a record of the API is that of the model's file. */
export const compare = (record: FileRecord, file: Model.ModelFile): void => {
  assert.deepInclude(record, {
    id: file.id,
    name: file.name,
    path: file.path,
    alias: file.alias,
    version: file.version,
    state: file.content === null ? "RESERVED" : "READY",
    metadata: file.metadata
  })
  assert.deepStrictEqual(
    record.headers.map(({ name, value }) => [name.toLowerCase(), value]),
    [...file.headers]
  )
}

export const locations = {
  // Few names, so that they collide. Their order by UTF-16 differs from their order by UTF-8.
  name: fc.constantFrom("a", "b", "B", "é", "\u{fffd}", "😀", "a b", "%2F"),
  path: fc.constantFrom("/", "/x/", "/x/y/", "/x0/", "/é/", "/😀/z/")
}
export const content = fc.oneof(fc.string({ maxLength: 50, unit: "binary" }), fc.constant(""))
export const alias = fc.constantFrom("one", "two", "three")
/** Which of the files or uploads. */
export const index = fc.nat(1000)

/** Returns the model of a new file. */
export const makeFile = (record: FileRecord, text: string | null): Model.ModelFile => ({
  id: record.id,
  path: record.path,
  name: record.name,
  alias: record.alias,
  version: text === null ? 0 : 1,
  content: text,
  metadata: {},
  headers: new Map()
})
