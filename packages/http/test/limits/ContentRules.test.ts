/**
 * What a bucket accepts: `maxFileBytes` and `allowedTypes`.
 */
import { connect } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { describeEach } from "../support/EachDatabase.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import type * as TestServer from "../support/TestServer.ts"

interface Rules {
  readonly maxFileBytes?: number | null
  readonly allowedTypes?: ReadonlyArray<string> | null
}

const png = new Uint8Array(8200)
png.set(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))

/** Creates a bucket with these rules. Returns its path and the requests of its files. */
const makeBucket = async (server: TestServer.TestServer, rules: Rules) => {
  const { tenantId } = await server.makeTenant()
  const created = await server.post(`/tenants/${tenantId}/buckets`, { json: { name: "b", ...rules } })
  const { id, ...record } = await json<{ readonly id: string } & Rules>(created)
  const path = `/tenants/${tenantId}/buckets/${id}`
  const upload = (name: string, content: string | Uint8Array<ArrayBuffer>, type = "") => {
    const body = new FormData()
    body.append("body", JSON.stringify({ name }))
    body.append("file", new Blob([content], { type }), name)
    return server.post(`${path}/files/upload`, { body })
  }
  const reserve = async (name: string) =>
    `${path}/files/${(await json<{ readonly id: string }>(await server.post(`${path}/files`, { json: { name } }))).id}`
  const fill = (file: string, body: NonNullable<RequestInit["body"]>, type?: string) =>
    server.post(`${file}/reupload`, { body, headers: type === undefined ? {} : { "content-type": type } })
  const names = async () =>
    (
      await json<{ readonly items: ReadonlyArray<{ readonly name: string }> }>(await server.get(`${path}/files`))
    ).items.map(({ name }) => name)
  return { path, record, upload, reserve, fill, names }
}

/** A body without a declared length. */
const chunked = (bytes: Uint8Array): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes)
      controller.close()
    }
  })

