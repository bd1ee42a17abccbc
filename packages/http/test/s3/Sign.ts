/**
 * Signs requests as clients of S3 do (AWS Signature Version 4), by the text of the specification.
 */
import { createHash, createHmac } from "node:crypto"
import type { Credentials } from "./S3Server.ts"

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()

const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
    })
    .join("")

export interface Options {
  readonly at?: Date
  readonly headers?: Readonly<Record<string, string>>
  readonly payloadHash?: string
  readonly method?: string
  /** Seconds; makes a presigned URL. */
  readonly expires?: number
  readonly region?: string
}

const stampOf = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`

/** Returns the URL and the headers of a signed request, and what its chunks continue from. */
export const sign = (address: string, { accessKeyId, secretAccessKey }: Credentials, options: Options = {}) => {
  const { at = new Date(), expires, method = "GET", payloadHash = "UNSIGNED-PAYLOAD", region = "eu-1" } = options
  const url = new URL(address)
  const stamp = stampOf(at)
  const scope = `${stamp.slice(0, 8)}/${region}/s3/aws4_request`
  const headers: Record<string, string> = {
    host: url.host,
    ...(expires === undefined ? { "x-amz-date": stamp, "x-amz-content-sha256": payloadHash } : {}),
    ...options.headers
  }
  const names = Object.keys(headers).toSorted()
  if (expires !== undefined) {
    url.searchParams.set("X-Amz-Algorithm", "AWS4-HMAC-SHA256")
    url.searchParams.set("X-Amz-Credential", `${accessKeyId}/${scope}`)
    url.searchParams.set("X-Amz-Date", stamp)
    url.searchParams.set("X-Amz-Expires", String(expires))
    url.searchParams.set("X-Amz-SignedHeaders", names.join(";"))
  }
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&")
  const path = decodeURIComponent(url.pathname).split("/").map(encode).join("/")
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join("")
  const canonical = [method, path, query, lines, names.join(";"), payloadHash].join("\n")
  const key = [stamp.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signWith = (name: string, ...texts: ReadonlyArray<string>) =>
    hmac(Buffer.from(key), [name, stamp, scope, ...texts].join("\n")).toString("hex")
  const signature = signWith("AWS4-HMAC-SHA256", sha256(Buffer.from(canonical, "latin1")))
  const { host: _, ...sent } = headers
  if (expires !== undefined) {
    url.searchParams.set("X-Amz-Signature", signature)
    return { url: url.href.replaceAll("+", "%20"), headers: sent, signature, signWith }
  }
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`
  return { url: url.href, headers: { ...sent, authorization }, signature, signWith }
}

/** Returns the body of a request in signed chunks, with a signed trailer if there is one. */
export const chunked = (
  { signature, signWith }: Pick<ReturnType<typeof sign>, "signature" | "signWith">,
  chunks: ReadonlyArray<string>,
  trailer?: readonly [name: string, value: string]
): string => {
  let body = ""
  let last = signature
  for (const chunk of [...chunks, ""]) {
    last = signWith("AWS4-HMAC-SHA256-PAYLOAD", last, sha256(""), sha256(chunk))
    body += `${Buffer.byteLength(chunk).toString(16)};chunk-signature=${last}\r\n${chunk}${chunk === "" ? "" : "\r\n"}`
  }
  if (trailer === undefined) return `${body}\r\n`
  const text = `${trailer[0]}:${trailer[1]}\n`
  const signed = signWith("AWS4-HMAC-SHA256-TRAILER", last, sha256(text))
  return `${body}${trailer[0]}:${trailer[1]}\r\nx-amz-trailer-signature:${signed}\r\n\r\n`
}
