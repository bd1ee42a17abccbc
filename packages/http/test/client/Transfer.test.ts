import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ContentSource, createClient, type Progress } from "../../src/client/index.ts"
import * as Support from "./support.ts"
import * as FakeXhr from "./FakeXhr.ts"

const size = 700_000
const bytes = new Uint8Array(size).map((_, i) => (i * 7) % 256)

const sources: Readonly<Record<string, () => ContentSource>> = {
  bytes: () => bytes,
  "an ArrayBuffer": () => bytes.buffer,
  "a Blob": () => new Blob([bytes]),
  "a web stream": () => new Blob([bytes]).stream(),
  "a Node stream": () => Readable.from([bytes.subarray(0, 300_000), bytes.subarray(300_000)]),
  "bytes in shared memory": () => {
    const shared = new Uint8Array(new SharedArrayBuffer(size))
    shared.set(bytes)
    return shared
  },
  "an iterable, no stream": () => [bytes.subarray(0, 300_000), bytes.subarray(300_000)]
}

describe.each(Object.keys(sources))("upload and reupload of %s", (kind) => {
  const content = (): ContentSource => sources[kind]?.() ?? ""

  it("with and without onProgress → the same bytes are read, progress reaches the size", async () => {
    const { client, ref } = await Support.setUp()
    const seen: Array<Progress> = []
    const onProgress = (progress: Progress) => void seen.push(progress)
    const file = await client.files.upload({ ...ref, name: 'ä"b.png', content: content() }, { onProgress })
    expect([file.name, file.contentType]).toEqual(['ä"b.png', "image/png"])
    expect(seen.at(-1)?.sent).toBe(size)
    expect(seen.map(({ sent }) => sent)).toEqual(seen.map(({ sent }) => sent).toSorted((a, b) => a - b))
    expect(seen.at(-1)?.total).toBe(kind.includes("stream") ? undefined : size)

    const fileRef = { ...ref, fileId: file.id }
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    const again = await client.files.reupload({
      ...fileRef,
      content: content(),
      contentType: "image/gif",
      sha256,
      ifMatch: file.etag ?? ""
    })
    expect([again.version, again.contentType, again.checksum?.sha256]).toEqual([2, "image/gif", sha256])
    const whole = await client.files.read(fileRef)
    expect(Buffer.compare(await whole.bytes(), bytes)).toBe(0)
    const plain = await client.files.upload({ ...ref, name: "plain.png", content: content() })
    expect(plain.checksum?.sha256).toBe(sha256)
  })
})

it("read, download, url: range, suffix, whole content → the bytes asked for", async () => {
  const { client, key, ref } = await Support.setUp()
  const { id } = await client.files.upload({ ...ref, name: "a.txt", content: "Hello, wörld" })
  const file = { ...ref, fileId: id }
  const part = await client.files.read({ ...file, range: { offset: 1, length: 3 } })
  expect([part.response().status, part.length, part.size, await part.text()]).toEqual([206, 3, 13, "ell"])
  expect(await (await client.files.read({ ...file, range: { offset: 7 } })).text()).toBe("wörld")
  expect(await (await client.files.download({ ...file, range: { suffix: 2 } })).text()).toBe("ld")
  const received: Array<Uint8Array> = []
  for await (const chunk of (await client.files.read(file)).stream()) received.push(chunk)
  expect(Buffer.concat(received).toString()).toBe("Hello, wörld")
  const byUrl = await fetch(client.files.url(file), { headers: { "x-api-key": key } })
  expect(await byUrl.text()).toBe("Hello, wörld")
})

it("upload: signal fires or source fails midway → aborted or source_failed, nothing stored", async () => {
  const { client, listBlobs, ref } = await Support.setUp()
  const abort = new AbortController()
  async function* endless() {
    for (;;) {
      yield new Uint8Array(65_536)
      if (listBlobs().length > 0) abort.abort()
    }
  }
  const aborted = client.files.upload({ ...ref, name: "a", content: endless() }, { signal: abort.signal })
  await expect(aborted).rejects.toMatchObject({ code: "aborted" })

  const cause = new Error("disk")
  async function* failing() {
    yield new Uint8Array(65_536)
    throw cause
  }
  const failed = client.files.upload({ ...ref, name: "b", content: failing() })
  await expect(failed).rejects.toMatchObject({ code: "source_failed", cause })
  await expect.poll(listBlobs).toEqual([])
  expect((await client.files.list(ref)).items).toEqual([])
})

it("upload: sha256 or length of other bytes → checksum_mismatch or length_mismatch", async () => {
  const { client, ref } = await Support.setUp()
  const sha256 = createHash("sha256").update("other").digest("hex")
  const refused = client.files.upload({ ...ref, name: "a", content: "Hello", sha256 })
  await expect(refused).rejects.toMatchObject({ code: "checksum_mismatch", status: 400 })
  for (const length of [4, 6]) {
    for (const content of ["Hello", ["Hel", "lo"]]) {
      const other = client.files.upload({ ...ref, name: "a", content, length })
      await expect(other).rejects.toMatchObject({ code: "length_mismatch" })
    }
  }
  expect((await client.files.list(ref)).items).toEqual([])
  const seen: Array<Progress> = []
  const onProgress = (progress: Progress) => void seen.push(progress)
  await client.files.upload({ ...ref, name: "a", content: ["Hel", "lo"], length: 5 }, { onProgress })
  expect(seen.at(-1)).toEqual({ sent: 5, total: 5 })
})

describe("upload where XMLHttpRequest exists", () => {
  const install = () => {
    Reflect.set(globalThis, "XMLHttpRequest", FakeXhr.FakeXhr)
    onTestFinished(() => void Reflect.deleteProperty(globalThis, "XMLHttpRequest"))
    FakeXhr.calls.length = 0
  }

  it("onProgress → form and body are sent by XMLHttpRequest, with progress and errors", async () => {
    const { client, ref } = await Support.setUp()
    install()
    const seen: Array<Progress> = []
    const onProgress = (progress: Progress) => void seen.push(progress)
    const content = new Blob([bytes], { type: "image/png" })
    const file = await client.files.upload({ ...ref, name: "a.png", content }, { onProgress })
    expect([seen[0]?.sent, seen.at(-1)]).toEqual([0, { sent: size, total: size }])
    seen.length = 0
    await client.files.reupload({ ...ref, fileId: file.id, content }, { onProgress })
    expect(seen.at(-1)).toEqual({ sent: size, total: size })
    expect(FakeXhr.calls).toHaveLength(2)
    expect((await (await client.files.read({ ...ref, fileId: file.id })).bytes()).length).toBe(size)
    const refused = client.files.upload({ ...ref, name: "a.png", content }, { onProgress })
    await expect(refused).rejects.toMatchObject({ code: "file_exists", existingId: file.id })
  })

  it("signal fires → aborted, no service → network_error", async () => {
    const { client, ref } = await Support.setUp()
    install()
    const abort = new AbortController()
    const onProgress = () => abort.abort()
    const aborted = client.files.upload({ ...ref, name: "a", content: "Hello" }, { onProgress, signal: abort.signal })
    await expect(aborted).rejects.toMatchObject({ code: "aborted" })
    const nowhere = createClient({ url: "http://127.0.0.1:1" })
    const lost = nowhere.files.upload({ ...ref, name: "a", content: "Hello" }, { onProgress: () => undefined })
    await expect(lost).rejects.toMatchObject({ code: "network_error" })
  })
})
