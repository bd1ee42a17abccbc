/**
 * The state of the fake service: objects, whose bytes are files of a directory, and uploads in progress.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import * as GcsError from "./GcsError.ts"
import * as Hashes from "./GcsHashes.ts"

/** The fields that a client may set. */
export interface Fields {
  contentType?: string
  cacheControl?: string
  contentDisposition?: string
  contentEncoding?: string
  contentLanguage?: string
  metadata?: Record<string, string>
}

/** A visible object. */
export interface StoredObject extends Hashes.Digests {
  readonly name: string
  readonly generation: string
  readonly metageneration: number
  readonly size: number
  readonly fields: Fields
  readonly timeCreated: string
  readonly updated: string
  /** Path of the file with the bytes. */
  readonly path: string
}

/** The bytes of an object that is being written. They are hashed as they arrive. */
export interface IncomingContent {
  readonly path: string
  readonly file: number
  readonly hashes: Hashes.Hashes
  size: number
}

/** The preconditions of a request or a session, by name. */
export type Conditions = ReadonlyMap<string, string>

/** A resumable upload. */
export interface Session {
  readonly id: string
  readonly bucket: string
  readonly name: string
  readonly resource: Readonly<Record<string, unknown>>
  readonly conditions: Conditions
  readonly incoming: IncomingContent
  /** Changes once: when the upload is complete, cancelled or refused. */
  outcome: "open" | "cancelled" | "refused" | StoredObject
}

export interface State {
  readonly directory: string
  readonly buckets: Map<string, Map<string, StoredObject>>
  readonly sessions: Map<string, Session>
  generation: bigint
  files: number
}

/** Makes the state of a service without buckets. Its files are in the directory. */
export const make = (directory: string): State => ({
  directory,
  buckets: new Map(),
  sessions: new Map(),
  generation: BigInt(Date.now()) * 1000n,
  files: 0
})

/** Returns the objects of a bucket. Throws an error response for a missing bucket. */
export const getBucket = (state: State, name: string): Map<string, StoredObject> => {
  const objects = state.buckets.get(name)
  if (objects === undefined) throw GcsError.noBucket()
  return objects
}

/** Begins a content without bytes. */
export const beginContent = (state: State): IncomingContent => {
  const path = join(state.directory, String(state.files++))
  return { path, file: openSync(path, "w+"), hashes: Hashes.make(), size: 0 }
}

/** Appends bytes to a content. */
export const append = (incoming: IncomingContent, bytes: Uint8Array): void => {
  for (let offset = 0; offset < bytes.byteLength;) offset += writeSync(incoming.file, bytes, offset)
  incoming.hashes.update(bytes)
  incoming.size += bytes.byteLength
}

/** Closes and removes the file of a content that does not become an object. */
export const discard = ({ file, path }: IncomingContent): void => {
  closeSync(file)
  rmSync(path)
}

/** Adds or replaces an object. A reader of the replaced object still gets all of its bytes. */
export const publish = (
  state: State,
  {
    bucket,
    digests,
    fields,
    incoming,
    name
  }: {
    readonly bucket: string
    readonly name: string
    readonly fields: Fields
    readonly incoming: IncomingContent
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
  remove(state, bucket, name)
  getBucket(state, bucket).set(name, object)
  return object
}

/** Removes an object, if there is one. */
export const remove = (state: State, bucket: string, name: string): void => {
  const objects = getBucket(state, bucket)
  const object = objects.get(name)
  if (object === undefined) return
  objects.delete(name)
  rmSync(object.path)
}
