/**
 * The table of scopes: what a token of an Admin may call for each kind of scope. As `PermissionTable`, it is written from the
 * specification.
 */
import type { Permission } from "@holdfast/core/Permission"
import type { Scope } from "@holdfast/core/access/Scope"
import type { Fixture, Row } from "./PermissionTable.ts"

/** The folder of the file of a fixture. */
export const folder = "/in/side/"

const [ofTenant, ofBucket, ofFiles] = [
  "/tenants/:tenantId",
  "/tenants/:tenantId/buckets/:bucketId",
  "/tenants/:tenantId/buckets/:bucketId/files"
]

/** The permission that an operation requires; undefined for one that requires none. */
export const permissionOf = ({ isGlobal, route }: Row): Permission | undefined => {
  const [method = "", path = ""] = route.split(" ")
  // A link or playback key permits no more than its creator may read, so that reading is enough to create one.
  const isRead = method === "GET" || /\/(?:links|keys)$/.test(path)
  if (isGlobal === true) return route === "GET /tenants" ? "tenant:read" : undefined
  if (path.startsWith(`${ofFiles}/uploads`)) return "file:write"
  if (path.startsWith(ofFiles)) return isRead ? "file:read" : "file:write"
  if (path.startsWith(`${ofBucket}/folders`)) return isRead ? "file:read" : "file:write"
  if (path.endsWith("/upload-links")) return "file:write"
  if (path.includes("/shares")) return "share:write"
  if (path.includes("/mirrors")) return "mirror:manage"
  if (path.startsWith(`${ofTenant}/buckets`)) return isRead ? "bucket:read" : "bucket:write"
  if (path.includes("/webhooks")) return isRead ? "webhook:read" : "webhook:write"
  for (const [resource, permission] of [
    ["members", "member:manage"],
    ["tokens", "token:manage"],
    ["events", "event:read"],
    ["roles", "role:read"]
  ] as const) {
    if (path.startsWith(`${ofTenant}/${resource}`)) return permission
  }
  return route === `GET ${ofTenant}` ? "tenant:read" : "tenant:manage"
}

/** What the service answers to a token of an Admin: the status of an Admin without a scope, or a refusal. */
type Answer = "as an Admin" | 200 | 403 | 404

export interface ScopeCase {
  readonly name: string
  /** The scope for a request; undefined where this case does not apply. */
  readonly scope: (fixture: Fixture, row: Row) => Scope | undefined
  readonly answer: (row: Row) => Answer
}

const isOf = (place: string, { route }: Row): boolean => (route.split(" ")[1] ?? "").startsWith(place)

/** Operations that confine themselves to the scope: of a bucket's list, and of the new token. */
const confined = new Set(["GET /tenants/:tenantId/buckets", "POST /tenants/:tenantId/tokens"])

/** Operations on files that the body names, and on jobs of a folder. */
const namesFiles = ({ route }: Row): boolean =>
  [`POST ${ofFiles}/delete`, `POST ${ofFiles}/move`].includes(route) || route.includes("/folders/jobs/:jobId")
const isOfFile = (row: Row): boolean => isOf(`${ofFiles}/:fileId`, row) || namesFiles(row)
/** Operations that find nothing outside of the folder of a scope, and do not fail. */
const findsFiles = ({ route }: Row): boolean =>
  [`GET ${ofFiles}`, `GET ${ofFiles}/exists`, `GET ${ofFiles}/uploads`].includes(route)
/** Without a path, both would create the file in the folder `/`. */
const createsFile = ({ route }: Row): boolean => route === `POST ${ofFiles}` || route === `POST ${ofFiles}/upload`

const global = ({ isGlobal, route }: Row): Answer =>
  isGlobal === true && route !== "GET /tenants" ? "as an Admin" : 403

const otherBucket = "bkt_01890a5d-ac96-774b-bcce-b302099a8057"

const allBut = (permission: Permission, all: ReadonlyArray<Permission>) => all.filter((one) => one !== permission)

export const cases = (all: ReadonlyArray<Permission>): ReadonlyArray<ScopeCase> => [
  {
    name: "its bucket",
    scope: ({ bucketId }) => ({ bucketIds: [otherBucket, bucketId] }),
    answer: (row) => (isOf(ofBucket, row) || confined.has(row.route) ? "as an Admin" : global(row))
  },
  {
    name: "another bucket",
    scope: () => ({ bucketIds: [otherBucket] }),
    answer: (row) => (confined.has(row.route) ? "as an Admin" : global(row))
  },
  {
    name: "its folder",
    scope: ({ bucketId }) => ({ bucketIds: [bucketId], pathPrefix: folder }),
    answer: (row) =>
      isOfFile(row) || findsFiles(row) || row.route === "POST /tenants/:tenantId/tokens" ? "as an Admin" : global(row)
  },
  {
    name: "another folder",
    scope: () => ({ pathPrefix: "/in/sid" }),
    answer: (row) =>
      findsFiles(row) || row.route === "POST /tenants/:tenantId/tokens"
        ? "as an Admin"
        : isOfFile(row) && row.route !== `POST ${ofFiles}/move`
          ? 404
          : createsFile(row)
            ? 403
            : global(row)
  },
  {
    name: "its permission",
    scope: (_, row) => {
      const permission = permissionOf(row)
      return permission === undefined ? undefined : { permissions: [permission] }
    },
    // An Admin without a scope adds members of any role, one with this scope none with further permissions. A copy reads, too, and a
    // share gives further permissions, as the S3 credentials of a token without a scope do.
    answer: ({ route }) =>
      route === `POST ${ofFiles}/:fileId/copy` ||
      route === `POST ${ofTenant}/tokens/:tokenId/s3-credentials` ||
      route === `POST ${ofTenant}/members` ||
      route === `PATCH ${ofTenant}/members/:memberId` ||
      route === `POST ${ofBucket}/shares`
        ? 403
        : "as an Admin"
  },
  {
    name: "all other permissions",
    scope: (_, row) => {
      const permission = permissionOf(row)
      return permission === undefined ? undefined : { permissions: allBut(permission, all) }
    },
    answer: () => 403
  }
]