describeEach("bucket rules", (current) => {
  it("create, update, clear → in the record; faults name the field", async () => {
    const server = current()
    const rules = { maxFileBytes: 10, allowedTypes: ["image/*", "application/vnd.ms-excel"] }
    const { path, record } = await makeBucket(server, rules)
    expect(record).toMatchObject(rules)
    const update = (change: object) => server.patch(path, { json: change })
    expect(await json(await update({ name: "c" }))).toMatchObject({ name: "c", ...rules })
    expect(await json(await update({ maxFileBytes: null }))).toMatchObject({ ...rules, maxFileBytes: null })
    expect(await json(await update({ allowedTypes: null }))).toMatchObject({ maxFileBytes: null, allowedTypes: null })
    expect(await json(await server.get(path))).toMatchObject({ name: "c", maxFileBytes: null, allowedTypes: null })
    const faults = async (change: object) => pointers(await expectProblem(await update(change), 400, "invalid_request"))
    expect(await faults({ maxFileBytes: 0, allowedTypes: ["image"] })).toEqual(["/allowedTypes/0", "/maxFileBytes"])
    expect(await faults({ maxFileBytes: 1.5, allowedTypes: [] })).toEqual(["/allowedTypes", "/maxFileBytes"])
    expect(await faults({ allowedTypes: Array.from({ length: 65 }, () => "image/*") })).toEqual(["/allowedTypes"])
    expect(await faults({ allowedTypes: ["image/png; q=1", "*/*", "a/b/c"] })).toHaveLength(3)
  })

  it("maxFileBytes: content of the limit → stored; one byte more → 413, whether the length is declared or not", async () => {
    const bucket = await makeBucket(current(), { maxFileBytes: 5 })
    expect((await bucket.upload("a.txt", "12345")).status).toBe(201)
    const problem = await expectProblem(await bucket.upload("b.txt", "123456"), 413, "content_too_large")
    expect(problem.detail).toContain("5 bytes, the maxFileBytes of its bucket")
    const file = await bucket.reserve("c.txt")
    await expectProblem(await bucket.fill(file, "123456"), 413, "content_too_large")
    await expectProblem(await bucket.fill(file, chunked(Buffer.from("123456"))), 413, "content_too_large")
    expect((await bucket.fill(file, chunked(Buffer.from("12345")))).status).toBe(200)
    expect(await bucket.names()).toEqual(["a.txt", "c.txt"])
  })

  it("allowedTypes: declared or detected type of the file → stored if allowed, else 415", async () => {
    const bucket = await makeBucket(current(), { allowedTypes: ["image/*", "Text/CSV"] })
    expect((await bucket.upload("a.png", png)).status).toBe(201)
    expect((await bucket.upload("b.png", png, "application/octet-stream")).status).toBe(201)
    expect((await bucket.upload("c.bin", "1,2", "text/csv; charset=utf-16")).status).toBe(201)
    expect((await bucket.upload("d.csv", "1,2")).status).toBe(201)
    const problem = await expectProblem(await bucket.upload("e.html", "<html>"), 415, "unsupported_media_type")
    expect(problem.detail).toContain("text/html")
    expect(problem.detail).toContain("allowedTypes are image/*, Text/CSV")
    // A page with the name of a picture is detected as a page; so is one that is longer than what detection reads.
    await expectProblem(await bucket.upload("f.png", "<html>"), 415, "unsupported_media_type")
    await expectProblem(await bucket.upload("g.png", `<html>${" ".repeat(9000)}`), 415, "unsupported_media_type")
    await expectProblem(await bucket.upload("h.png", png, "imagery/png"), 415, "unsupported_media_type")
    const file = await bucket.reserve("i.csv")
    await expectProblem(await bucket.fill(file, "1,2", "text/plain"), 415, "unsupported_media_type")
    await expectProblem(await bucket.fill(file, chunked(Buffer.from("%PDF-"))), 415, "unsupported_media_type")
    expect((await bucket.fill(file, "1,2", "application/octet-stream")).status).toBe(200)
    expect(await bucket.names()).toEqual(["a.png", "b.png", "c.bin", "d.csv", "i.csv"])
  })

  it("rules set later → files stay, and their next contents are checked", async () => {
    const server = current()
    const bucket = await makeBucket(server, {})
    const file = `${bucket.path}/files/${(await json<{ readonly id: string }>(await bucket.upload("a.txt", "12345"))).id}`
    await server.patch(bucket.path, { json: { maxFileBytes: 2, allowedTypes: ["image/png"] } })
    expect((await server.get(`${file}/view`)).status).toBe(200)
    await expectProblem(await bucket.fill(file, "12", "text/plain"), 415, "unsupported_media_type")
    await expectProblem(await bucket.fill(file, "123", "image/png"), 413, "content_too_large")
    expect((await bucket.fill(file, "12", "image/png")).status).toBe(200)
  })

  describe("a client that waits for 100 Continue", () => {
    const sockets: Array<ReturnType<typeof connect>> = []
    afterAll(() => sockets.forEach((socket) => socket.destroy()))

    it.each([
      ["a declared length above maxFileBytes", "Content-Length: 6\r\n", "413"],
      ["a declared type that is not allowed", "Content-Length: 1\r\nContent-Type: text/html\r\n", "415"]
    ])("%s → refused before the body", async (_, headers, status) => {
      const server = current()
      const bucket = await makeBucket(server, { maxFileBytes: 5, allowedTypes: ["text/plain"] })
      const file = await bucket.reserve("a.txt")
      const url = new URL(server.baseUrl)
      const socket = connect(Number(url.port), url.hostname)
      sockets.push(socket)
      socket.write(
        `POST ${url.pathname}${file}/reupload HTTP/1.1\r\nHost: ${url.host}\r\nX-Api-Key: ${server.rootKey}\r\n` +
          `Expect: 100-continue\r\n${headers}\r\n`
      )
      const first = await new Promise<Buffer>((resolve) => void socket.once("data", resolve))
      expect(first.toString("latin1")).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    })
  })
})
