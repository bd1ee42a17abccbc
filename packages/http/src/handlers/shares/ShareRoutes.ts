/**
 * The page of a share, and what its script requests. The token of the share is behind `#` of the page's address, where no server sees it.
 * The script exchanges it for a session, in a cookie that is sent below the path of this share alone.
 */
import type { Access } from "@holdfast/core/access/Access"
import { FolderPath } from "@holdfast/core/access/FolderPath"
import { Forbidden, Unauthenticated } from "@holdfast/core/Errors"
import type { File } from "@holdfast/core/files/File"
import { Downloads } from "@holdfast/core/files/Downloads"
import { Files } from "@holdfast/core/files/Files"
import type { LinkAction } from "@holdfast/core/files/links/Link"
import * as UploadLinks from "@holdfast/core/files/links/UploadLinks"
import type { ShareAction, ShareGrant } from "@holdfast/core/files/shares/Share"
import * as ShareSessions from "@holdfast/core/files/shares/ShareSessions"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as Input from "@holdfast/core/Input"
import type { Rates } from "@holdfast/core/rates/Rates"
import { bounded } from "@holdfast/core/Text"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as RequestRates from "../../auth/RequestRates.ts"
import type { Route } from "../../problems/AllowedMethods.ts"
import * as CommonHeaders from "../../problems/CommonHeaders.ts"
import * as ProblemResponse from "../../problems/ProblemResponse.ts"
import * as ContentDisposition from "../../transfer/response/ContentDisposition.ts"
import * as FolderZip from "./FolderZip.ts"
import * as JsonNegotiation from "../support/JsonNegotiation.ts"
import * as PublicAddress from "../support/PublicAddress.ts"

const page = "/s/:shareId"
const paths = {
  session: `${page}/session`,
  info: `${page}/info`,
  files: `${page}/files`,
  view: `${page}/files/:fileId/view`,
  download: `${page}/files/:fileId/download`,
  uploadLinks: `${page}/upload-links`,
  zip: `${page}/zip`
} as const

/** Methods and paths, for `405` responses to other methods. */
export const routes: ReadonlyArray<Route> = [page, ...Object.values(paths)].map((path) => ({
  method: path === paths.session || path === paths.uploadLinks ? "POST" : "GET",
  path
}))

const cookie = "holdfast_share"

// Imported for the first page of a process: the texts of the assets, more than a megabyte, come with it.
const loadSharePage = Effect.promise(() => import("../../players/SharePage.ts"))

/** Entries in an answer with files of a folder: more than a window shows, and few enough to lay out at once. */
const pageSize = 200

const decodeCredentials = Input.decoder(Schema.Struct({ token: bounded(255), password: Schema.optional(bounded(255)) }))

const decodeFolder = Input.decoder(Schema.Struct({ path: FolderPath }))

/** Whether a share permits to save the whole folder. */
const canZip = (may: ReadonlyArray<ShareAction>): boolean => may.includes("list") && may.includes("download")

/** What the page shows of a file. */
const toEntry = ({ contentType, id, name, path }: File) => ({ id, name, path, contentType })

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(body, { headers: { ...CommonHeaders.uncached, ...headers } })

const otherOrigin = new Forbidden("A page of another origin made this request. Open the page of the share itself.")
const outsideShare = new Forbidden("The share does not include this folder. Use a path within that of the share.")

/**
 * Fails for a request that a page of another origin makes. The cookie is `SameSite=Strict`, so that browsers send it with no such request;
 * this also covers pages of other hosts of the same site.
 */
