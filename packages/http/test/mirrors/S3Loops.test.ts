/**
 * Tests of mirrors to buckets of the service's own S3 API, whose copies could come back to where they came from.
 */
import { CopyObjectCommand } from "@aws-sdk/client-s3"
import { expect, it } from "vitest"
import * as S3Server from "../s3/S3Server.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

const start = () => MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })

/** A bucket that S3 clients may use. */
interface S3Bucket extends MirrorRequests.BucketApi {
  readonly name: string
  readonly endpoint: string
  readonly credentials: S3Server.Credentials
}

const makeBucket = async (
  { api, service, tenantId }: MirrorRequests.Started,
  credentials: S3Server.Credentials,
  name: string
): Promise<S3Bucket> => {
  const created = await api.post(`/tenants/${tenantId}/buckets`, { json: { name } })
  const bucket = MirrorRequests.fromIds(api, { tenantId, bucketId: (await json<{ readonly id: string }>(created)).id })
  return { ...bucket, name, endpoint: `${service.url}/s3`, credentials }
}

const makeBuckets = async (started: MirrorRequests.Started, ...names: ReadonlyArray<string>) => {
  const { accessKeyId, secretAccessKey } = await S3Server.makeToken(started.api, started.tenantId)
  const credentials = { accessKeyId, secretAccessKey }
  return Promise.all(names.map((name) => makeBucket(started, credentials, name)))
}

const link = (from: MirrorRequests.BucketApi, to: S3Bucket) =>
  MirrorRequests.createMirror(from, MirrorRequests.mirrorToS3(to, to))

type Link = readonly [MirrorRequests.BucketApi, MirrorRequests.Mirror]

/** Waits until no mirror has anything pending, also after the others had nothing pending. */
const untilQuiet = async (links: ReadonlyArray<Link>) => {
  for (const _ of links) for (const [bucket, { id }] of links) await MirrorRequests.untilCopied(bucket, id)
}

const contents = async (bucket: MirrorRequests.BucketApi) =>
  Object.fromEntries(
    await Promise.all(
      [...(await MirrorRequests.listFiles(bucket)).values()].map(
        async ({ id, name }) => [name, await (await bucket.api.get(`${bucket.files}/${id}/view`)).text()] as const
      )
    )
  )

const reupload = async ({ api, files }: MirrorRequests.BucketApi, id: string, content: string) =>
  expect((await api.post(`${files}/${id}/reupload`, { body: content })).ok).toBe(true)

const idOf = async (bucket: MirrorRequests.BucketApi, name: string): Promise<string> =>
  (await MirrorRequests.listFiles(bucket)).get(`/${name}`)?.id ?? ""

it(
  "create: target is the source over the S3 API → 409; with verify=false → FAILING, files unchanged",
  { timeout: 120_000 },
  async () => {
    const [source] = await makeBuckets(await start(), "media")
    if (source === undefined) return expect.unreachable()
    const file = await MirrorRequests.upload(source, { name: "a.txt", metadata: { kind: "own" } }, "a")
    const input = MirrorRequests.mirrorToS3(source, source)
    await expectProblem(await source.api.post(source.mirrors, { json: input }), 409, "mirror_loop")
    const { id } = await MirrorRequests.createMirror(source, { ...input, verify: false })
    const failing = await MirrorRequests.untilInState(source, id, "FAILING")
    expect(failing.stats.lastError).toContain("lead from the target bucket back")
    expect([...(await MirrorRequests.listFiles(source)).values()]).toMatchObject([
      { id: file.id, metadata: { kind: "own" }, checksum: file.checksum }
    ])
  }
)

