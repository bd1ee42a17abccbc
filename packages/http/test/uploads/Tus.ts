/**
 * Requests of tus 1.0.0, as a client writes them.
 */
import { createHash } from "node:crypto"
import { expect } from "vitest"
import type * as TestServer from "../support/TestServer.ts"

export interface Bucket {
  readonly tenantId: string
  readonly bucketId: string
}

export type Headers = Readonly<Record<string, string>>

export const filesOf = ({ bucketId, tenantId }: Bucket) => `/tenants/${tenantId}/buckets/${bucketId}/files`

export const resumable: Headers = { "tus-resumable": "1.0.0" }
export const offsetType = "application/offset+octet-stream"

export const pairs = (metadata: Headers): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",")

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export interface Options {
  readonly headers?: Headers
  readonly key?: string | null
  readonly query?: Headers
  readonly body?: Uint8Array<ArrayBuffer>
}

/** Requests to the uploads of a bucket. */
export const make = (server: TestServer.TestServer, bucket: Bucket) => {
  const uploads = `${filesOf(bucket)}/uploads`
  const send = (method: string, path: string, { headers, ...options }: Options = {}) =>
    server.request(method, path.replace(/^.*\/api\/v1(?=\/)/, ""), {
      ...options,
      headers: { ...resumable, ...headers }
    })

  const post = (metadata: Headers, headers: Headers = {}, options: Options = {}) =>
    send("POST", uploads, { ...options, headers: { "upload-metadata": pairs(metadata), ...headers } })

  return {
    uploads,
    send,
    /** Sends a creation request. */
    post,
    /** Creates an upload. Returns its path. */
    create: async (metadata: Headers, headers: Headers, options: Options = {}): Promise<string> => {
      const answer = await post(metadata, headers, options)
      expect([answer.status, await answer.text()]).toEqual([201, ""])
      expect(answer.headers.get("tus-resumable")).toBe("1.0.0")
      return answer.headers.get("location") ?? ""
    },
    patch: (path: string, offset: number, body: Uint8Array<ArrayBuffer>, { headers, ...options }: Options = {}) =>
      send("PATCH", path, {
        ...options,
        body,
        headers: { "content-type": offsetType, "upload-offset": String(offset), ...headers }
      }),
    head: (path: string, options: Options = {}) => send("HEAD", path, options),
    /** Returns the offset that `HEAD` answers. */
    offset: async (path: string): Promise<number> => {
      const answer = await send("HEAD", path)
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
      return Number(answer.headers.get("upload-offset"))
    },
    /** Reads a file whose upload an answer has completed. */
    read: async (answer: Response) => {
      const id = answer.headers.get("holdfast-file-id")
      const file = await server.get(`${filesOf(bucket)}/${id}`)
      const content = await server.get(`${filesOf(bucket)}/${id}/view`)
      return {
        file: (await file.json()) as { readonly id: string; readonly metadata: object } & Record<string, unknown>,
        bytes: new Uint8Array(await content.arrayBuffer())
      }
    }
  }
}

export type Tus = ReturnType<typeof make>
