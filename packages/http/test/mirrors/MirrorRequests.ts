/**
 * Requests of tests of mirrors to a running service.
 */
import { expect } from "vitest"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import type * as Ceph from "../support/Ceph.ts"
import type * as Process from "../support/Process.ts"
import type { Requests } from "../support/Requests.ts"

export interface Mirror {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: string
  readonly stats: {
    readonly pending: number
    readonly pendingBytes: number
    readonly copied: number
    readonly failed: number
    readonly lagSeconds: number
    readonly lastError: string | null
    readonly comparing: boolean
  }
  readonly [name: string]: unknown
}

interface BucketIds {
  readonly tenantId: string
  readonly bucketId: string
}

/** The API of one bucket. */
export interface BucketApi extends BucketIds {
  readonly api: Requests
  /** Path of the bucket's files below the API. */
  readonly files: string
  /** Path of the bucket's mirrors below the API. */
  readonly mirrors: string
}

interface FileFields {
  readonly name: string
  readonly path?: string
  readonly metadata?: object
  readonly headers?: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

export interface FileRecord {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly checksum: { readonly sha256: string }
  readonly metadata: object
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

/** Returns the API of a bucket. */
export const fromIds = (api: Requests, { bucketId, tenantId }: BucketIds): BucketApi => {
  const bucket = `/tenants/${tenantId}/buckets/${bucketId}`
  return { api, tenantId, bucketId, files: `${bucket}/files`, mirrors: `${bucket}/mirrors` }
}

export interface Started extends BucketApi {
  readonly service: Process.Service
  readonly key: string
}

/** Starts a service and creates a tenant and a bucket. */
export const start = async (options: Process.ServiceOptions = {}): Promise<Started> => {
  const { api, bucketId, key, service, tenantId } = await ServiceBucket.start(options)
  return { ...fromIds(api, { tenantId, bucketId }), service, key }
}

/** Returns the JSON of a response; throws for any other status. */
const decode = async <A>(answer: Response, status = 201): Promise<A> => {
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as A
}

/** Creates another tenant with a bucket, and a key of one of its members. */
export const createTarget = async (api: Requests, subdomain: string, role = "File Writer") => {
  const { id: tenantId } = await decode<Mirror>(await api.post("/tenants", { json: { name: "Target", subdomain } }))
  const { id: bucketId } = await decode<Mirror>(
    await api.post(`/tenants/${tenantId}/buckets`, { json: { name: "copies" } })
  )
  const target = fromIds(api, { tenantId, bucketId })
  return { ...target, apiKey: await createKey(target, role) }
}

/** Creates a member with a role. Returns a key of the member, with a scope if one is given. */
export const createKey = async ({ api, tenantId }: BucketApi, role: string, scope?: object): Promise<string> => {
  const user = { email: `${role.replaceAll(" ", "")}-${Math.random().toString(36).slice(2)}@example.com` }
  const member = await decode<Mirror>(
    await api.post(`/tenants/${tenantId}/members`, { json: { user, role: { name: role } } })
  )
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const json = { name: "mirror", member: { id: member.id }, expiresAt, scope }
  return (await decode<{ readonly key: string }>(await api.post(`/tenants/${tenantId}/tokens`, { json }))).key
}

/** The input of a mirror to another bucket of the same service. */
export const mirrorToTenant = (target: BucketIds & { readonly apiKey: string }) => ({
  name: "To the other tenant",
  type: "SERVICE",
  serviceTenantId: target.tenantId,
  serviceBucketId: target.bucketId,
  apiKey: target.apiKey
})

/** Uploads a file. Returns its record as it was before its headers were set. */
export const upload = async (bucket: BucketApi, fields: FileFields, content: string | Uint8Array<ArrayBuffer>) => {
  const form = new FormData()
  const { headers, ...body } = fields
  form.append("body", JSON.stringify(body))
  form.append("file", new Blob([content]))
  const file = await decode<FileRecord>(await bucket.api.post(`${bucket.files}/upload`, { body: form }))
  if (headers !== undefined)
    await decode(await bucket.api.post(`${bucket.files}/${file.id}/headers/bulk`, { json: { bulk: headers } }))
  return file
}

/** The input of a mirror to a bucket of S3. */
export const mirrorToS3 = (
  { credentials, endpoint }: Pick<Ceph.Ceph, "credentials" | "endpoint">,
  { name }: Pick<Ceph.Bucket, "name">
) => ({
  name: "Second site",
  type: "CLOUD_A",
  region: "us-east-1",
  bucketName: name,
  endpoint,
  forcePathStyle: true,
  ...credentials
})

export const createMirror = async (bucket: BucketApi, json: object): Promise<Mirror> =>
  decode<Mirror>(await bucket.api.post(bucket.mirrors, { json }))

export const getMirror = async (bucket: BucketApi, mirrorId: string): Promise<Mirror> =>
  decode<Mirror>(await bucket.api.get(`${bucket.mirrors}/${mirrorId}`), 200)

/** Returns the records of all files of a bucket, by path and name. */
export const listFiles = async ({ api, files }: BucketApi): Promise<ReadonlyMap<string, FileRecord>> => {
  const found = new Map<string, FileRecord>()
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { recursive: "true", limit: "1000", ...(cursor === null ? {} : { cursor }) }
    const page: { items: ReadonlyArray<FileRecord>; nextCursor: string | null } = await decode(
      await api.get(files, { query }),
      200
    )
    for (const file of page.items) found.set(file.path + file.name, file)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

const polling = { timeout: 60_000, interval: 100 }

/** Waits until a mirror is active and no file is pending. Returns its record. */
export const untilCopied = async (bucket: BucketApi, mirrorId: string): Promise<Mirror> => {
  await expect
    .poll(async () => {
      const { state, stats } = await getMirror(bucket, mirrorId)
      return { state, pending: stats.pending, failed: stats.failed }
    }, polling)
    .toEqual({ state: "ACTIVE", pending: 0, failed: 0 })
  return getMirror(bucket, mirrorId)
}

/** Waits until a mirror is in a state. Returns its record. */
export const untilInState = async (bucket: BucketApi, mirrorId: string, state: string): Promise<Mirror> => {
  await expect.poll(async () => (await getMirror(bucket, mirrorId)).state, polling).toBe(state)
  return getMirror(bucket, mirrorId)
}
