import { S3Client } from "@aws-sdk/client-s3"
import { open } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import { createClient } from "@holdfast/http/client"
import { inMemory } from "@holdfast/testing/InMemory"
import * as Fs from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { importFiles } from "../src/Import.ts"
import { fromDirectory, fromS3 } from "../src/Sources.ts"

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once("listening", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A service with an empty bucket. */
const start = async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const { key: apiKey } = await holdfast.keys.create(holdfast.system(), { email: "ada@example.com", name: "ada" })
  const client = createClient({ url: await listen(toNodeListener(holdfast)), apiKey })
  const { id: tenantId } = await client.tenants.create({ name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await client.buckets.create({ tenantId, name: "docs" })
  const bucket = { tenantId, bucketId }
  const filesIn = async () => (await client.files.list({ ...bucket, recursive: true })).items
  return { client, bucket, filesIn }
}

it("directory: imported twice, once with a new file → each file once, in its folder", async () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-example-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  Fs.mkdirSync(Path.join(directory, "2026/summer"), { recursive: true })
  Fs.writeFileSync(Path.join(directory, "2026/summer/cat.txt"), "cat")
  const { bucket, client, filesIn } = await start()
  const result = await importFiles({ client, bucket, source: fromDirectory(directory) })
  expect(result).toEqual({ copied: 1, present: 0, failed: [] })
  Fs.writeFileSync(Path.join(directory, "a.txt"), "a")
  const second = await importFiles({ client, bucket, source: fromDirectory(directory) })
  expect(second).toEqual({ copied: 1, present: 1, failed: [] })
  const files = await filesIn()
  expect(files.map(({ name, path }) => path + name).toSorted()).toEqual(["/2026/summer/cat.txt", "/a.txt"])
})

/** The two operations of the S3 protocol that the import uses. */
const s3 =
  (objects: ReadonlyMap<string, string>): RequestListener =>
  ({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost")
    if (searchParams.has("list-type")) {
      const contents = [...objects.keys()].map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")
      response.setHeader("content-type", "application/xml").end(`<ListBucketResult>${contents}</ListBucketResult>`)
      return
    }
    response
      .setHeader("content-type", "text/x-note")
      .setHeader("x-amz-meta-camera", "X100")
      .end(objects.get(decodeURIComponent(pathname.slice("/photos/".length))))
  }

it("S3: folder marker, long name, object with metadata → object copied with type and metadata, long name listed", async () => {
  const long = "x".repeat(300)
  const endpoint = await listen(
    s3(
      new Map([
        ["2026/", ""],
        ["2026/a é.txt", "hello"],
        [long, "long"]
      ])
    )
  )
  const source = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "key", secretAccessKey: "secret" }
  })
  onTestFinished(() => source.destroy())
  const { bucket, client, filesIn } = await start()
  const result = await importFiles({ client, bucket, source: fromS3(source, "photos") })
  expect(result).toEqual({ copied: 1, present: 0, failed: [{ key: long, reason: expect.stringContaining("name") }] })
  const [file, ...others] = await filesIn()
  expect(others).toEqual([])
  expect(file).toMatchObject({
    path: "/2026/",
    name: "a é.txt",
    contentType: "text/x-note",
    metadata: { camera: "X100" }
  })
  const read = await client.files.read({ ...bucket, fileId: file?.id ?? "" })
  expect(await read.text()).toBe("hello")
})

it("key is not valid → the import ends at once", async () => {
  const { bucket, client } = await start()
  const url = new URL(client.files.url({ ...bucket, fileId: "x" })).origin
  const stranger = createClient({ url, apiKey: `hf_${"x".repeat(49)}` })
  const source = fromDirectory(import.meta.dirname)
  await expect(importFiles({ client: stranger, bucket, source })).rejects.toMatchObject({ code: "unauthenticated" })
})
