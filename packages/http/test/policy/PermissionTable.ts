/**
 * The table of permissions: for every operation of the API, the roles that may call it, and a request that succeeds for them.
 * It is written from the specification, not derived from the code, because it is the test of the contract's annotations.
 */
import type { RoleName, TestServer } from "../support/TestServer.ts"

/** The records for one request, created anew so that no other request affects them. */
export interface Fixture {
  readonly tenantId: string
  readonly bucketId: string
  readonly fileId: string
  readonly memberId: string
  readonly tokenId: string
  readonly mirrorId: string
  readonly webhookId: string
  readonly shareId: string
  readonly deliveryId: string
  readonly uploadId: string
}

export interface Sent {
  readonly path: string
  readonly json?: unknown
  readonly form?: () => FormData
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Row {
  /** Method and path as in the contract, below the base path. */
  readonly route: string
  /** The roles that have the permission. */
  readonly allowed: ReadonlyArray<RoleName>
  /** The status of the response for these roles. */
  readonly status: number
  readonly request: (fixture: Fixture) => Sent
  /** Whether the operation has no tenant in its path, so that membership does not matter. */
  readonly isGlobal?: boolean
  /** Whether the operation changes nothing, although it is no GET. */
  readonly changesNothing?: boolean
}

export const roles: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer", "Bucket Reader", "File Writer", "File Reader"]

const everyRole = roles
const admin: ReadonlyArray<RoleName> = ["Admin"]
const bucketWriters: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer"]
const bucketReaders: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer", "Bucket Reader"]
const fileWriters: ReadonlyArray<RoleName> = ["Admin", "File Writer"]
const fileReaders: ReadonlyArray<RoleName> = ["Admin", "File Writer", "File Reader"]

let count = 0
const unique = (): string => `n${Date.now().toString(36)}${count++}`

const tenant = ({ tenantId }: Fixture) => `/tenants/${tenantId}`
const bucket = (fixture: Fixture) => `${tenant(fixture)}/buckets/${fixture.bucketId}`
const files = (fixture: Fixture) => `${bucket(fixture)}/files`
const file = (fixture: Fixture) => `${files(fixture)}/${fixture.fileId}`
const streams = (fixture: Fixture) => `${file(fixture)}/streams`

const mirrors = (fixture: Fixture) => `${bucket(fixture)}/mirrors`
const mirror = (fixture: Fixture) => `${mirrors(fixture)}/${fixture.mirrorId}`

const shares = (fixture: Fixture) => `${bucket(fixture)}/shares`
const share = (fixture: Fixture) => `${shares(fixture)}/${fixture.shareId}`
const webhooks = (fixture: Fixture) => `${tenant(fixture)}/webhooks`
const webhook = (fixture: Fixture) => `${webhooks(fixture)}/${fixture.webhookId}`
/** A webhook that receives no event of the operations of the table: else each of them would make a delivery to each webhook. */
const newWebhook = () => ({ name: unique(), url: "https://example.com/events", eventTypes: ["mirror.failing"] })

/** A mirror whose target does not exist. Without verification it is created all the same. */
const newMirror = () => ({
  name: unique(),
  type: "SERVICE",
  serviceTenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
  serviceBucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057",
  apiKey: "none",
  verify: false
})

const form = () => {
  const data = new FormData()
  data.set("body", JSON.stringify({ name: unique() }))
  data.set("file", new Blob(["x"]), "x.txt")
  return data
}

const uploads = (fixture: Fixture) => `${files(fixture)}/uploads`
const upload = (fixture: Fixture) => `${uploads(fixture)}/${fixture.uploadId}`
const tus = { "tus-resumable": "1.0.0" }
const tusBody = { ...tus, "content-type": "application/offset+octet-stream" }

const filesRoute = "/tenants/:tenantId/buckets/:bucketId/files"
const foldersRoute = "/tenants/:tenantId/buckets/:bucketId/folders"
const streamsRoute = `${filesRoute}/:fileId/streams`
const sharesRoute = "/tenants/:tenantId/buckets/:bucketId/shares"
const webhooksRoute = "/tenants/:tenantId/webhooks"
const mirrorsRoute = "/tenants/:tenantId/buckets/:bucketId/mirrors"

export const rows: ReadonlyArray<Row> = [
  { route: "GET /me", allowed: everyRole, status: 200, isGlobal: true, request: () => ({ path: "/me" }) },
  // Accounts have memberships, API tokens have none.
  {
    route: "GET /me/invitations",
    allowed: [],
    status: 200,
    isGlobal: true,
    request: () => ({ path: "/me/invitations" })
  },
  {
    route: "POST /me/memberships/:tenantId/accept",
    allowed: [],
    status: 200,
    isGlobal: true,
    request: (f) => ({ path: `/me/memberships/${f.tenantId}/accept` })
  },
  {
    route: "DELETE /me/memberships/:tenantId",
    allowed: [],
    status: 204,
    isGlobal: true,
    request: (f) => ({ path: `/me/memberships/${f.tenantId}` })
  },
  { route: "GET /roles", allowed: everyRole, status: 200, isGlobal: true, request: () => ({ path: "/roles" }) },
  { route: "GET /tenants", allowed: everyRole, status: 200, isGlobal: true, request: () => ({ path: "/tenants" }) },
  {
    // API tokens create tenants only where the deployment allows it.
    route: "POST /tenants",
    allowed: [],
    status: 201,
    isGlobal: true,
    request: () => ({ path: "/tenants", json: { name: "New", subdomain: unique() } })
  },
  { route: "GET /tenants/:tenantId", allowed: everyRole, status: 200, request: (f) => ({ path: tenant(f) }) },
  {
    route: "GET /tenants/:tenantId/usage",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/usage` })
  },
  {
    route: "PATCH /tenants/:tenantId",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: tenant(f), json: { name: "Renamed" } })
  },
  { route: "DELETE /tenants/:tenantId", allowed: admin, status: 409, request: (f) => ({ path: tenant(f) }) },
  {
    route: "GET /tenants/:tenantId/roles",
    allowed: everyRole,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/roles` })
  },
  {
    route: "POST /tenants/:tenantId/members",
    allowed: admin,
    status: 201,
    request: (f) => ({
      path: `${tenant(f)}/members`,
      json: { user: { email: `${unique()}@example.com` }, role: { name: "File Reader" } }
    })
  },
  {
    route: "GET /tenants/:tenantId/members",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/members` })
  },
  {
    route: "GET /tenants/:tenantId/members/:memberId",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/members/${f.memberId}` })
  },
  {
    route: "PATCH /tenants/:tenantId/members/:memberId",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/members/${f.memberId}`, json: { role: { id: "role_file_writer" } } })
  },
  {
    route: "DELETE /tenants/:tenantId/members/:memberId",
    allowed: admin,
    status: 204,
    request: (f) => ({ path: `${tenant(f)}/members/${f.memberId}` })
  },
  {
    route: "POST /tenants/:tenantId/tokens",
    allowed: admin,
    status: 201,
    request: (f) => ({
      path: `${tenant(f)}/tokens`,
      json: { name: "ci", member: { id: f.memberId }, expiresAt: new Date(Date.now() + 60_000).toISOString() }
    })
  },
  {
    route: "GET /tenants/:tenantId/tokens",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/tokens` })
  },
  {
    route: "GET /tenants/:tenantId/tokens/:tokenId",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/tokens/${f.tokenId}` })
  },
  {
    route: "DELETE /tenants/:tenantId/tokens/:tokenId",
    allowed: admin,
    status: 204,
    request: (f) => ({ path: `${tenant(f)}/tokens/${f.tokenId}` })
  },
  {
    route: "POST /tenants/:tenantId/tokens/:tokenId/s3-credentials",
    allowed: admin,
    status: 201,
    request: (f) => ({ path: `${tenant(f)}/tokens/${f.tokenId}/s3-credentials` })
  },
  {
    route: "GET /tenants/:tenantId/tokens/:tokenId/s3-credentials",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/tokens/${f.tokenId}/s3-credentials` })
  },
  {
    route: "DELETE /tenants/:tenantId/tokens/:tokenId/s3-credentials",
    allowed: admin,
    status: 204,
    request: (f) => ({ path: `${tenant(f)}/tokens/${f.tokenId}/s3-credentials` })
  },
  {
    route: "POST /tenants/:tenantId/buckets",
    allowed: bucketWriters,
    status: 201,
    request: (f) => ({ path: `${tenant(f)}/buckets`, json: { name: unique() } })
  },
  {
    route: "GET /tenants/:tenantId/buckets",
    allowed: bucketReaders,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/buckets` })
  },
  {
    route: "GET /tenants/:tenantId/buckets/:bucketId",
    allowed: bucketReaders,
    status: 200,
    request: (f) => ({ path: bucket(f) })
  },
  {
    route: "GET /tenants/:tenantId/buckets/:bucketId/usage",
    allowed: bucketReaders,
    status: 200,
    request: (f) => ({ path: `${bucket(f)}/usage` })
  },
  {
    route: "PATCH /tenants/:tenantId/buckets/:bucketId",
    allowed: bucketWriters,
    status: 200,
    request: (f) => ({ path: bucket(f), json: { name: unique() } })
  },
  {
    route: "DELETE /tenants/:tenantId/buckets/:bucketId",
    allowed: bucketWriters,
    status: 409,
    request: (f) => ({ path: bucket(f) })
  },
  {
    route: `POST ${filesRoute}/upload`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${files(f)}/upload`, form })
  },
  {
    route: `PUT ${filesRoute}/upload`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${files(f)}/upload?name=${unique()}`, body: "x" })
  },
  {
    route: `GET ${filesRoute}/uploads`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: uploads(f) })
  },
  {
    route: `POST ${filesRoute}/uploads`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${uploads(f)}?name=${unique()}`, headers: { ...tus, "upload-length": "0" } })
  },
  {
    route: `GET ${filesRoute}/uploads/:uploadId`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: upload(f) })
  },
  {
    route: `PATCH ${filesRoute}/uploads/:uploadId`,
    allowed: fileWriters,
    status: 204,
    request: (f) => ({ path: upload(f), body: "x", headers: { ...tusBody, "upload-offset": "0" } })
  },
  {
    route: `POST ${filesRoute}/uploads/:uploadId`,
    allowed: fileWriters,
    status: 204,
    changesNothing: true,
    request: (f) => ({ path: upload(f), headers: { ...tus, "x-http-method-override": "DELETE" } })
  },
  {
    route: `DELETE ${filesRoute}/uploads/:uploadId`,
    allowed: fileWriters,
    status: 204,
    changesNothing: true,
    request: (f) => ({ path: upload(f), headers: tus })
  },
  {
    route: "POST /tenants/:tenantId/buckets/:bucketId/upload-links",
    allowed: fileWriters,
    status: 200,
    changesNothing: true,
    request: (f) => ({ path: `${bucket(f)}/upload-links`, json: { maxBytes: 1, expiresIn: 60 } })
  },
  {
    route: `POST ${filesRoute}`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: files(f), json: { name: unique() } })
  },
  { route: `GET ${filesRoute}`, allowed: fileReaders, status: 200, request: (f) => ({ path: files(f) }) },
  {
    route: `GET ${filesRoute}/exists`,
    allowed: fileReaders,
    status: 200,
    request: (f) => ({ path: `${files(f)}/exists?fileId=${f.fileId}` })
  },
  { route: `GET ${filesRoute}/:fileId`, allowed: fileReaders, status: 200, request: (f) => ({ path: file(f) }) },
  {
    route: `PATCH ${filesRoute}/:fileId`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: file(f), json: { metadata: { a: 1 } } })
  },
  { route: `DELETE ${filesRoute}/:fileId`, allowed: fileWriters, status: 204, request: (f) => ({ path: file(f) }) },
  {
    route: `POST ${filesRoute}/:fileId/move`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: `${file(f)}/move`, json: { name: unique() } })
  },
  {
    route: `POST ${foldersRoute}/delete`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: `${bucket(f)}/folders/delete`, json: { path: "/" } })
  },
  // The bucket has no such folder, and no such job.
  {
    route: `POST ${foldersRoute}/move`,
    allowed: fileWriters,
    status: 404,
    request: (f) => ({ path: `${bucket(f)}/folders/move`, json: { path: "/none/", to: "/other/" } })
  },
  {
    route: `GET ${foldersRoute}/jobs/:jobId`,
    allowed: fileReaders,
    status: 404,
    request: (f) => ({ path: `${bucket(f)}/folders/jobs/job_01890a5d-ac96-774b-bcce-b302099a8057` })
  },
  {
    route: `POST ${foldersRoute}/jobs/:jobId/cancel`,
    allowed: fileWriters,
    status: 404,
    request: (f) => ({ path: `${bucket(f)}/folders/jobs/job_01890a5d-ac96-774b-bcce-b302099a8057/cancel` })
  },
  {
    route: `POST ${filesRoute}/:fileId/copy`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${file(f)}/copy`, json: { name: unique() } })
  },
  {
    route: `POST ${filesRoute}/move`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: `${files(f)}/move`, json: { fileIds: [f.fileId], path: "/in/side/x/" } })
  },
  {
    route: `POST ${filesRoute}/delete`,
    allowed: fileWriters,
    status: 204,
    request: (f) => ({ path: `${files(f)}/delete`, json: { fileIds: [f.fileId] } })
  },
  {
    route: `POST ${filesRoute}/:fileId/reupload`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: `${file(f)}/reupload`, body: "other bytes" })
  },
  {
    route: `GET ${filesRoute}/:fileId/view`,
    allowed: fileReaders,
    status: 200,
    request: (f) => ({ path: `${file(f)}/view` })
  },
  {
    route: `GET ${filesRoute}/:fileId/download`,
    allowed: fileReaders,
    status: 200,
    request: (f) => ({ path: `${file(f)}/download` })
  },
  {
    route: `POST ${filesRoute}/:fileId/links`,
    allowed: fileReaders,
    status: 200,
    changesNothing: true,
    request: (f) => ({ path: `${file(f)}/links`, json: { expiresIn: 60 } })
  },
  {
    route: `POST ${filesRoute}/:fileId/headers`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${file(f)}/headers`, json: { name: "x-a", value: "1" } })
  },
  {
    route: `POST ${filesRoute}/:fileId/headers/bulk`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: `${file(f)}/headers/bulk`, json: { bulk: [{ name: "x-a", value: "1" }] } })
  },
  {
    route: `GET ${filesRoute}/:fileId/headers`,
    allowed: fileReaders,
    status: 200,
    request: (f) => ({ path: `${file(f)}/headers` })
  },
  {
    route: `DELETE ${filesRoute}/:fileId/headers/:name`,
    allowed: fileWriters,
    status: 204,
    request: (f) => ({ path: `${file(f)}/headers/x-there` })
  },
  // The content is not a video and nothing is converted, so the allowed roles get an error that says so.
  ...(["hls", "dash"] as const).flatMap((format): ReadonlyArray<Row> => [
    {
      route: `POST ${streamsRoute}/${format}`,
      allowed: fileWriters,
      status: 422,
      request: (f) => ({ path: `${streams(f)}/${format}` })
    },
    {
      route: `DELETE ${streamsRoute}/${format}`,
      allowed: fileWriters,
      status: 404,
      request: (f) => ({ path: `${streams(f)}/${format}` })
    },
    {
      route: `POST ${streamsRoute}/${format}/keys`,
      allowed: fileReaders,
      status: 404,
      changesNothing: true,
      request: (f) => ({ path: `${streams(f)}/${format}/keys` })
    },
    {
      route: `GET ${streamsRoute}/${format}`,
      allowed: fileReaders,
      status: 404,
      request: (f) => ({ path: `${streams(f)}/${format}` })
    }
  ]),
  {
    route: `POST ${streamsRoute}/captions`,
    allowed: fileWriters,
    status: 422,
    request: (f) => ({ path: `${streams(f)}/captions`, json: { language: "en", text: "WEBVTT" } })
  },
  {
    route: `GET ${streamsRoute}/captions`,
    allowed: fileReaders,
    status: 200,
    request: (f) => ({ path: `${streams(f)}/captions` })
  },
  {
    route: `DELETE ${streamsRoute}/captions/:captionsId`,
    allowed: fileWriters,
    status: 404,
    request: (f) => ({ path: `${streams(f)}/captions/cap_01890a5d-ac96-774b-bcce-b302099a8057` })
  },
  {
    route: `POST ${streamsRoute}/poster`,
    allowed: fileWriters,
    status: 422,
    request: (f) => ({ path: `${streams(f)}/poster`, json: { time: 1 } })
  },
  {
    route: `DELETE ${streamsRoute}/poster`,
    allowed: fileWriters,
    status: 404,
    request: (f) => ({ path: `${streams(f)}/poster` })
  },
  { route: `GET ${streamsRoute}`, allowed: fileReaders, status: 200, request: (f) => ({ path: streams(f) }) },
  ...(
    [
      ["hls/playlist.m3u8", "hls/playlist.m3u8"],
      ["hls/:name", "hls/index0.ts"],
      ["hls/:rendition/:name", "hls/480p/index0.ts"],
      ["dash/manifest.mpd", "dash/manifest.mpd"],
      ["dash/:name", "dash/init-0.m4s"],
      ["poster.jpg", "poster.jpg"]
    ] as const
  ).map(([route, path]): Row => ({
    route: `GET ${streamsRoute}/${route}`,
    allowed: fileReaders,
    status: 404,
    request: (f) => ({ path: `${streams(f)}/${path}` })
  })),
  {
    route: `POST ${sharesRoute}`,
    allowed: fileWriters,
    status: 201,
    request: (f) => ({ path: shares(f), json: { name: unique() } })
  },
  { route: `GET ${sharesRoute}`, allowed: fileWriters, status: 200, request: (f) => ({ path: shares(f) }) },
  { route: `GET ${sharesRoute}/:shareId`, allowed: fileWriters, status: 200, request: (f) => ({ path: share(f) }) },
  {
    route: `PATCH ${sharesRoute}/:shareId`,
    allowed: fileWriters,
    status: 200,
    request: (f) => ({ path: share(f), json: { name: unique() } })
  },
  { route: `DELETE ${sharesRoute}/:shareId`, allowed: fileWriters, status: 204, request: (f) => ({ path: share(f) }) },
  {
    route: `POST ${webhooksRoute}`,
    allowed: admin,
    status: 201,
    request: (f) => ({ path: webhooks(f), json: newWebhook() })
  },
  { route: `GET ${webhooksRoute}`, allowed: admin, status: 200, request: (f) => ({ path: webhooks(f) }) },
  { route: `GET ${webhooksRoute}/:webhookId`, allowed: admin, status: 200, request: (f) => ({ path: webhook(f) }) },
  {
    route: `PATCH ${webhooksRoute}/:webhookId`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: webhook(f), json: { name: unique() } })
  },
  { route: `DELETE ${webhooksRoute}/:webhookId`, allowed: admin, status: 204, request: (f) => ({ path: webhook(f) }) },
  {
    route: `POST ${webhooksRoute}/:webhookId/rotate`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${webhook(f)}/rotate` })
  },
  {
    route: `POST ${webhooksRoute}/:webhookId/test`,
    allowed: admin,
    status: 202,
    request: (f) => ({ path: `${webhook(f)}/test` })
  },
  {
    route: `POST ${webhooksRoute}/:webhookId/recover`,
    allowed: admin,
    status: 202,
    request: (f) => ({ path: `${webhook(f)}/recover`, json: { since: "2026-01-01T00:00:00Z" } })
  },
  {
    route: `GET ${webhooksRoute}/:webhookId/deliveries`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${webhook(f)}/deliveries` })
  },
  {
    route: `GET ${webhooksRoute}/:webhookId/deliveries/:deliveryId`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${webhook(f)}/deliveries/${f.deliveryId}` })
  },
  {
    route: `POST ${webhooksRoute}/:webhookId/deliveries/:deliveryId/replay`,
    allowed: admin,
    status: 202,
    request: (f) => ({ path: `${webhook(f)}/deliveries/${f.deliveryId}/replay` })
  },
  {
    route: `POST ${mirrorsRoute}`,
    allowed: admin,
    status: 201,
    request: (f) => ({ path: mirrors(f), json: newMirror() })
  },
  { route: `GET ${mirrorsRoute}`, allowed: admin, status: 200, request: (f) => ({ path: mirrors(f) }) },
  { route: `GET ${mirrorsRoute}/:mirrorId`, allowed: admin, status: 200, request: (f) => ({ path: mirror(f) }) },
  {
    route: `PATCH ${mirrorsRoute}/:mirrorId`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: mirror(f), json: { name: unique() } })
  },
  { route: `DELETE ${mirrorsRoute}/:mirrorId`, allowed: admin, status: 204, request: (f) => ({ path: mirror(f) }) },
  {
    route: `POST ${mirrorsRoute}/:mirrorId/sync`,
    allowed: admin,
    status: 202,
    request: (f) => ({ path: `${mirror(f)}/sync` })
  },
  {
    route: `GET ${mirrorsRoute}/:mirrorId/files`,
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${mirror(f)}/files` })
  },
  {
    route: "GET /tenants/:tenantId/events",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/events` })
  },
  {
    route: "GET /tenants/:tenantId/events/export",
    allowed: admin,
    status: 200,
    request: (f) => ({ path: `${tenant(f)}/events/export` })
  }
]

/** Sends the request of a row with a key. */
export const send = (
  server: TestServer,
  row: Pick<Row, "route" | "request">,
  fixture: Fixture,
  key: string | null
): Promise<Response> => {
  const [method = ""] = row.route.split(" ")
  const { body, form: makeForm, headers, json, path } = row.request(fixture)
  return server.request(method, path, {
    key,
    json,
    ...(makeForm === undefined ? undefined : { body: makeForm() }),
    ...(body === undefined ? undefined : { body }),
    headers: { ...(body === undefined ? undefined : { "content-type": "application/octet-stream" }), ...headers }
  })
}

const idOf = async (response: Response): Promise<string> => {
  const record: unknown = await response.json()
  if (typeof record === "object" && record !== null && "id" in record) return String(record.id)
  throw new Error(`No record in the response: ${response.status} ${JSON.stringify(record)}`)
}

/** Creates a file with a header in a bucket, and a member with a token in its tenant. */
export const makeRecords = async (
  server: TestServer,
  { bucketId, tenantId }: Pick<Fixture, "tenantId" | "bucketId">
): Promise<Pick<Fixture, "fileId" | "memberId" | "tokenId">> => {
  const headers = [{ name: "x-there", value: "1" }]
  const { id: fileId } = await server.makeFile({ tenantId, bucketId }, "content", { headers })
  const memberId = await idOf(
    await server.post(`/tenants/${tenantId}/members`, {
      json: { user: { email: `${unique()}@example.com` }, role: { name: "File Reader" } }
    })
  )
  const tokenId = await idOf(
    await server.post(`/tenants/${tenantId}/tokens`, {
      json: { name: "t", member: { id: memberId }, expiresAt: new Date(Date.now() + 1_800_000).toISOString() }
    })
  )
  await server.post(`/tenants/${tenantId}/tokens/${tokenId}/s3-credentials`)
  return { fileId, memberId, tokenId }
}

/** Creates a bucket with a file and a mirror, a member with a token, and a webhook, in a new tenant or the given one. */
export const makeFixture = async (server: TestServer, tenantId?: string): Promise<Fixture> => {
  const bucketRef = await server.makeBucket(tenantId)
  const records = await makeRecords(server, bucketRef)
  const mirrorId = await idOf(
    await server.post(
      mirrors({ ...bucketRef, ...records, mirrorId: "", shareId: "", webhookId: "", deliveryId: "", uploadId: "" }),
      {
        json: newMirror()
      }
    )
  )
  const shareId = await idOf(
    await server.post(`/tenants/${bucketRef.tenantId}/buckets/${bucketRef.bucketId}/shares`, { json: { name: "s" } })
  )
  const webhookId = await idOf(await server.post(`/tenants/${bucketRef.tenantId}/webhooks`, { json: newWebhook() }))
  const test = await server.post(`/tenants/${bucketRef.tenantId}/webhooks/${webhookId}/test`)
  const { deliveryId } = (await test.json()) as { readonly deliveryId: string }
  const created = await server.post(`/tenants/${bucketRef.tenantId}/buckets/${bucketRef.bucketId}/files/uploads`, {
    query: { name: unique() },
    headers: { ...tus, "upload-length": "1" }
  })
  const uploadId = created.headers.get("location")?.split("/").at(-1) ?? ""
  return { ...bucketRef, ...records, mirrorId, shareId, webhookId, deliveryId, uploadId }
}
