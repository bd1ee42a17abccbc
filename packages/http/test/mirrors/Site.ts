/**
 * A running service whose bucket is to be mirrored.
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

export interface Place {
  readonly tenantId: string
  readonly bucketId: string
}

/** A bucket over HTTP, wherever it is. */
export interface Site extends Place {
  readonly api: Requests
  /** Below the API. */
  readonly files: string
  readonly mirrors: string
}

export interface Description {
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

export const at = (api: Requests, { bucketId, tenantId }: Place): Site => {
  const bucket = `/tenants/${tenantId}/buckets/${bucketId}`
  return { api, tenantId, bucketId, files: `${bucket}/files`, mirrors: `${bucket}/mirrors` }
}

interface Started extends Site {
  readonly service: Process.Service
  readonly key: string
}

/** Starts a service with a tenant and a bucket. */
export const start = async (options: Process.ServiceOptions = {}): Promise<Started> => {
  const { api, bucketId, key, service, tenantId } = await ServiceBucket.start(options)
  return { ...at(api, { tenantId, bucketId }), service, key }
}

const made = async <A>(answer: Response, status = 201): Promise<A> => {
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as A
}

/** Another tenant with a bucket, and the key of a member of it. */
export const makeTarget = async (api: Requests, subdomain: string, role = "File Writer") => {
  const { id: tenantId } = await made<Mirror>(await api.post("/tenants", { json: { name: "Target", subdomain } }))
  const { id: bucketId } = await made<Mirror>(
    await api.post(`/tenants/${tenantId}/buckets`, { json: { name: "copies" } })
  )
  const site = at(api, { tenantId, bucketId })
  return { ...site, apiKey: await makeKey(site, role) }
}

/** The key of a fresh token of a fresh member. */
export const makeKey = async ({ api, tenantId }: Site, role: string): Promise<string> => {
  const user = { email: `${role.replaceAll(" ", "")}-${Math.random().toString(36).slice(2)}@example.com` }
  const member = await made<Mirror>(
    await api.post(`/tenants/${tenantId}/members`, { json: { user, role: { name: role } } })
  )
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const json = { name: "mirror", member: { id: member.id }, expiresAt }
  return (await made<{ readonly key: string }>(await api.post(`/tenants/${tenantId}/tokens`, { json }))).key
}

/** What makes a mirror of a site's bucket to another bucket of the same service. */
export const toTarget = (target: Place & { readonly apiKey: string }) => ({
  name: "To the other tenant",
  type: "SERVICE",
  serviceTenantId: target.tenantId,
  serviceBucketId: target.bucketId,
  apiKey: target.apiKey
})

export const upload = async (site: Site, description: Description, content: string | Uint8Array<ArrayBuffer>) => {
  const form = new FormData()
  const { headers, ...body } = description
  form.append("body", JSON.stringify(body))
  form.append("file", new Blob([content]))
  const file = await made<FileRecord>(await site.api.post(`${site.files}/upload`, { body: form }))
  if (headers !== undefined)
    await made(await site.api.post(`${site.files}/${file.id}/headers/bulk`, { json: { bulk: headers } }))
  return file
}

/** What makes a mirror to a bucket of a gateway. */
export const toBucket = ({ credentials, endpoint }: Ceph.Ceph, { name }: Pick<Ceph.Bucket, "name">) => ({
  name: "Second site",
  type: "CLOUD_A",
  region: "us-east-1",
  bucketName: name,
  endpoint,
  forcePathStyle: true,
  ...credentials
})

export const createMirror = async (site: Site, json: object): Promise<Mirror> =>
  made<Mirror>(await site.api.post(site.mirrors, { json }))

export const getMirror = async (site: Site, mirrorId: string): Promise<Mirror> =>
  made<Mirror>(await site.api.get(`${site.mirrors}/${mirrorId}`), 200)

/** Every file of a bucket by its whole name, with its record. */
export const listFiles = async ({ api, files }: Site): Promise<ReadonlyMap<string, FileRecord>> => {
  const found = new Map<string, FileRecord>()
  let cursor: string | null = null
  do {
    const query: Record<string, string> = { recursive: "true", limit: "1000", ...(cursor === null ? {} : { cursor }) }
    const page: { items: ReadonlyArray<FileRecord>; nextCursor: string | null } = await made(
      await api.get(files, { query }),
      200
    )
    for (const file of page.items) found.set(file.path + file.name, file)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

const patience = { timeout: 60_000, interval: 100 }

/** Waits until a mirror has nothing to do and works; the record then. */
export const settled = async (site: Site, mirrorId: string): Promise<Mirror> => {
  await expect
    .poll(async () => {
      const { state, stats } = await getMirror(site, mirrorId)
      return { state, pending: stats.pending, failed: stats.failed }
    }, patience)
    .toEqual({ state: "ACTIVE", pending: 0, failed: 0 })
  return getMirror(site, mirrorId)
}

/** Waits until a mirror is in a state; the record then. */
export const inState = async (site: Site, mirrorId: string, state: string): Promise<Mirror> => {
  await expect.poll(async () => (await getMirror(site, mirrorId)).state, patience).toBe(state)
  return getMirror(site, mirrorId)
}
