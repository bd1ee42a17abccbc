import {
  createUploader,
  discardResumable,
  HoldfastError,
  type UploadCall,
  type Uploader,
  type UploaderOptions,
  uploadResumable
} from "@holdfast/client"
import { open } from "@holdfast/core"
import { toNodeListener } from "@holdfast/http"
import { inMemory } from "@holdfast/testing/InMemory"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished, vi } from "vitest"

interface Transfer extends UploadCall {
  readonly file: File
  readonly complete: (result: string) => void
  readonly fail: (error: unknown) => void
}

/** Returns a queue whose transfers end when the test says so. */
const setUp = (options: Pick<UploaderOptions<string>, "backoff" | "discard" | "maxAttempts"> = {}) => {
  const transfers: Array<Transfer> = []
  const uploader = createUploader<string>({
    concurrency: 2,
    ...options,
    upload: (file, call) =>
      new Promise((complete, fail) => {
        transfers.push({ ...call, file, complete, fail })
      })
  })
  const started = (count: number) => expect.poll(() => transfers).toHaveLength(count)
  return { uploader, transfers, started }
}

const files = (...names: ReadonlyArray<string>) => names.map((name) => new File(["12345"], name))
const states = (uploader: Uploader<string>) => uploader.getSnapshot().items.map(({ state }) => state)
const untilStates = (uploader: Uploader<string>, ...expected: ReadonlyArray<string>) =>
  expect.poll(() => states(uploader)).toEqual(expected)

it("uploader: more files than concurrency → starts the next when one completes", async () => {
  const { started, transfers, uploader } = setUp()
  uploader.add(files("a", "b", "c"))
  await started(2)
  expect(states(uploader)).toEqual(["uploading", "uploading", "pending"])
  transfers[0]?.complete("A")
  await started(3)
  expect(transfers[2]?.file.name).toBe("c")
  expect(uploader.getSnapshot().items[0]).toMatchObject({ state: "completed", result: "A", sent: 5 })
})

it("uploader: progress → a new snapshot for subscribers, the same one without a change", async () => {
  const { started, transfers, uploader } = setUp()
  let count = 0
  const stop = uploader.subscribe(() => count++)
  uploader.add(files("a"))
  await started(1)
  const before = uploader.getSnapshot()
  expect(uploader.getSnapshot()).toBe(before)
  const counted = count
  transfers[0]?.onProgress({ sent: 3, total: 5 })
  expect(count).toBe(counted + 1)
  expect(uploader.getSnapshot()).toMatchObject({ sent: 3, total: 5, isActive: true })
  expect(before).toMatchObject({ sent: 0 })
  stop()
  transfers[0]?.onProgress({ sent: 4, total: 5 })
  expect(count).toBe(counted + 1)
})

it("uploader: pause, then resume → aborts the transfer, and sends the file again", async () => {
  const { started, transfers, uploader } = setUp()
  const [id] = uploader.add(files("a", "b", "c"))
  await started(2)
  uploader.pause(id)
  expect(transfers[0]?.signal.aborted).toBe(true)
  transfers[0]?.fail(new Error("aborted"))
  await started(3)
  expect(states(uploader)).toEqual(["paused", "uploading", "uploading"])
  transfers[1]?.complete("B")
  uploader.resume(id)
  await started(4)
  expect(transfers[3]?.file.name).toBe("a")
  transfers[3]?.complete("A")
  transfers[2]?.complete("C")
  await untilStates(uploader, "completed", "completed", "completed")
})

it("uploader: an error that passes → retries after the backoff, up to maxAttempts", async () => {
  const { started, transfers, uploader } = setUp({ backoff: () => 0, maxAttempts: 3 })
  uploader.add(files("a"))
  for (const attempt of [1, 2, 3]) {
    await started(attempt)
    transfers[attempt - 1]?.fail(new HoldfastError("network_error", "no response"))
  }
  await untilStates(uploader, "failed")
  expect(uploader.getSnapshot().items[0]).toMatchObject({ attempts: 3, error: { code: "network_error" } })
  uploader.retry()
  await started(4)
  transfers[3]?.complete("A")
  await untilStates(uploader, "completed")
})

/** Has `navigator.onLine` say that the device is offline, until the test ends. */
const goOffline = () => {
  const device = Object.assign(new EventTarget(), { onLine: false })
  vi.stubGlobal("navigator", device)
  vi.stubGlobal("addEventListener", device.addEventListener.bind(device))
  vi.stubGlobal("removeEventListener", device.removeEventListener.bind(device))
  onTestFinished(() => void vi.unstubAllGlobals())
  return device
}

