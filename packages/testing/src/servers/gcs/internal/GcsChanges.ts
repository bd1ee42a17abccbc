/**
 * Requests that change an existing object: PATCH, DELETE and rewrites.
 */
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readSync } from "node:fs"
import * as Conditions from "./GcsConditions.ts"
import * as GcsRequest from "./GcsRequest.ts"
import * as GcsError from "./GcsError.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

interface Target {
  readonly bucket: string
  readonly name: string
}

/** Changes the fields that the body names. Keeps the generation, and adds one to the metageneration. */
export const patch = async (state: State.State, request: GcsRequest.Request, target: Target): Promise<void> => {
  const body = await GcsRequest.readBody(request)
  const object = Conditions.getObject(state, target, request.query)
  const changed: State.StoredObject = {
    ...object,
    fields: Resource.applyPatch(object.fields, Resource.parse(body.toString())),
    metageneration: object.metageneration + 1,
    updated: new Date().toISOString()
  }
  State.getBucket(state, target.bucket).set(target.name, changed)
  GcsRequest.respondJson(request, 200, Resource.toJson(target.bucket, changed))
}

/** Removes an object. */
export const remove = (state: State.State, request: GcsRequest.Request, target: Target): void => {
  Conditions.getObject(state, target, request.query)
  State.remove(state, target.bucket, target.name)
  GcsRequest.respond(request, 204, {})
}

/** A copy in progress. A token continues it. */
export interface Rewrite {
  readonly from: State.StoredObject
  readonly incoming: State.IncomingContent
}

const mebibyte = 1024 * 1024

const copyBytes = ({ from, incoming }: Rewrite, count: number): void => {
  const file = openSync(from.path, "r")
  const buffer = Buffer.alloc(Math.min(count, from.size - incoming.size))
  const read = readSync(file, buffer, 0, buffer.byteLength, incoming.size)
  closeSync(file)
  State.append(incoming, buffer.subarray(0, read))
}

/**
 * Copies an object, at most `maxBytesRewrittenPerCall` bytes per call. A call without that parameter copies everything
 * here; the service itself may take several calls for a copy to another location.
 */
export const rewrite = async (
  state: State.State,
  rewrites: Map<string, Rewrite>,
  request: GcsRequest.Request,
  { from, to }: { readonly from: Target; readonly to: Target }
): Promise<void> => {
  const resource = Resource.parse((await GcsRequest.readBody(request)).toString())
  const { query } = request
  const source = Conditions.getObject(state, from, new URLSearchParams())
  const objects = State.getBucket(state, to.bucket)
  Resource.checkName(to.name)
  const perCall = query.get("maxBytesRewrittenPerCall")
  if (perCall !== null && Number(perCall) % mebibyte !== 0) {
    throw GcsError.invalid("maxBytesRewrittenPerCall must be an integral multiple of 1 MiB.")
  }
  const token = query.get("rewriteToken")
  const begun = token === null ? { from: source, incoming: State.beginContent(state) } : rewrites.get(token)
  if (begun === undefined || begun.from.generation !== source.generation)
    throw GcsError.invalid("Invalid rewrite token.")
  if (token !== null) rewrites.delete(token)
  copyBytes(begun, perCall === null ? source.size : Number(perCall))
  const { size } = begun.incoming
  const progress = {
    kind: "storage#rewriteResponse",
    totalBytesRewritten: String(size),
    objectSize: String(source.size)
  }
  if (size < source.size) {
    const rewriteToken = randomUUID()
    rewrites.set(rewriteToken, begun)
    return GcsRequest.respondJson(request, 200, { ...progress, done: false, rewriteToken })
  }
  Conditions.check(Conditions.parse(query), objects.get(to.name))
  const fields = Object.keys(resource).length === 0 ? source.fields : Resource.applyPatch({}, resource)
  const digests = begun.incoming.hashes.digests()
  const object = State.publish(state, { ...to, fields, incoming: begun.incoming, digests })
  GcsRequest.respondJson(request, 200, { ...progress, done: true, resource: Resource.toJson(to.bucket, object) })
}
