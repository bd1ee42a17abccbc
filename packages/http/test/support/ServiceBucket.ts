/**
 * A running service with an empty bucket.
 */
import { json } from "./Problems.ts"
import * as Process from "./Process.ts"
import * as Requests from "./Requests.ts"

interface Id {
  readonly id: string
}

export interface ServiceBucket {
  readonly service: Process.Service
  /** Sends requests with `key`. */
  readonly api: Requests.Requests
  readonly key: string
  readonly tenantId: string
  readonly bucketId: string
  /** Path of the bucket's files below the API. */
  readonly files: string
}

/** Creates a tenant and a bucket. */
export const create = async (service: Process.Service, key: string, subdomain = "tenant"): Promise<ServiceBucket> => {
  const api = Requests.make(`${service.url}/api/v1`, key)
  const tenant = await json<Id>(await api.post("/tenants", { json: { name: "T", subdomain } }))
  const bucket = await json<Id>(await api.post(`/tenants/${tenant.id}/buckets`, { json: { name: "b" } }))
  const files = `/tenants/${tenant.id}/buckets/${bucket.id}/files`
  return { service, api, key, tenantId: tenant.id, bucketId: bucket.id, files }
}

/** Starts a service and creates a tenant and a bucket with the key of its first start. */
export const start = async (options: Process.ServiceOptions = {}): Promise<ServiceBucket> => {
  const service = await Process.serve(options)
  await service.untilPrinted(/reference: \S+\n/)
  return create(service, service.key())
}

/** Creates a file with this content. Returns its path below the API. */
export const uploadFile = async (
  { api, files }: Pick<ServiceBucket, "api" | "files">,
  name: string,
  content: Uint8Array<ArrayBuffer>
): Promise<string> => {
  const file = await json<Id>(await api.post(files, { json: { name } }))
  const path = `${files}/${file.id}`
  const answer = await api.post(`${path}/reupload`, {
    body: content,
    headers: { "content-type": "application/octet-stream" }
  })
  if (!answer.ok) throw new Error(await answer.text())
  return path
}