it("uploader: device is offline → uses up no attempts, and tries again when it is online", async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const device = goOffline()
  const { transfers, uploader } = setUp({ backoff: () => 0, maxAttempts: 2 })
  const [first] = uploader.add(files("a", "b"))
  await vi.advanceTimersByTimeAsync(0)
  for (const transfer of transfers) transfer.fail(new HoldfastError("network_error", "no response"))
  await vi.advanceTimersByTimeAsync(0)
  expect(states(uploader)).toEqual(["pending", "pending"])
  uploader.remove(first)
  // Longer than the attempts of a device with a network would need.
  await vi.advanceTimersByTimeAsync(60_000)
  expect([states(uploader), transfers.length]).toEqual([["pending"], 2])
  device.onLine = true
  device.dispatchEvent(new Event("online"))
  await vi.advanceTimersByTimeAsync(0)
  expect(transfers).toHaveLength(3)
  expect(transfers[2]?.file.name).toBe("b")
  transfers[2]?.complete("B")
  await vi.advanceTimersByTimeAsync(0)
  expect(states(uploader)).toEqual(["completed"])
})

it("uploader: browser says that the device is offline for five minutes → tries again", async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  goOffline()
  const { transfers, uploader } = setUp({ backoff: () => 0 })
  uploader.add(files("a"))
  await vi.advanceTimersByTimeAsync(0)
  transfers[0]?.fail(new HoldfastError("network_error", "no response"))
  await vi.advanceTimersByTimeAsync(299_000)
  expect(transfers).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(2000)
  expect(transfers).toHaveLength(2)
})

it("uploader: remove while another item has begun the same file → discards with the last one, also while it waits", async () => {
  const discarded: Array<string> = []
  const { started, transfers, uploader } = setUp({
    discard: (file): Promise<void> => {
      discarded.push(file.name)
      throw new Error("no link")
    }
  })
  const file = (name: string) => new File(["12345"], name, { lastModified: 1 })
  const [first, second] = uploader.add([file("a"), file("a"), file("b"), file("c")])
  await started(2)
  uploader.remove(first)
  await started(3)
  expect(discarded).toEqual([])
  transfers[1]?.fail(new HoldfastError("content_too_large", "too large"))
  await started(4)
  uploader.retry(second)
  expect(uploader.getSnapshot().items[0]).toMatchObject({ state: "pending", attempts: 0 })
  uploader.remove(second)
  await expect.poll(() => discarded).toEqual(["a"])
})

it("uploader: an error that does not pass → fails at once, and the next file starts", async () => {
  const { started, transfers, uploader } = setUp()
  uploader.add(files("a", "b", "c"))
  await started(2)
  transfers[0]?.fail(new HoldfastError("content_too_large", "too large"))
  await started(3)
  expect(states(uploader)).toEqual(["failed", "uploading", "uploading"])
})

