import { open } from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { uploadFile } from "../src/resume-upload.ts"

it("upload that was stopped at half of the file → continues there, file is right, no open upload is left", async () => {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "resume-upload-"))
  onTestFinished(() => Fs.rmSync(directory, { recursive: true, force: true }))
  const bytes = randomBytes(1_000_000)
  const local = Path.join(directory, "video.mp4")
  Fs.writeFileSync(local, bytes)
  await using holdfast = await open({
    metadata: sqlite({ file: ":memory:" }),
    blobs: fs({ directory: Path.join(directory, "files") })
  })
  const ada = holdfast.account("ada@example.com")
  const tenant = await holdfast.tenants.create(ada, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(ada, { tenantId: tenant.id, name: "media" })
  const bucket = { tenantId: tenant.id, bucketId }

  const upload = await holdfast.files.createUpload(ada, { ...bucket, name: "video.mp4", length: bytes.length })
  const half = bytes.subarray(0, 500_000)
  await holdfast.uploads.append(ada, { ...bucket, uploadId: upload.id, offset: 0, content: half })

  const file = await uploadFile(holdfast, ada, bucket, local)
  const download = await holdfast.files.read(ada, { ...bucket, fileId: file.id })
  const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex")
  expect(sha256(await download.bytes())).toBe(sha256(bytes))
  expect((await holdfast.uploads.list(ada, bucket)).items).toEqual([])
  expect((await holdfast.files.list(ada, bucket)).items.map(({ id }) => id)).toEqual([file.id])
})