it(
  "two buckets mirror each other over the S3 API → changes of each are copied once, also after a reconciliation",
  { timeout: 180_000 },
  async () => {
    const [one, two] = await makeBuckets(await start(), "one", "two")
    if (one === undefined || two === undefined) return expect.unreachable()
    const links: ReadonlyArray<Link> = [
      [one, await link(one, two)],
      [two, await link(two, one)]
    ]
    const large = "x".repeat(9_000_000)
    await MirrorRequests.upload(one, { name: "a.txt" }, "a")
    await MirrorRequests.upload(one, { name: "large" }, large)
    await MirrorRequests.upload(two, { name: "b.txt", metadata: { kind: "own" } }, "b")
    await untilQuiet(links)
    for (const bucket of [one, two]) {
      expect(await contents(bucket)).toEqual({ "a.txt": "a", "b.txt": "b", large })
    }
    const [ownOfOne, ownOfTwo] = [
      (await MirrorRequests.listFiles(one)).get("/a.txt"),
      (await MirrorRequests.listFiles(two)).get("/b.txt")
    ]
    // The originals did not come back.
    expect([ownOfOne?.metadata, ownOfTwo?.metadata]).toEqual([{}, { kind: "own" }])

    // An object that an S3 client copies from a copy is one of the bucket's own.
    const s3 = S3Server.client(two.endpoint.slice(0, -"/s3".length), two.credentials)
    await s3.send(new CopyObjectCommand({ Bucket: "two", Key: "copied.txt", CopySource: "two/a.txt" }))
    await untilQuiet(links)
    expect(await contents(one)).toMatchObject({ "copied.txt": "a" })
    await two.api.delete(`${two.files}/${await idOf(two, "copied.txt")}`)
    // So is one that the API copies.
    const copyOf = await idOf(two, "a.txt")
    await two.api.post(`${two.files}/${copyOf}/copy`, { json: { name: "api.txt" } })
    await untilQuiet(links)
    expect(await contents(one)).toMatchObject({ "api.txt": "a" })
    await two.api.delete(`${two.files}/${await idOf(two, "api.txt")}`)

    // New metadata leave a copy one.
    await two.api.patch(`${two.files}/${copyOf}`, { json: { metadata: { by: "api" } } })
    await s3.send(
      new CopyObjectCommand({
        Bucket: "two",
        Key: "large",
        CopySource: "two/large",
        MetadataDirective: "REPLACE",
        Metadata: { by: "s3" }
      })
    )
    s3.destroy()
    await untilQuiet(links)
    const copies = await MirrorRequests.listFiles(two)
    expect(copies.get("/a.txt")?.metadata).toMatchObject({ by: "api" })
    expect(copies.get("/large")?.metadata).toMatchObject({ by: "s3" })
    for (const path of ["/a.txt", "/large"]) {
      expect((await MirrorRequests.listFiles(one)).get(path)?.metadata).toEqual({})
    }

    // A change of a copy is a change of the bucket's own: it reaches the other bucket.
    await reupload(two, await idOf(two, "a.txt"), "a of two")
    await untilQuiet(links)
    for (const bucket of [one, two]) expect(await contents(bucket)).toMatchObject({ "a.txt": "a of two" })

    for (const [bucket, { id }] of links) await bucket.api.post(`${bucket.mirrors}/${id}/sync`)
    for (const [bucket, { id }] of links) {
      const comparing = async () => (await MirrorRequests.getMirror(bucket, id)).stats.comparing
      await expect.poll(comparing, { timeout: 60_000, interval: 100 }).toBe(false)
    }
    await untilQuiet(links)
    expect((await MirrorRequests.listFiles(two)).get("/b.txt")).toEqual(ownOfTwo)

    // The removal of a copy does not remove the file that it is a copy of. By now that of a.txt is in the other bucket.
    await two.api.delete(`${two.files}/${await idOf(two, "large")}`)
    await two.api.delete(`${two.files}/${await idOf(two, "a.txt")}`)
    await untilQuiet(links)
    expect(Object.keys(await contents(one)).toSorted()).toEqual(["b.txt", "large"])
    expect(Object.keys(await contents(two))).toEqual(["b.txt"])
  }
)

it(
  "copy removed or renamed after a mirror failed to copy it back → its original stays",
  { timeout: 120_000 },
  async () => {
    const [one, two] = await makeBuckets(await start(), "one", "two")
    if (one === undefined || two === undefined) return expect.unreachable()
    const names = ["removed", "renamed", "changed"]
    const wrong = { ...MirrorRequests.mirrorToS3(one, one), secretAccessKey: "wrong" }
    await MirrorRequests.upload(two, { name: "changed" }, "of two")
    const back = await link(two, one)
    await untilQuiet([[two, back]])
    // The next attempts of this mirror fail.
    await two.api.patch(`${two.mirrors}/${back.id}`, {
      query: { verify: "false" },
      json: { secretAccessKey: wrong.secretAccessKey }
    })
    await reupload(one, await idOf(one, "changed"), "changed")
    for (const name of names.slice(0, 2)) await MirrorRequests.upload(one, { name }, name)
    await MirrorRequests.upload(one, { name: "large" }, "x".repeat(9_000_000))
    const there = await link(one, two)
    await untilQuiet([[one, there]])
    await MirrorRequests.untilInState(two, back.id, "FAILING")
    const attempted = async () => {
      const { stats } = await MirrorRequests.getMirror(two, back.id)
      return stats.lastError
    }
    await expect.poll(attempted, { timeout: 60_000 }).not.toBeNull()
    await two.api.delete(`${two.files}/${await idOf(two, "removed")}`)
    await two.api.delete(`${two.files}/${await idOf(two, "changed")}`)
    await two.api.patch(`${two.files}/${await idOf(two, "renamed")}`, { json: { name: "other" } })
    await two.api.patch(`${two.mirrors}/${back.id}`, { json: { secretAccessKey: two.credentials.secretAccessKey } })
    await untilQuiet([[two, back]])
    expect(await contents(one)).toMatchObject(Object.fromEntries(names.map((name) => [name, name])))
  }
)

