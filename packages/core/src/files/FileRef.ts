/**
 * The reference to a file that callers pass: by id or by `@alias`.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BucketRef } from "../buckets/BucketRef.ts"
import * as Ids from "../Ids.ts"
import { FolderPath } from "../access/FolderPath.ts"
import { Alias, FileName } from "./FileName.ts"

/** A file of a bucket. `fileId` is the file's id or `@alias`. */
export interface FileRef extends BucketRef {
  /** The `id` of the file, or `@` and its alias. */
  readonly fileId: string
}

/** What a caller asks for when it asks whether a file exists: `fileId`, or `name` and maybe `path`. */
export const FileQuery = Schema.Struct({
  fileId: Schema.optional(Schema.String).annotate({ description: "The id of the file, or `@` and its alias." }),
  path: Schema.optional(FolderPath).annotate({ description: "The folder of the file called `name`; `/` when absent." }),
  name: Schema.optional(FileName)
})
export type FileQuery = typeof FileQuery.Type

/** Whether the file exists that a `FileQuery` asks for. */
export const Existence = Schema.Struct({ exists: Schema.Boolean }).annotate({ identifier: "FileExistence" })

/** The folder and the name of a file, both normalised. A bucket has at most one file at a place. */
export interface Place {
  readonly path: string
  readonly name: string
}

/** The columns and values that find the file. */
export type Selector = (
  | { readonly _tag: "Id"; readonly id: string }
  | { readonly _tag: "Alias"; readonly alias: string }
  | { readonly _tag: "Place"; readonly place: Place }
) & {
  /** Selects the file only if it is in this folder or in one below it. */
  readonly folder?: string | undefined
  /** Selects the file only while it is at this place. */
  readonly at?: Place | undefined
}

const isAlias = Schema.is(Alias)

/** Parses a file's id or `@alias`; none for a text that is neither. The selector finds the file within the folder, if given. */
export const parseSelector = (fileId: string, folder?: string): Option.Option<Selector> => {
  if (Ids.is("fil", fileId)) return Option.some({ _tag: "Id", id: fileId, folder })
  const alias = fileId.slice(1)
  return fileId.startsWith("@") && isAlias(alias) ? Option.some({ _tag: "Alias", alias, folder }) : Option.none()
}
