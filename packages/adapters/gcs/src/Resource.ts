/**
 * An object as the JSON API has it.
 */
import * as Effect from "effect/Effect"
import type * as Connection from "./Connection.ts"
import * as GcsFailure from "./GcsFailure.ts"
import { property } from "./Transport.ts"

/** What an object is to be besides its bytes, as the API has it. In a PATCH, null takes away. */
export interface Description {
  readonly contentType: string
  readonly cacheControl?: string | null
  readonly contentDisposition?: string | null
  readonly contentEncoding?: string | null
  readonly contentLanguage?: string | null
  readonly metadata?: Readonly<Record<string, string | null>>
}

/** What the service says of an object. */
export interface Stored {
  readonly name: string
  readonly size: number
  /** Another one with every write. */
  readonly generation: string
  /** Another one with every change of what is not bytes. */
  readonly metageneration: string
  /** Base64. */
  readonly md5Hash: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What a resource says; undefined when it is that of no object. */
export const parse = (json: unknown): Stored | undefined => {
  const name = property(json, "name")
  const size = Number(property(json, "size"))
  const generation = property(json, "generation")
  const metageneration = property(json, "metageneration")
  const md5Hash = property(json, "md5Hash")
  const metadata = property(json, "metadata") ?? {}
  if (typeof name !== "string" || typeof generation !== "string" || typeof metageneration !== "string") return undefined
  if (!Number.isSafeInteger(size) || typeof metadata !== "object") return undefined
  return {
    name,
    size,
    generation,
    metageneration,
    md5Hash: typeof md5Hash === "string" ? md5Hash : undefined,
    metadata: { ...metadata }
  }
}

/** The object of an answer. */
export const of = ({ json }: Connection.Answer): Effect.Effect<Stored, GcsFailure.GcsFailure> => {
  const object = parse(json)
  return object === undefined ? Effect.fail(GcsFailure.unexpected("no object's resource")) : Effect.succeed(object)
}
