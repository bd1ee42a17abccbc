/**
 * Requests to an S3-compatible service with AWS Signature Version 4. The module shares no code with the adapters, so
 * that tests can verify them with it.
 */
import { createHash, createHmac } from "node:crypto"

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const hash = (data: string): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest()

const region = "us-east-1"
const payload = "UNSIGNED-PAYLOAD"

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Sends a request for an object, or for a bucket if there is no key. */
export const send = (
  { accessKeyId, secretAccessKey }: Credentials,
  method: string,
  endpoint: string,
  path: { readonly bucket: string; readonly key?: string },
  query: Readonly<Record<string, string>> = {},
  body: Uint8Array<ArrayBuffer> | null = null
): Promise<Response> => {
  const { host } = new URL(endpoint)
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const resource = `/${[path.bucket, ...(path.key ?? "").split("/")].map(encode).join("/")}`
  const parameters = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&")
  const headers = { host, "x-amz-content-sha256": payload, "x-amz-date": time }
  const signed = Object.keys(headers).join(";")
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = [method, resource, parameters, lines.join(""), signed, payload].join("\n")
  const text = ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\n")
  const key = scope.split("/").reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${secretAccessKey}`)
  const signature = hmac(key, text).toString("hex")
  const { host: _, ...sent } = headers
  return fetch(`${endpoint}${resource}${parameters === "" ? "" : `?${parameters}`}`, {
    method,
    body,
    headers: {
      ...sent,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
    }
  })
}