it("uploader: remove while uploading → aborts, and the item is gone", async () => {
  const { started, transfers, uploader } = setUp()
  const [id] = uploader.add(files("a", "b"))
  await started(2)
  uploader.remove(id)
  expect(transfers[0]?.signal.aborted).toBe(true)
  transfers[0]?.complete("A")
  transfers[1]?.complete("B")
  await untilStates(uploader, "completed")
})

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${Object(server.address()).port}`
}

it("uploadResumable: small file, outside of browsers → sends the content by PUT, and the item has the record", async () => {
  const url = await listen((request, response) => {
    void text(request).then((content) =>
      response.end(JSON.stringify({ name: `${request.method} ${request.headers["content-type"]} ${content}` }))
    )
  })
  const addressFor = (file: File) => Promise.resolve(`${url}/${file.name}`)
  const input = { files: [new File(["Hello"], "a.txt", { type: "text/plain" })] }
  const render = vi.fn()

  const uploader = createUploader({
    upload: async (file, call) => uploadResumable(await addressFor(file), file, call),
    discard: async (file) => discardResumable(await addressFor(file), file)
  })
  uploader.subscribe(() => render(uploader.getSnapshot()))
  uploader.add(input.files)

  await expect.poll(() => uploader.getSnapshot().isActive).toBe(false)
  expect(uploader.getSnapshot().items[0]?.result).toEqual({ name: "PUT text/plain Hello" })
  expect(render).toHaveBeenLastCalledWith(uploader.getSnapshot())
})

it("uploadResumable: whole, in parts, or in parts with the last answer lost → the same record as the list has", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const account = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId, name: "files" })
  const api = toNodeListener(holdfast)
  let [requests, lost] = [0, 0]
  const baseUrl = await listen((request, response) => {
    requests++
    // The service completes the upload, and the connection is cut before its answer.
    const isCut = request.headers["upload-offset"] === "80" && lost-- > 0
    if (isCut) response.writeHead = () => response.destroy()
    void api(request, response)
  })

  const upload = async (name: string, threshold: number) => {
    const file = new File(["x".repeat(100)], name, { type: "text/plain" })
    const terms = { maxBytes: 100, expiresIn: 60, baseUrl }
    const { url } = await holdfast.files.uploadUrl(account, { tenantId, bucketId, ...terms })
    requests = 0
    const result = await uploadResumable(`${url}&name=${name}`, file, { threshold, chunkBytes: 40, backoff: () => 1 })
    return { result, requests }
  }

  const small = await upload("a.txt", 100)
  const large = await upload("b.txt", 10)
  lost = 1
  const repeated = await upload("c.txt", 10)
  const { items } = await holdfast.files.list(account, { tenantId, bucketId })
  // The checksum of a content of several parts is computed afterwards.
  const toRecords = (files: ReadonlyArray<object>): unknown =>
    JSON.parse(JSON.stringify(files, (key, value: unknown) => (key === "checksum" ? undefined : value)))
  expect(toRecords([small, large, repeated].map(({ result }) => result))).toEqual(toRecords(items))
  // Creation and three parts; a cut costs a request for the offset and one for the record.
  expect([small.requests, large.requests, repeated.requests]).toEqual([1, 4, 6])
})

it("uploader: remove in the middle of a large file → the service has no upload of it any more; after a pause, too", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const account = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const bucket = { tenantId, bucketId: (await holdfast.buckets.create(account, { tenantId, name: "files" })).id }
  const api = toNodeListener(holdfast)
  const baseUrl = await listen((request, response) => {
    // The second part does not arrive.
    if (request.headers["upload-offset"] !== "40") void api(request, response)
  })
  const addressFor = async (file: File) =>
    `${(await holdfast.files.uploadUrl(account, { ...bucket, maxBytes: 100, expiresIn: 60, baseUrl })).url}&name=${file.name}`
  const uploader = createUploader({
    upload: async (file, call) =>
      uploadResumable(await addressFor(file), file, { ...call, threshold: 10, chunkBytes: 40 }),
    discard: async (file) => discardResumable(await addressFor(file), file)
  })
  const received = async () => (await holdfast.uploads.list(account, bucket)).items.map((upload) => upload.received)

  const [first, second] = uploader.add([new File(["x".repeat(100)], "a.txt"), new File(["y".repeat(100)], "b.txt")])
  await expect.poll(received).toEqual([40, 40])
  uploader.pause(second)
  uploader.remove(first)
  await expect.poll(received).toEqual([40])
  uploader.remove(second)
  await expect.poll(received).toEqual([])
})

it("uploadResumable: another tab discards the upload of the same file meanwhile → sends the file by a new upload", async () => {
  const holdfast = await open(inMemory())
  onTestFinished(() => holdfast.close())
  const account = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(account, { name: "Acme", subdomain: "acme" })
  const { id: bucketId } = await holdfast.buckets.create(account, { tenantId, name: "files" })
  const api = toNodeListener(holdfast)
  const file = new File(["x".repeat(100)], "a.txt")
  let isDiscarded = false
  const baseUrl = await listen((request, response) => {
    if (request.headers["upload-offset"] !== "40" || isDiscarded) return void api(request, response)
    isDiscarded = true
    void discardResumable(url, file).then(() => api(request, response))
  })
  const link = await holdfast.files.uploadUrl(account, { tenantId, bucketId, maxBytes: 100, expiresIn: 60, baseUrl })
  const url = `${link.url}&name=a.txt`
  const record = await uploadResumable(url, file, { threshold: 10, chunkBytes: 40 })
  expect((await holdfast.files.list(account, { tenantId, bucketId })).items.map(({ id }) => id)).toEqual([record.id])
  expect((await holdfast.uploads.list(account, { tenantId, bucketId })).items).toEqual([])
})

it("uploader: a subscriber pauses all when the first of several starts → no other starts", async () => {
  const { transfers, uploader } = setUp()
  uploader.subscribe(() => {
    if (states(uploader).includes("uploading")) uploader.pause()
  })
  uploader.add(files("a", "b", "c"))
  expect(states(uploader)).toEqual(["paused", "paused", "paused"])
  await expect.poll(() => transfers).toHaveLength(1)
  expect(transfers[0]?.signal.aborted).toBe(true)
})

it("uploader: a subscriber adds a file when the first of several starts → each starts once, within the concurrency", async () => {
  const { started, transfers, uploader } = setUp()
  let isAdded = false
  uploader.subscribe(() => {
    if (isAdded || !states(uploader).includes("uploading")) return
    isAdded = true
    uploader.add(files("d"))
  })
  uploader.add(files("a", "b", "c"))
  await started(2)
  expect(transfers.map(({ file }) => file.name).toSorted()).toEqual(["a", "b"])
  expect(uploader.getSnapshot().items.map(({ attempts }) => attempts)).toEqual([1, 1, 0, 0])
})
