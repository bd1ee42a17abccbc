/**
 * From a request to what answers it.
 */
import * as Accounts from "./GcsAccounts.ts"
import * as Changes from "./GcsChanges.ts"
import * as Exchange from "./GcsRequest.ts"
import * as Insert from "./GcsInsert.ts"
import * as Reads from "./GcsReads.ts"
import * as Refusal from "./GcsRefusal.ts"
import * as Resumable from "./GcsResumable.ts"
import * as State from "./GcsState.ts"

export interface World {
  readonly endpoint: string
  readonly accounts: Accounts.Accounts
  readonly state: State.State
  readonly rewrites: Map<string, Changes.Rewrite>
}

export const tokenPath = "/token"
const machinePath = "/computeMetadata/v1/"

/** The token endpoint, for whoever signs an assertion. */
const token = async ({ accounts, endpoint }: World, exchange: Exchange.Exchange): Promise<void> => {
  const form = new URLSearchParams((await Exchange.whole(exchange)).toString())
  const { body, status } = Accounts.exchange(accounts, form, endpoint + tokenPath)
  Exchange.json(exchange, status, body)
}

/** The metadata server of Google's machines, whose account is the owner. */
const machine = ({ accounts }: World, exchange: Exchange.Exchange): void => {
  const headers = { "metadata-flavor": "Google" }
  if (exchange.request.headers["metadata-flavor"] !== "Google") return Exchange.answer(exchange, 403, headers)
  const asked = exchange.path.slice(machinePath.length)
  if (asked === "instance/service-accounts/default/token") {
    return Exchange.json(exchange, 200, Accounts.grant(accounts, accounts.owner), headers)
  }
  if (asked === "instance" || asked === "instance/") return Exchange.answer(exchange, 200, headers, "ok")
  if (asked === "universe/universe-domain") return Exchange.answer(exchange, 200, headers, "googleapis.com")
  if (asked === "project/project-id") return Exchange.answer(exchange, 200, headers, "testing")
  return Exchange.answer(exchange, 404, headers)
}

const authorize = ({ accounts: { tokens } }: World, { request }: Exchange.Exchange): void => {
  const [, token] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? []
  if (token === undefined) {
    throw new Refusal.Refusal(401, "required", "Anonymous caller does not have storage.objects access.")
  }
  const account = tokens.get(token)
  if (account === undefined) throw new Refusal.Refusal(401, "authError", "Invalid Credentials")
  if (!account.isPermitted) {
    throw new Refusal.Refusal(403, "forbidden", `${account.email} does not have storage access to the resource.`)
  }
}

const bucketPattern = /^\/storage\/v1\/b\/([^/]+)$/
const objectsPattern = /^\/storage\/v1\/b\/([^/]+)\/o$/
const objectPattern = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/
const rewritePattern = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)\/rewriteTo\/b\/([^/]+)\/o\/([^/]+)$/
const uploadPattern = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/

const match = (pattern: RegExp, { path }: Exchange.Exchange): ReadonlyArray<string> | undefined =>
  pattern.exec(path)?.slice(1).map(decodeURIComponent)

const notFound = () => new Refusal.Refusal(404, "notFound", "Not Found")

const upload = async (world: World, exchange: Exchange.Exchange, bucket: string): Promise<void> => {
  const { method, query } = exchange
  // A session's URI is its own permit; credentials that are sent are checked all the same.
  const isSession = query.has("upload_id")
  if (!isSession || exchange.request.headers.authorization !== undefined) authorize(world, exchange)
  if (isSession && method === "PUT") return Resumable.put(world.state, exchange)
  if (isSession && method === "DELETE") return Resumable.cancel(world.state, exchange)
  if (method !== "POST") throw notFound()
  if (query.get("uploadType") === "resumable") {
    return Resumable.begin(world.state, exchange, bucket, world.endpoint)
  }
  return Insert.insert(world.state, exchange, bucket)
}

const route = async (world: World, exchange: Exchange.Exchange): Promise<void> => {
  const { method, path } = exchange
  const { state } = world
  if (path === tokenPath && method === "POST") return token(world, exchange)
  if (path.startsWith(machinePath) && method === "GET") return machine(world, exchange)
  const [uploadBucket] = match(uploadPattern, exchange) ?? []
  if (uploadBucket !== undefined) return upload(world, exchange, uploadBucket)

  authorize(world, exchange)
  const [bucket] = match(bucketPattern, exchange) ?? []
  if (bucket !== undefined && method === "GET") {
    State.bucket(state, bucket)
    return Exchange.json(exchange, 200, { kind: "storage#bucket", id: bucket, name: bucket, location: "EU" })
  }
  const [listed] = match(objectsPattern, exchange) ?? []
  if (listed !== undefined && method === "GET") return Reads.list(state, exchange, listed)
  const [holder, name] = match(objectPattern, exchange) ?? []
  if (holder !== undefined && name !== undefined) {
    const target = { bucket: holder, name }
    if (method === "GET") return Reads.object(state, exchange, target)
    if (method === "PATCH") return Changes.patch(state, exchange, target)
    if (method === "DELETE") return Changes.remove(state, exchange, target)
  }
  const [fromBucket, fromName, toBucket, toName] = match(rewritePattern, exchange) ?? []
  if (fromBucket !== undefined && fromName !== undefined && toBucket !== undefined && toName !== undefined) {
    const pair = { from: { bucket: fromBucket, name: fromName }, to: { bucket: toBucket, name: toName } }
    if (method === "POST") return Changes.rewrite(state, world.rewrites, exchange, pair)
  }
  throw notFound()
}

/** Answers a request. */
export const handle = async (world: World, exchange: Exchange.Exchange): Promise<void> => {
  const { fault } = exchange
  try {
    if (fault?.kind === "refuse") {
      await Exchange.whole(exchange)
      throw new Refusal.Refusal(fault.status, fault.reason ?? "backendError", fault.message ?? "A test wants it so.")
    }
    await route(world, exchange)
  } catch (error) {
    if (error instanceof Exchange.Cut) return
    exchange.request.resume()
    if (error instanceof Refusal.Refusal) Exchange.refuse(exchange, error)
    else Exchange.refuse(exchange, new Refusal.Refusal(500, "internalError", String(error)))
  }
}
