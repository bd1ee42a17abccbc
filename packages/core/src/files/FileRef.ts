/**
 * How a caller names a file inside a bucket: by id, or by `@alias`.
 */
import * as Option from "effect/Option"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as Schema from "effect/Schema"
import * as Ids from "../Ids.ts"
import { Alias } from "./FileName.ts"

/** A file of a bucket; `fileId` is its id or `@alias`. */
export interface FileRef extends BucketRef {
  readonly fileId: string
}

/** The column that finds the file. */
export type Selector = { readonly _tag: "Id"; readonly id: string } | { readonly _tag: "Alias"; readonly alias: string }

const isAlias = Schema.is(Alias)

/** Reads a file's id or `@alias`; none for a text that can be neither, and so names no file. */
export const selector = (file: string): Option.Option<Selector> => {
  if (Ids.is("fil", file)) return Option.some({ _tag: "Id", id: file })
  const alias = file.slice(1)
  return file.startsWith("@") && isAlias(alias) ? Option.some({ _tag: "Alias", alias }) : Option.none()
}
