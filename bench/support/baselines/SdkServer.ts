/**
 * The baseline for a service that stores contents in an object store: a process with node:http and the SDK. It has no keys
 * and no database. It exits together with the process that started it.
 *
 *     GET  /object             sends the object `small` as it arrives
 *     POST /object             stores the body under a new name, with its MD5
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as S3Sdk from "./S3Sdk.ts"

const [gateway, Bucket = "", bytes = "0"] = process.argv.slice(2)
const { client, sdk } = await S3Sdk.load(gateway)

const put = (Key: string, Body: Buffer) => {
  const ContentMD5 = createHash("md5").update(Body).digest("base64")
  return client.send(new sdk.PutObjectCommand({ Bucket, Key, Body, ContentMD5 }))
}

const handleGet = async (response: ServerResponse): Promise<void> => {
  const { Body, ContentLength } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: "small" }))
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": ContentLength })
  Body?.pipe(response)
}

const handlePost = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  await put(randomUUID(), Buffer.concat(chunks))
  response.writeHead(201, { "content-length": 0 }).end()
}

await put("small", Buffer.alloc(Number(bytes), "holdfast"))
const server = createServer((request, response) => {
  const handled = request.method === "GET" ? handleGet(response) : handlePost(request, response)
  handled.catch((error: unknown) => response.writeHead(500).end(String(error)))
})
process.on("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ port: typeof address === "object" ? address?.port : undefined })
})