const checkOrigin = ({ headers }: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Forbidden> => {
  const site = headers["sec-fetch-site"]
  return site === undefined || site === "same-origin" || site === "none" ? Effect.void : Effect.fail(otherOrigin)
}

const register = Effect.fnUntraced(function* (router: HttpRouter.HttpRouter) {
  const shares = yield* ShareUse
  const sessions = yield* ShareSessions.ShareSessions
  const files = yield* Files
  const downloads = yield* Downloads
  const uploadLinks = yield* UploadLinks.UploadLinks
  const random = yield* SecureRandom
  const rates = yield* RequestRates.make
  const publicUrl = yield* PublicAddress.PublicUrl

  const shareId = Effect.map(HttpRouter.RouteContext, ({ params }) => params["shareId"] ?? "")

  const respond = <E extends ProblemResponse.CodedError, R>(
    effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => Effect.catch(effect, (error) => ProblemResponse.respond(error, CommonHeaders.uncached))

  /** The share of the session of the request, which counts for the rate of its tenant. */
  const resume = Effect.gen(function* () {
    const context = yield* Effect.context<RequestRates.RequestServices>()
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkOrigin(request)
    const session = request.cookies[cookie]
    if (session === undefined) return yield* new Unauthenticated()
    return yield* rates.apply(context, sessions.resume(yield* shareId, session))
  })

  const describe = Effect.fnUntraced(function* ({ parent, share }: ShareGrant) {
    const { bucketId, fileId, maxDownloads, may, name, path, tenantId } = share
    const file = fileId === null ? null : yield* files.get(parent, { tenantId, bucketId, fileId })
    return {
      name,
      may,
      path,
      file: file === null ? null : toEntry(file),
      isCounted: maxDownloads !== null,
      hasZip: canZip(may)
    }
  })

  const showPage = Effect.gen(function* () {
    const nonce = Base64Url.encode(yield* random.randomBytes(16))
    const { render } = yield* loadSharePage
    const { headers, html } = render({ nonce, assets: `${PublicAddress.apiPathFrom(page)}/players/` })
    return HttpServerResponse.text(html, { headers, contentType: headers["content-type"] })
  })

  /** Opens the share. The request presents no API key, so that it counts for the rate of its address. */
  const openSession = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkOrigin(request)
    yield* rates.admitAnonymous(yield* Effect.context<RequestRates.RequestServices>())
    yield* JsonNegotiation.checkRequest
    const body = yield* Effect.flatMap(JsonNegotiation.readBytes(request), JsonNegotiation.parse)
    const { password, token } = yield* decodeCredentials(body)
    const id = yield* shareId
    const grant = yield* shares.open({ shareId: id, token, password })
    const description = yield* describe(grant)
    const session = Redacted.value(yield* sessions.begin(grant))
    const secure = publicUrl.startsWith("http://") ? "" : "; Secure"
    return json(description, {
      // Without a Path, the cookie is for the path of this share as the browser knows it (RFC 6265, section 5.1.4).
      "set-cookie": `${cookie}=${session}; Max-Age=${ShareSessions.lifetime}; HttpOnly; SameSite=Strict${secure}`
    })
  })

  const list = Effect.gen(function* () {
    const grant = yield* resume
    const query = yield* HttpServerRequest.ParsedSearchParams
    const text = (name: string) => (typeof query[name] === "string" ? query[name] : undefined)
    const { folders, items, nextCursor } = yield* shares.list(grant, {
      path: text("path"),
      cursor: text("cursor"),
      limit: pageSize
    })
    return json({ items: items.map(toEntry), folders, nextCursor })
  })

  /** Redirects to a link to the content that is valid for an hour. `HEAD` counts nothing, and so gets no link. */
  const ticket = (action: LinkAction) =>
    Effect.gen(function* () {
      const grant = yield* resume
      const { params } = yield* HttpRouter.RouteContext
      const { method } = yield* HttpServerRequest.HttpServerRequest
      const { bucketId, tenantId } = grant.share
      const file = { tenantId, bucketId, fileId: params["fileId"] ?? "" }
      if (method === "HEAD") {
        yield* downloads.open(grant, file, action)
        return HttpServerResponse.empty({ status: 200, headers: CommonHeaders.uncached })
      }
      const link = yield* shares.ticket(grant, file, action)
      const location = `${PublicAddress.apiPathFrom(paths[action])}${link.path}`
      return HttpServerResponse.empty({ status: 307, headers: { ...CommonHeaders.uncached, location } })
    })

  /** Sends a folder as an archive, which counts as one download. When the share ends meanwhile, the archive ends before its directory. */
  const zip = Effect.gen(function* () {
    const grant = yield* resume
    const { may, name, path: root } = grant.share
    if (root === null || !canZip(may)) return yield* new Unauthenticated()
    const { path: requested } = yield* HttpServerRequest.ParsedSearchParams
    const { path } = yield* decodeFolder({ path: requested ?? root })
    if (!path.startsWith(root)) return yield* outsideShare
    const { method } = yield* HttpServerRequest.HttpServerRequest
    yield* FolderZip.checkSize(shares, grant, path)
    if (method === "GET") yield* shares.spend(grant)
    const headers = {
      ...CommonHeaders.uncached,
      "content-disposition": ContentDisposition.format("attachment", `${path.split("/").at(-2) || name}.zip`),
      "x-content-type-options": "nosniff"
    }
    const archive = FolderZip.make({ downloads, shares }, grant, path)
    return HttpServerResponse.stream(archive, { contentType: "application/zip", headers })
  })

  /** Creates an upload link on the terms of the share. Its uploads count for the share, because they act on behalf of it. */
  const uploadLink = Effect.gen(function* () {
    const { bucket, parent, terms } = yield* Effect.flatMap(resume, shares.toUploadGrant)
    const { maxBytes, onConflict, path } = terms
    const link = yield* uploadLinks.create(parent, bucket, { path, maxBytes, onConflict, expiresIn: 3600 })
    return json({ url: `${PublicAddress.apiPathFrom(page)}${UploadLinks.pathOf(link)}` })
  })

  yield* router.add("GET", page, showPage)
  yield* router.add("POST", paths.session, respond(openSession))
  yield* router.add("GET", paths.info, respond(Effect.map(Effect.flatMap(resume, describe), (share) => json(share))))
  yield* router.add("GET", paths.files, respond(list))
  yield* router.add("GET", paths.view, respond(ticket("view")))
  yield* router.add("GET", paths.download, respond(ticket("download")))
  yield* router.add("GET", paths.zip, respond(zip))
  yield* router.add("POST", paths.uploadLinks, respond(uploadLink))
})

type Services =
  | Access
  | Downloads
  | Files
  | Rates
  | SecureRandom
  | ShareSessions.ShareSessions
  | ShareUse
  | UploadLinks.UploadLinks

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Services> = HttpRouter.use(register)
