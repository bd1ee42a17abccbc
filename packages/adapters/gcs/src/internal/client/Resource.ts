/**
 * An object's resource in the JSON API.
 */
import { property } from "@holdfast/outbound/Property"
import * as Effect from "effect/Effect"
import * as GcsFailure from "../GcsFailure.ts"
import type * as Connection from "./Connection.ts"

/** The fields that a client sets. In a PATCH, null removes a field. */
export interface Fields {
  readonly contentType: string
  readonly cacheControl?: string | null
  readonly contentDisposition?: string | null
  readonly contentEncoding?: string | null
  readonly contentLanguage?: string | null
  readonly metadata?: Readonly<Record<string, string | null>>
}

/** An object as the service describes it. */
export interface Stored {
  readonly name: string
  readonly size: number
  /** Changes with every write. */
  readonly generation: string
  /** Changes with every change of the fields. */
  readonly metageneration: string
  /** Base64. Absent for some objects. */
  readonly md5Hash: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Parses a resource; undefined for JSON that is not an object's resource. */
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

/** Returns the object of a response. */
export const fromResponse = ({ json }: Connection.Response): Effect.Effect<Stored, GcsFailure.GcsFailure> => {
  const object = parse(json)
  return object === undefined
    ? Effect.fail(GcsFailure.unexpected("it returned no resource of an object"))
    : Effect.succeed(object)
}
