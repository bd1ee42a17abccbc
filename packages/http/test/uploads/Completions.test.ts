/**
 * Completions of one upload at the same time, and what holders of links leave to the members of a tenant.
 */
import * as Actor from "@holdfast/core/Actor"
import { maxOfLink, maxOpenUploads, ResumableUploads } from "@holdfast/core/uploads/ResumableUploads"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Tus from "./Tus.ts"

const bytes = new Uint8Array([1, 2])
const ofLength = (length: number): Tus.Headers => ({ "upload-length": String(length) })

describe("completion of a resumable upload", () => {
  let server: TestServer.TestServer
  let base: string
  let bucket: Tus.Bucket
  let tus: Tus.Tus
  /** Runs once, while a completion waits for its hook. */
  let meanwhile: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const before = () =>
      Effect.promise(async () => {
        const run = meanwhile
        meanwhile = undefined
        await run?.()
      })
    server = await TestServer.start({ hooks: { onUpload: { before } } })
    bucket = await server.makeBucket()
    base = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}`
    tus = Tus.make(server, bucket)
  })
  afterAll(() => server.close())

  const makeShare = async () => {
    const terms = { name: "inbox", path: "/inbox/", may: ["upload"], maxFiles: 5 }
    const answer = await server.post(`${base}/shares`, { json: terms })
    const { id, token } = await json<{ id: string; token: string }>(answer)
    return { id, holder: { key: null, query: { apiKey: token } } }
  }

  it("HEAD completes the upload while the last PATCH does → both name one file, a share counts it once", async () => {
    const share = await makeShare()
    for (const holder of [{}, share.holder]) {
      const path = await tus.create({ filename: "once" }, ofLength(2), holder)
      let named: string | null = null
      meanwhile = async () => {
        named = (await tus.head(path, holder)).headers.get("holdfast-file-id")
      }
      const last = await tus.patch(path, 0, bytes, holder)
      expect([last.status, last.headers.get("holdfast-file-id")]).toEqual([204, named])
      expect(named).toMatch(/^fil_/)
    }
    const counted = await json(await server.get(`${base}/shares/${share.id}`))
    expect(counted).toMatchObject({ uploadedFiles: 1, uploadedBytes: 2 })
  })

  const linkOf = (path: string) =>
    server
      .run(
        Effect.flatMap(ResumableUploads, ({ get }) =>
          get(Actor.system, { ...bucket, uploadId: path.replace(/.*\//, "") })
        )
      )
      .then(({ terms }) => terms.link ?? "")

  const openMany = (count: number, links: ReadonlyArray<string>, client?: string) => {
    const createOne = (_: unknown, index: number) => {
      const link = links[index % links.length]
      return Effect.flatMap(ResumableUploads, ({ create }) =>
        create(Actor.system, bucket, { name: `open-${randomUUID()}` }, { link, client })
      )
    }
    return server.run(Effect.forEach(Array.from({ length: count }), createOne, { concurrency: 8, discard: true }))
  }

  it("share has as many open uploads as it may → 403, also after bytes of each; another share and an API key create one", async () => {
    const { holder } = await makeShare()
    const path = await tus.create({ filename: "first" }, ofLength(2), holder)
    await tus.patch(path, 0, bytes.slice(0, 1), holder)
    await openMany(maxOfLink - 1, [await linkOf(path)])
    const refused = await tus.post({ filename: "more" }, ofLength(2), holder)
    await expectProblem(refused, 403, "quota_exceeded")
    await tus.create({ filename: "of another share" }, ofLength(2), (await makeShare()).holder)
    await tus.create({ filename: "of a member" }, ofLength(2))
  })

  it("address has half of the open uploads of a share → 403; other addresses of the share create more", async () => {
    const { holder } = await makeShare()
    const link = await linkOf(await tus.create({ filename: "first" }, ofLength(2), holder))
    await openMany(maxOfLink / 2, [link], "203.0.113.7")
    const post = (localAddress: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = `/api/v1${tus.uploads}?apiKey=${holder.query.apiKey}`
        const headers = { ...Tus.resumable, ...ofLength(2), "upload-metadata": Tus.pairs({ filename: localAddress }) }
        const { hostname, port } = new URL(server.url)
        request({ hostname, port, localAddress, path, method: "POST", headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on("error", reject)
          .end()
      })
    expect(await post("127.0.0.2")).toBe(201)
    await openMany(maxOfLink / 4 - 1, [link], "127.0.0.2")
    expect([await post("127.0.0.2"), await post("127.0.0.3")]).toEqual([403, 201])
  })

  it("links have as many open uploads as they may → 403 for a link; an API key creates another one", async () => {
    const { holder } = await makeShare()
    const open = (await json<{ items: ReadonlyArray<object> }>(await server.get(`${tus.uploads}?limit=1000`))).items
      .length
    await openMany(maxOpenUploads * 0.9 - open, ["one", "two", "three", "four", "five"])
    await expectProblem(await tus.post({ filename: "more" }, ofLength(2), holder), 403, "quota_exceeded")
    await tus.create({ filename: "of a member" }, ofLength(2))
  })
})
