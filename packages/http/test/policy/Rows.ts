/**
 * The table of roles: for every operation of the API, who may, and a request that succeeds for whoever may. Written
 * from the specification, not from the code: the contract's own annotations are what it checks.
 */
import type { RoleName, TestServer } from "../support/TestServer.ts"

/** A fresh world for one request: nothing that another request does can touch it. */
export interface World {
  readonly tenantId: string
  readonly bucketId: string
  readonly fileId: string
  readonly memberId: string
  readonly tokenId: string
  readonly mirrorId: string
}

export interface Sent {
  readonly path: string
  readonly json?: unknown
  readonly form?: () => FormData
  readonly body?: string
}

export interface Row {
  /** Method and path as in the contract, below the base path. */
  readonly route: string
  readonly may: ReadonlyArray<RoleName>
  /** The status for whoever may. */
  readonly status: number
  readonly request: (world: World) => Sent
  /** Not about a tenant: membership does not matter. */
  readonly isGlobal?: boolean
}

export const roles: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer", "Bucket Reader", "File Writer", "File Reader"]

const everybody = roles
const admin: ReadonlyArray<RoleName> = ["Admin"]
const bucketWriters: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer"]
const bucketReaders: ReadonlyArray<RoleName> = ["Admin", "Bucket Writer", "Bucket Reader"]
const fileWriters: ReadonlyArray<RoleName> = ["Admin", "File Writer"]
const fileReaders: ReadonlyArray<RoleName> = ["Admin", "File Writer", "File Reader"]

let count = 0
const unique = (): string => `n${Date.now().toString(36)}${count++}`

const tenant = ({ tenantId }: World) => `/tenants/${tenantId}`
const bucket = (world: World) => `${tenant(world)}/buckets/${world.bucketId}`
const files = (world: World) => `${bucket(world)}/files`
const file = (world: World) => `${files(world)}/${world.fileId}`
const streams = (world: World) => `${file(world)}/streams`

const mirrors = (world: World) => `${bucket(world)}/mirrors`
const mirror = (world: World) => `${mirrors(world)}/${world.mirrorId}`

/** One that leads nowhere, and is made all the same. */
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

const filesRoute = "/tenants/:tenantId/buckets/:bucketId/files"
const streamsRoute = `${filesRoute}/:fileId/streams`
const mirrorsRoute = "/tenants/:tenantId/buckets/:bucketId/mirrors"

