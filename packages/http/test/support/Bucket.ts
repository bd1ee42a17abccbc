/**
 * A running service with an empty bucket in it.
 */
import * as Process from "./Process.ts"
import * as Requests from "./Requests.ts"

interface Id {
  readonly id: string
}

/** The body of an answer, as what the caller knows it to be. */
export const json = async <A>(answer: Response): Promise<A> => (await answer.json()) as A

export interface Bucket {
  readonly service: Process.Service
  /** Requests with the first key. */
  readonly api: Requests.Requests
  readonly key: string
  readonly tenantId: string
  readonly bucketId: string
  /** The bucket's files, below the API. */
  readonly files: string
}

/** Starts a service and makes a tenant and a bucket. */
export const start = async (options: Process.ServiceOptions = {}): Promise<Bucket> => {
  const service = await Process.serve(options)
  await service.printed(/reference: \S+\n/)
  const key = service.key()
  const api = Requests.make(`${service.url}/api/v1`, key)
  const tenant = await json<Id>(await api.post("/tenants", { json: { name: "T", subdomain: "tenant" } }))
  const bucket = await json<Id>(await api.post(`/tenants/${tenant.id}/buckets`, { json: { name: "b" } }))
  const files = `/tenants/${tenant.id}/buckets/${bucket.id}/files`
  return { service, api, key, tenantId: tenant.id, bucketId: bucket.id, files }
}

/** Makes a file with a content; its path below the API. */
export const put = async ({ api, files }: Bucket, name: string, content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const file = await json<Id>(await api.post(files, { json: { name } }))
  const path = `${files}/${file.id}`
  const answer = await api.post(`${path}/reupload`, {
    body: content,
    headers: { "content-type": "application/octet-stream" }
  })
  if (!answer.ok) throw new Error(await answer.text())
  return path
}
