/**
 * What the fake service keeps: objects with their bytes in files of a directory, and uploads under way.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as Hashes from "./GcsHashes.ts"
import * as Refusal from "./GcsRefusal.ts"

/** What a client may say of an object. */
export interface Fields {
  contentType?: string
  cacheControl?: string
  contentDisposition?: string
  contentEncoding?: string
  contentLanguage?: string
  metadata?: Record<string, string>
}

export interface StoredObject extends Hashes.Digests {
  readonly name: string
  readonly generation: string
  readonly metageneration: number
  readonly size: number
  readonly fields: Fields
  readonly timeCreated: string
  readonly updated: string
  /** Of the file that holds the bytes. */
  readonly path: string
}

/** Bytes that come in, hashed as they do. */
export interface Incoming {
  readonly path: string
  readonly file: number
  readonly hashes: Hashes.Hashes
  size: number
}

/** The conditions of a request, and a session's. */
export type Conditions = ReadonlyMap<string, string>

/** A resumable upload. */
export interface Session {
  readonly id: string
  readonly bucket: string
  readonly name: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly conditions: Conditions
  readonly incoming: Incoming
  /** What became of it. */
  outcome: "open" | "cancelled" | "refused" | StoredObject
}

export interface State {
  readonly directory: string
  readonly buckets: Map<string, Map<string, StoredObject>>
  readonly sessions: Map<string, Session>
  generation: bigint
  files: number
}

export const make = (directory: string): State => ({
  directory,
  buckets: new Map(),
  sessions: new Map(),
  generation: BigInt(Date.now()) * 1000n,
  files: 0
})

export const bucket = (state: State, name: string): Map<string, StoredObject> => {
  const objects = state.buckets.get(name)
  if (objects === undefined) throw Refusal.noBucket()
  return objects
}

export const receive = (state: State): Incoming => {
  const path = join(state.directory, String(state.files++))
  return { path, file: openSync(path, "w+"), hashes: Hashes.make(), size: 0 }
}

export const append = (incoming: Incoming, bytes: Uint8Array): void => {
  for (let offset = 0; offset < bytes.byteLength;) offset += writeSync(incoming.file, bytes, offset)
  incoming.hashes.update(bytes)
  incoming.size += bytes.byteLength
}

export const discard = ({ file, path }: Incoming): void => {
  closeSync(file)
  rmSync(path)
}

/** Replaces or adds an object; whoever reads the former one reads it to its end. */
export const publish = (
  state: State,
  {
    bucket: to,
    digests,
    fields,
    incoming,
    name
  }: {
    readonly bucket: string
    readonly name: string
    readonly fields: Fields
    readonly incoming: Incoming
    readonly digests: Hashes.Digests
  }
): StoredObject => {
  closeSync(incoming.file)
  const now = new Date().toISOString()
  const object: StoredObject = {
    ...digests,
    name,
    generation: String(++state.generation),
    metageneration: 1,
    size: incoming.size,
    fields,
    timeCreated: now,
    updated: now,
    path: incoming.path
  }
  remove(state, to, name)
  bucket(state, to).set(name, object)
  return object
}

export const remove = (state: State, from: string, name: string): void => {
  const objects = bucket(state, from)
  const object = objects.get(name)
  if (object === undefined) return
  objects.delete(name)
  rmSync(object.path)
}
