/**
 * The least that a server does whose contents are in an object store: node:http and the SDK. It knows no key and no database, and
 * stops with the process that started it.
 *
 *     GET  /object             the object `small`, as it comes
 *     POST /object             stores the body under a name of its own, with its MD5
 */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Sdk from "./Sdk.ts"

const [gateway, Bucket = "", bytes = "0"] = process.argv.slice(2)
const { client, sdk } = await Sdk.load(gateway)

const put = (Key: string, Body: Buffer) => {
  const ContentMD5 = createHash("md5").update(Body).digest("base64")
  return client.send(new sdk.PutObjectCommand({ Bucket, Key, Body, ContentMD5 }))
}

const get = async (response: ServerResponse): Promise<void> => {
  const { Body, ContentLength } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: "small" }))
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": ContentLength })
  Body?.pipe(response)
}

const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  await put(randomUUID(), Buffer.concat(chunks))
  response.writeHead(201, { "content-length": 0 }).end()
}

await put("small", Buffer.alloc(Number(bytes), "holdfast"))
const server = createServer((request, response) => {
  const answered = request.method === "GET" ? get(response) : post(request, response)
  answered.catch((error: unknown) => response.writeHead(500).end(String(error)))
})
process.on("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ port: typeof address === "object" ? address?.port : undefined })
})
