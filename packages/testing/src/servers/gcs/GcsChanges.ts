/**
 * What changes an object that stands: another description, a copy, its end.
 */
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readSync } from "node:fs"
import * as Conditions from "./GcsConditions.ts"
import * as Exchange from "./GcsRequest.ts"
import * as Refusal from "./GcsRefusal.ts"
import * as Resource from "./GcsResource.ts"
import * as State from "./GcsState.ts"

interface Target {
  readonly bucket: string
  readonly name: string
}

/** Changes the fields that the body names; the generation stays, the metageneration goes up by one. */
export const patch = async (state: State.State, exchange: Exchange.Exchange, target: Target): Promise<void> => {
  const body = await Exchange.whole(exchange)
  const object = Conditions.find(state, target, exchange.query)
  const changed: State.StoredObject = {
    ...object,
    fields: Resource.patch(object.fields, Resource.parse(body.toString())),
    metageneration: object.metageneration + 1,
    updated: new Date().toISOString()
  }
  State.bucket(state, target.bucket).set(target.name, changed)
  Exchange.json(exchange, 200, Resource.of(target.bucket, changed))
}

export const remove = (state: State.State, exchange: Exchange.Exchange, target: Target): void => {
  Conditions.find(state, target, exchange.query)
  State.remove(state, target.bucket, target.name)
  Exchange.answer(exchange, 204, {})
}

/** A copy under way, by the token that goes on with it. */
export interface Rewrite {
  readonly from: State.StoredObject
  readonly incoming: State.Incoming
}

const mebibyte = 1024 * 1024

const copy = ({ from, incoming }: Rewrite, count: number): void => {
  const file = openSync(from.path, "r")
  const buffer = Buffer.alloc(Math.min(count, from.size - incoming.size))
  const read = readSync(file, buffer, 0, buffer.byteLength, incoming.size)
  closeSync(file)
  State.append(incoming, buffer.subarray(0, read))
}

/**
 * Copies an object, at most `maxBytesRewrittenPerCall` bytes with each call. The service itself takes as long as it likes
 * with a copy to another place; here a call without that parameter copies everything.
 */
export const rewrite = async (
  state: State.State,
  rewrites: Map<string, Rewrite>,
  exchange: Exchange.Exchange,
  { from, to }: { readonly from: Target; readonly to: Target }
): Promise<void> => {
  const resource = Resource.parse((await Exchange.whole(exchange)).toString())
  const { query } = exchange
  const source = Conditions.find(state, from, new URLSearchParams())
  const objects = State.bucket(state, to.bucket)
  Resource.checkName(to.name)
  const perCall = query.get("maxBytesRewrittenPerCall")
  if (perCall !== null && Number(perCall) % mebibyte !== 0) {
    throw Refusal.invalid("maxBytesRewrittenPerCall must be an integral multiple of 1 MiB.")
  }
  const given = query.get("rewriteToken")
  const begun = given === null ? { from: source, incoming: State.receive(state) } : rewrites.get(given)
  if (begun === undefined || begun.from.generation !== source.generation)
    throw Refusal.invalid("Invalid rewrite token.")
  if (given !== null) rewrites.delete(given)
  copy(begun, perCall === null ? source.size : Number(perCall))
  const { size } = begun.incoming
  const told = { kind: "storage#rewriteResponse", totalBytesRewritten: String(size), objectSize: String(source.size) }
  if (size < source.size) {
    const rewriteToken = randomUUID()
    rewrites.set(rewriteToken, begun)
    return Exchange.json(exchange, 200, { ...told, done: false, rewriteToken })
  }
  Conditions.check(Conditions.of(query), objects.get(to.name))
  const fields = Object.keys(resource).length === 0 ? source.fields : Resource.patch({}, resource)
  const digests = begun.incoming.hashes.digests()
  const object = State.publish(state, { ...to, fields, incoming: begun.incoming, digests })
  Exchange.json(exchange, 200, { ...told, done: true, resource: Resource.of(to.bucket, object) })
}
