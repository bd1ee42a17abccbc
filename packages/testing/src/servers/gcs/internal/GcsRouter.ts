/**
 * Routes requests to their handlers.
 */
import * as Accounts from "./GcsAccounts.ts"
import * as Changes from "./GcsChanges.ts"
import * as GcsRequest from "./GcsRequest.ts"
import * as Insert from "./GcsInsert.ts"
import * as Reads from "./GcsReads.ts"
import * as GcsError from "./GcsError.ts"
import * as Resumable from "./GcsResumable.ts"
import * as State from "./GcsState.ts"

/** The whole fake service. */
export interface Service {
  readonly endpoint: string
  readonly accounts: Accounts.Accounts
  readonly state: State.State
  readonly rewrites: Map<string, Changes.Rewrite>
}

/** The path of the token endpoint. */
export const tokenPath = "/token"
const metadataPath = "/computeMetadata/v1/"

/** Responds as the token endpoint. */
const respondToken = async ({ accounts, endpoint }: Service, request: GcsRequest.Request): Promise<void> => {
  const form = new URLSearchParams((await GcsRequest.readBody(request)).toString())
  const { body, status } = Accounts.exchangeAssertion(accounts, form, endpoint + tokenPath)
  GcsRequest.respondJson(request, status, body)
}

/** Responds as the metadata server of Google's machines. The machine's account is the owner. */
const respondMetadata = ({ accounts }: Service, request: GcsRequest.Request): void => {
  const headers = { "metadata-flavor": "Google" }
  if (request.message.headers["metadata-flavor"] !== "Google") return GcsRequest.respond(request, 403, headers)
  const key = request.path.slice(metadataPath.length)
  if (key === "instance/service-accounts/default/token") {
    return GcsRequest.respondJson(request, 200, Accounts.grantToken(accounts, accounts.owner), headers)
  }
  if (key === "instance" || key === "instance/") return GcsRequest.respond(request, 200, headers, "ok")
  if (key === "universe/universe-domain") return GcsRequest.respond(request, 200, headers, "googleapis.com")
  if (key === "project/project-id") return GcsRequest.respond(request, 200, headers, "testing")
  return GcsRequest.respond(request, 404, headers)
}

const authorize = ({ accounts: { tokens } }: Service, { message }: GcsRequest.Request): void => {
  const [, token] = /^Bearer (.+)$/i.exec(message.headers.authorization ?? "") ?? []
  if (token === undefined) {
    throw new GcsError.GcsError(401, "required", "Anonymous caller does not have storage.objects access.")
  }
  const account = tokens.get(token)
  if (account === undefined) throw new GcsError.GcsError(401, "authError", "Invalid Credentials")
  if (!account.isPermitted) {
    throw new GcsError.GcsError(403, "forbidden", `${account.email} does not have storage access to the resource.`)
  }
}

const bucketPattern = /^\/storage\/v1\/b\/([^/]+)$/
const objectsPattern = /^\/storage\/v1\/b\/([^/]+)\/o$/
const objectPattern = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/
const rewritePattern = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)\/rewriteTo\/b\/([^/]+)\/o\/([^/]+)$/
const uploadPattern = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/

const match = (pattern: RegExp, { path }: GcsRequest.Request): ReadonlyArray<string> | undefined =>
  pattern.exec(path)?.slice(1).map(decodeURIComponent)

const notFound = () => new GcsError.GcsError(404, "notFound", "Not Found")

const upload = async (service: Service, request: GcsRequest.Request, bucket: string): Promise<void> => {
  const { method, query } = request
  // A session's URI authorizes its requests. Credentials that are sent are checked nevertheless.
  const isSession = query.has("upload_id")
  if (!isSession || request.message.headers.authorization !== undefined) authorize(service, request)
  if (isSession && method === "PUT") return Resumable.put(service.state, request)
  if (isSession && method === "DELETE") return Resumable.cancel(service.state, request)
  if (method !== "POST") throw notFound()
  if (query.get("uploadType") === "resumable") {
    return Resumable.begin(service.state, request, bucket, service.endpoint)
  }
  return Insert.insert(service.state, request, bucket)
}

const route = async (service: Service, request: GcsRequest.Request): Promise<void> => {
  const { method, path } = request
  const { state } = service
  if (path === tokenPath && method === "POST") return respondToken(service, request)
  if (path.startsWith(metadataPath) && method === "GET") return respondMetadata(service, request)
  const [uploadBucket] = match(uploadPattern, request) ?? []
  if (uploadBucket !== undefined) return upload(service, request, uploadBucket)

  authorize(service, request)
  const [bucket] = match(bucketPattern, request) ?? []
  if (bucket !== undefined && method === "GET") {
    State.getBucket(state, bucket)
    return GcsRequest.respondJson(request, 200, { kind: "storage#bucket", id: bucket, name: bucket, location: "EU" })
  }
  const [listed] = match(objectsPattern, request) ?? []
  if (listed !== undefined && method === "GET") return Reads.sendList(state, request, listed)
  const [holder, name] = match(objectPattern, request) ?? []
  if (holder !== undefined && name !== undefined) {
    const target = { bucket: holder, name }
    if (method === "GET") return Reads.sendObject(state, request, target)
    if (method === "PATCH") return Changes.patch(state, request, target)
    if (method === "DELETE") return Changes.remove(state, request, target)
  }
  const [fromBucket, fromName, toBucket, toName] = match(rewritePattern, request) ?? []
  if (fromBucket !== undefined && fromName !== undefined && toBucket !== undefined && toName !== undefined) {
    const pair = { from: { bucket: fromBucket, name: fromName }, to: { bucket: toBucket, name: toName } }
    if (method === "POST") return Changes.rewrite(state, service.rewrites, request, pair)
  }
  throw notFound()
}

/** Handles a request. */
export const handle = async (service: Service, request: GcsRequest.Request): Promise<void> => {
  const { fault } = request
  try {
    if (fault?.kind === "refuse") {
      await GcsRequest.readBody(request)
      throw new GcsError.GcsError(
        fault.status,
        fault.reason ?? "backendError",
        fault.message ?? "A fault that the test has injected."
      )
    }
    await route(service, request)
  } catch (error) {
    if (error instanceof GcsRequest.ConnectionCut) return
    request.message.resume()
    if (error instanceof GcsError.GcsError) GcsRequest.respondError(request, error)
    else GcsRequest.respondError(request, new GcsError.GcsError(500, "internalError", String(error)))
  }
}