export const rows: ReadonlyArray<Row> = [
  { route: "GET /me", may: everybody, status: 200, isGlobal: true, request: () => ({ path: "/me" }) },
  { route: "GET /roles", may: everybody, status: 200, isGlobal: true, request: () => ({ path: "/roles" }) },
  { route: "GET /tenants", may: everybody, status: 200, isGlobal: true, request: () => ({ path: "/tenants" }) },
  {
    // API tokens create tenants only where the deployment allows it.
    route: "POST /tenants",
    may: [],
    status: 201,
    isGlobal: true,
    request: () => ({ path: "/tenants", json: { name: "New", subdomain: unique() } })
  },
  { route: "GET /tenants/:tenantId", may: everybody, status: 200, request: (w) => ({ path: tenant(w) }) },
  {
    route: "PATCH /tenants/:tenantId",
    may: admin,
    status: 200,
    request: (w) => ({ path: tenant(w), json: { name: "Renamed" } })
  },
  { route: "DELETE /tenants/:tenantId", may: admin, status: 409, request: (w) => ({ path: tenant(w) }) },
  {
    route: "GET /tenants/:tenantId/roles",
    may: everybody,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/roles` })
  },
  {
    route: "POST /tenants/:tenantId/members",
    may: admin,
    status: 201,
    request: (w) => ({
      path: `${tenant(w)}/members`,
      json: { user: { email: `${unique()}@example.com` }, role: { name: "File Reader" } }
    })
  },
  {
    route: "GET /tenants/:tenantId/members",
    may: admin,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/members` })
  },
  {
    route: "GET /tenants/:tenantId/members/:memberId",
    may: admin,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/members/${w.memberId}` })
  },
  {
    route: "PATCH /tenants/:tenantId/members/:memberId",
    may: admin,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/members/${w.memberId}`, json: { role: { id: "role_file_writer" } } })
  },
  {
    route: "DELETE /tenants/:tenantId/members/:memberId",
    may: admin,
    status: 204,
    request: (w) => ({ path: `${tenant(w)}/members/${w.memberId}` })
  },
  {
    route: "POST /tenants/:tenantId/tokens",
    may: admin,
    status: 201,
    request: (w) => ({
      path: `${tenant(w)}/tokens`,
      json: { name: "ci", member: { id: w.memberId }, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    })
  },
  {
    route: "GET /tenants/:tenantId/tokens",
    may: admin,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/tokens` })
  },
  {
    route: "GET /tenants/:tenantId/tokens/:tokenId",
    may: admin,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/tokens/${w.tokenId}` })
  },
  {
    route: "DELETE /tenants/:tenantId/tokens/:tokenId",
    may: admin,
    status: 204,
    request: (w) => ({ path: `${tenant(w)}/tokens/${w.tokenId}` })
  },
  {
    route: "POST /tenants/:tenantId/buckets",
    may: bucketWriters,
    status: 201,
    request: (w) => ({ path: `${tenant(w)}/buckets`, json: { name: unique() } })
  },
  {
    route: "GET /tenants/:tenantId/buckets",
    may: bucketReaders,
    status: 200,
    request: (w) => ({ path: `${tenant(w)}/buckets` })
  },
  {
    route: "GET /tenants/:tenantId/buckets/:bucketId",
    may: bucketReaders,
    status: 200,
    request: (w) => ({ path: bucket(w) })
  },
  {
    route: "PATCH /tenants/:tenantId/buckets/:bucketId",
    may: bucketWriters,
    status: 200,
    request: (w) => ({ path: bucket(w), json: { name: unique() } })
  },
  {
    route: "DELETE /tenants/:tenantId/buckets/:bucketId",
    may: bucketWriters,
    status: 409,
    request: (w) => ({ path: bucket(w) })
  },
  {
    route: `POST ${filesRoute}/upload`,
    may: fileWriters,
    status: 201,
    request: (w) => ({ path: `${files(w)}/upload`, form })
  },
  {
    route: `POST ${filesRoute}`,
    may: fileWriters,
    status: 201,
    request: (w) => ({ path: files(w), json: { name: unique() } })
  },
  { route: `GET ${filesRoute}`, may: fileReaders, status: 200, request: (w) => ({ path: files(w) }) },
  { route: `GET ${filesRoute}/:fileId`, may: fileReaders, status: 200, request: (w) => ({ path: file(w) }) },
  {
    route: `PATCH ${filesRoute}/:fileId`,
    may: fileWriters,
    status: 200,
    request: (w) => ({ path: file(w), json: { metadata: { a: 1 } } })
  },
  { route: `DELETE ${filesRoute}/:fileId`, may: fileWriters, status: 204, request: (w) => ({ path: file(w) }) },
  {
    route: `POST ${filesRoute}/:fileId/reupload`,
    may: fileWriters,
    status: 200,
    request: (w) => ({ path: `${file(w)}/reupload`, body: "other bytes" })
  },
  {
    route: `GET ${filesRoute}/:fileId/view`,
    may: fileReaders,
    status: 200,
    request: (w) => ({ path: `${file(w)}/view` })
  },
  {
    route: `GET ${filesRoute}/:fileId/download`,
    may: fileReaders,
    status: 200,
    request: (w) => ({ path: `${file(w)}/download` })
  },
  {
    route: `POST ${filesRoute}/:fileId/headers`,
    may: fileWriters,
    status: 201,
    request: (w) => ({ path: `${file(w)}/headers`, json: { name: "x-a", value: "1" } })
  },
  {
    route: `POST ${filesRoute}/:fileId/headers/bulk`,
    may: fileWriters,
    status: 201,
    request: (w) => ({ path: `${file(w)}/headers/bulk`, json: { bulk: [{ name: "x-a", value: "1" }] } })
  },
  {
    route: `GET ${filesRoute}/:fileId/headers`,
    may: fileReaders,
    status: 200,
    request: (w) => ({ path: `${file(w)}/headers` })
  },
  {
    route: `DELETE ${filesRoute}/:fileId/headers/:name`,
    may: fileWriters,
    status: 204,
    request: (w) => ({ path: `${file(w)}/headers/x-there` })
  },
  // The content is no video, and so nothing is converted: whoever may is told that.
  ...(["hls", "dash"] as const).flatMap((format): ReadonlyArray<Row> => [
    {
      route: `POST ${streamsRoute}/${format}`,
      may: fileWriters,
      status: 422,
      request: (w) => ({ path: `${streams(w)}/${format}` })
    },
    {
      route: `DELETE ${streamsRoute}/${format}`,
      may: fileWriters,
      status: 404,
      request: (w) => ({ path: `${streams(w)}/${format}` })
    },
    {
      route: `GET ${streamsRoute}/${format}`,
      may: fileReaders,
      status: 404,
      request: (w) => ({ path: `${streams(w)}/${format}` })
    }
  ]),
  { route: `GET ${streamsRoute}`, may: fileReaders, status: 200, request: (w) => ({ path: streams(w) }) },
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
    may: fileReaders,
    status: 404,
    request: (w) => ({ path: `${streams(w)}/${path}` })
  })),
  {
    route: `POST ${mirrorsRoute}`,
    may: admin,
    status: 201,
    request: (w) => ({ path: mirrors(w), json: newMirror() })
  },
  { route: `GET ${mirrorsRoute}`, may: admin, status: 200, request: (w) => ({ path: mirrors(w) }) },
  { route: `GET ${mirrorsRoute}/:mirrorId`, may: admin, status: 200, request: (w) => ({ path: mirror(w) }) },
  {
    route: `PATCH ${mirrorsRoute}/:mirrorId`,
    may: admin,
    status: 200,
    request: (w) => ({ path: mirror(w), json: { name: unique() } })
  },
  { route: `DELETE ${mirrorsRoute}/:mirrorId`, may: admin, status: 204, request: (w) => ({ path: mirror(w) }) },
  {
    route: `POST ${mirrorsRoute}/:mirrorId/sync`,
    may: admin,
    status: 202,
    request: (w) => ({ path: `${mirror(w)}/sync` })
  },
  {
    route: `GET ${mirrorsRoute}/:mirrorId/files`,
    may: admin,
    status: 200,
    request: (w) => ({ path: `${mirror(w)}/files` })
  }
]

