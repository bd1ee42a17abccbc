/**
 * `upload-parts <directory>`: uploads files in parts, by the library and over S3, and prints a line for each step that it requests or
 * that is acknowledged. Never ends.
 */
import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { toS3Handler } from "@holdfast/http"
import { sqlite } from "@holdfast/sqlite"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"
import { type Client, type Line, partOf, partsOfFile } from "../faults/parts/PartLedger.ts"
import * as Sign from "../s3/Sign.ts"

const directory = process.argv[2] ?? ""

const holdfast = await open({
  metadata: sqlite({ file: Path.join(directory, "app.sqlite") }),
  blobs: fs({ directory: Path.join(directory, "files") }),
  secretKey: new Uint8Array(32).fill(1),
  // Often, so that the process is also killed while a sweep removes the parts of ended uploads.
  sweepEvery: "100 millis"
})
const system = holdfast.system()
const owner = holdfast.account("ada@example.com")
const { items } = await holdfast.tenants.list(system)
const { id: tenantId } = items[0] ?? (await holdfast.tenants.create(owner, { name: "Acme", subdomain: "acme" }))
const buckets = await holdfast.buckets.list(system, { tenantId })
const { id: bucketId } = buckets.items[0] ?? (await holdfast.buckets.create(system, { tenantId, name: "media" }))
const bucket = { tenantId, bucketId }

/** The requests of an upload, in one way. */
interface Steps {
  /** Returns the id of the upload. */
  readonly create: (name: string) => Promise<string>
  readonly send: (number: number) => Promise<void>
  /** Returns the id of the file, if the answer has it. */
  readonly complete: () => Promise<string | undefined>
  readonly abort: () => Promise<void>
}

const byLibrary = (mode: "APPEND" | "PARTS"): Steps => {
  let ref = { ...bucket, uploadId: "" }
  let offset = 0
  return {
    create: async (name) => {
      const { id: uploadId } = await holdfast.files.createUpload(system, { ...bucket, name, mode })
      ref = { ...bucket, uploadId }
      return uploadId
    },
    send: async (number) => {
      const content = partOf(mode, number)
      const { length } = content
      await (mode === "PARTS"
        ? holdfast.uploads.putPart(system, { ...ref, number, content })
        : holdfast.uploads.append(system, { ...ref, offset, content }))
      offset += length
    },
    complete: async () => (await holdfast.uploads.complete(system, ref)).id,
    abort: () => holdfast.uploads.abort(system, ref)
  }
}

const makeCredentials = async () => {
  const members = await holdfast.members.list(owner, { tenantId })
  const member = { id: members.items[0]?.id ?? "" }
  const { id: tokenId } = await holdfast.tokens.create(owner, { tenantId, name: "s3", member })
  return holdfast.tokens.createS3Credentials(owner, { tenantId, tokenId })
}

const credentials = await makeCredentials()
const server = createServer(toS3Handler(holdfast))
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const { port } = server.address() as AddressInfo

const overS3 = (): Steps => {
  let [object, uploadId] = ["", ""]
  const tags: Array<string> = []
  const call = async (method: string, query: string, body: Uint8Array<ArrayBuffer> | string | null = null) => {
    const { headers, url } = Sign.sign(`${object}?${query}`, credentials, { method })
    const answer = await fetch(url, { method, headers, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${query}: ${answer.status} ${text}`)
    return { text, tag: answer.headers.get("etag") ?? "" }
  }
  return {
    create: async (name) => {
      object = `http://127.0.0.1:${port}/media/${name}`
      const { text } = await call("POST", "uploads=")
      uploadId = /<UploadId>(.*)<\/UploadId>/.exec(text)?.[1] ?? ""
      return uploadId
    },
    send: async (number) => {
      const query = `partNumber=${number}&uploadId=${uploadId}`
      const { tag } = await call("PUT", query, partOf("S3", number))
      tags[number] = tag
      // A client that misses an answer sends the part again: the new one replaces the stored one.
      if (number === partsOfFile.S3) await call("PUT", query, partOf("S3", number))
    },
    complete: async () => {
      const parts = tags.map((tag, number) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`)
      const list = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`
      await call("POST", `uploadId=${uploadId}`, list)
      return undefined
    },
    abort: async () => void (await call("DELETE", `uploadId=${uploadId}`))
  }
}

const uploadFile = async (client: Client, end: "complete" | "abort") => {
  const steps = client === "S3" ? overS3() : byLibrary(client)
  const ref = { ...bucket, uploadId: await steps.create(`${process.hrtime.bigint()}.bin`) }
  const print = (line: Pick<Line, "parts" | "state" | "fileId">) => {
    const fields: Line = { ...ref, ...line, client, at: performance.timeOrigin + performance.now() }
    // Written at once: a killed process prints nothing that is still buffered.
    Fs.writeSync(1, `${JSON.stringify(fields)}\n`)
  }
  const parts = partsOfFile[client]
  for (let number = 1; number <= parts; number++) {
    await steps.send(number)
    print({ parts: number, state: "open" })
  }
  print({ parts, state: end === "complete" ? "completing" : "aborting" })
  if (end === "abort") {
    await steps.abort()
    return print({ parts: 0, state: "aborted" })
  }
  const fileId = await steps.complete()
  print({ parts, state: "completed", ...(fileId === undefined ? {} : { fileId }) })
}

while (true) {
  for (const end of ["complete", "abort"] as const) {
    for (const client of ["APPEND", "PARTS", "S3"] as const) await uploadFile(client, end)
  }
}