it("copy removed at its source → removed at the target, also a large one", { timeout: 120_000 }, async () => {
  const [one, two] = await makeBuckets(await start(), "one", "two")
  if (one === undefined || two === undefined) return expect.unreachable()
  const links: ReadonlyArray<Link> = [
    [one, await link(one, two)],
    [two, await link(two, one)]
  ]
  await MirrorRequests.upload(one, { name: "large" }, "x".repeat(9_000_000))
  await MirrorRequests.upload(one, { name: "a" }, "a")
  await untilQuiet(links)
  expect(Object.keys(await contents(two)).toSorted()).toEqual(["a", "large"])
  for (const name of ["a", "large"]) await one.api.delete(`${one.files}/${await idOf(one, name)}`)
  await expect.poll(() => contents(two), { timeout: 60_000 }).toEqual({})
  await untilQuiet(links)
})

it(
  "buckets of two deployments mirror in a ring of three → each file once in each bucket",
  { timeout: 180_000 },
  async () => {
    const [here, there] = await Promise.all([start(), start()])
    const [one, three] = await makeBuckets(here, "one", "three")
    const [two] = await makeBuckets(there, "two")
    if (one === undefined || two === undefined || three === undefined) return expect.unreachable()
    await MirrorRequests.upload(one, { name: "a" }, "a")
    const links: ReadonlyArray<Link> = [
      [one, await link(one, two)],
      [two, await link(two, three)],
      [three, await link(three, one)]
    ]
    await MirrorRequests.upload(two, { name: "b" }, "b")
    await MirrorRequests.upload(three, { name: "c" }, "c")
    const all = { a: "a", b: "b", c: "c" }
    await expect.poll(() => Promise.all([one, two, three].map(contents)), { timeout: 60_000 }).toEqual([all, all, all])
    await untilQuiet(links)
    const records = () => Promise.all([one, two, three].map(MirrorRequests.listFiles))
    const settled = await records()
    expect(settled[0]?.get("/a")?.metadata).toEqual({})
    await MirrorRequests.upload(one, { name: "d" }, "d")
    await expect.poll(() => contents(three), { timeout: 60_000 }).toMatchObject({ d: "d" })
    await untilQuiet(links)
    for (const [index, files] of (await records()).entries()) {
      for (const [path, file] of settled[index] ?? []) expect(files.get(path)).toEqual(file)
    }
  }
)

it(
  "bucket mirrors to another tenant, that over the S3 API back → copied once in each direction",
  { timeout: 120_000 },
  async () => {
    const started = await start()
    const [one] = await makeBuckets(started, "one")
    if (one === undefined) return expect.unreachable()
    const target = await MirrorRequests.createTarget(started.api, "target")
    const links: ReadonlyArray<Link> = [
      [one, await MirrorRequests.createMirror(one, MirrorRequests.mirrorToTenant(target))],
      [target, await link(target, one)]
    ]
    await MirrorRequests.upload(one, { name: "a" }, "a")
    await MirrorRequests.upload(target, { name: "b" }, "b")
    await expect.poll(() => contents(one), { timeout: 60_000 }).toEqual({ a: "a", b: "b" })
    await untilQuiet(links)
    const settled = await MirrorRequests.listFiles(one)
    await MirrorRequests.upload(one, { name: "c" }, "c")
    await untilQuiet(links)
    const files = await MirrorRequests.listFiles(one)
    for (const [path, file] of settled) expect(files.get(path)).toEqual(file)
    for (const bucket of [one, target]) expect(await contents(bucket)).toEqual({ a: "a", b: "b", c: "c" })
  }
)