/** Sends a row's request under a key. */
export const send = (server: TestServer, row: Row, world: World, key: string | null): Promise<Response> => {
  const [method = ""] = row.route.split(" ")
  const { body, form: makeForm, json, path } = row.request(world)
  return server.request(method, path, {
    key,
    json,
    ...(makeForm === undefined ? undefined : { body: makeForm() }),
    ...(body === undefined ? undefined : { body, headers: { "content-type": "application/octet-stream" } })
  })
}

const idOf = async (response: Response): Promise<string> => {
  const record: unknown = await response.json()
  if (typeof record === "object" && record !== null && "id" in record) return String(record.id)
  throw new Error(`No record: ${response.status} ${JSON.stringify(record)}`)
}

/** A tenant of its own with a bucket, a file with a header, a member, a token and a mirror. */
export const makeWorld = async (server: TestServer, tenantId?: string): Promise<World> => {
  const place = await server.makeBucket(tenantId)
  const { id: fileId } = await server.makeFile(place, "content", { headers: [{ name: "x-there", value: "1" }] })
  const memberId = await idOf(
    await server.post(`/tenants/${place.tenantId}/members`, {
      json: { user: { email: `${unique()}@example.com` }, role: { name: "File Reader" } }
    })
  )
  const tokenId = await idOf(
    await server.post(`/tenants/${place.tenantId}/tokens`, {
      json: { name: "t", member: { id: memberId }, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    })
  )
  const mirrorId = await idOf(
    await server.post(mirrors({ ...place, fileId, memberId, tokenId, mirrorId: "" }), { json: newMirror() })
  )
  return { ...place, fileId, memberId, tokenId, mirrorId }
}
