import * as Holdfast from "@holdfast/core"
import { fs } from "@holdfast/fs"
import { sqlite } from "@holdfast/sqlite"
import { inspect } from "node:util"
import * as Path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { makeDirectory } from "./support.ts"

const secretKey = new Uint8Array(32).fill(7)

const openWith = async (options: Partial<Holdfast.OpenOptions>, directory = makeDirectory()) => {
  const holdfast = await Holdfast.open({
    metadata: sqlite({ file: Path.join(directory, "metadata.sqlite") }),
    blobs: fs({ directory: Path.join(directory, "files") }),
    sweepEvery: false,
    ...options
  })
  onTestFinished(() => holdfast.close())
  return { holdfast, directory }
}

type Door = Holdfast.Holdfast

const setUp = async (options: Partial<Holdfast.OpenOptions>) => {
  const { directory, holdfast } = await openWith(options)
  const owner = holdfast.account("ada@example.com")
  const made = async (subdomain: string) => {
    const tenant = await holdfast.tenants.create(owner, { name: "T", subdomain })
    const bucket = await holdfast.buckets.create(owner, { tenantId: tenant.id, name: "b" })
    return { tenantId: tenant.id, bucketId: bucket.id, memberId: tenant.member?.id ?? "" }
  }
  const [source, target] = [await made("source"), await made("target")]
  const expiresAt = new Date(Date.now() + 3_600_000)
  const token = { tenantId: target.tenantId, name: "t", memberId: target.memberId, expiresAt }
  const { key } = await holdfast.tokens.create(owner, token)
  const bucket = { tenantId: source.tenantId, bucketId: source.bucketId }
  const copies = { tenantId: target.tenantId, bucketId: target.bucketId }
  const input = {
    ...bucket,
    name: "copies",
    type: "SERVICE",
    serviceTenantId: target.tenantId,
    serviceBucketId: target.bucketId,
    apiKey: key
  } as const
  return { directory, holdfast, owner, bucket, copies, input }
}

/** Waits until a mirror has nothing to do. */
const settled = async (
  holdfast: Door,
  owner: Holdfast.ActorHandle,
  mirror: object & { readonly id: string },
  at: Holdfast.InTenant & { readonly bucketId: string }
) => {
  for (;;) {
    const { state, stats } = await holdfast.mirrors.get(owner, { ...at, mirrorId: mirror.id })
    if (state === "ACTIVE" && stats.pending === 0) return stats
    await new Promise(setImmediate)
  }
}

const rejected = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

describe("mirrors at the Promise door", () => {
  it("copy a bucket to another tenant's, also after the Holdfast was opened anew", async () => {
    const { bucket, copies, directory, holdfast, input, owner } = await setUp({ secretKey })
    await holdfast.files.upload(owner, { ...bucket, name: "a.txt", content: "one" })
    const mirror = await holdfast.mirrors.create(owner, input)
    assert.instanceOf(mirror.createdAt, Date)
    assert.notInclude(JSON.stringify(mirror) + inspect(mirror), input.apiKey)
    assert.strictEqual((await settled(holdfast, owner, mirror, bucket)).copied, 1)
    const files = await holdfast.mirrors.files(owner, { ...bucket, mirrorId: mirror.id, state: "COPIED" })
    assert.deepStrictEqual(
      files.items.map(({ name }) => name),
      ["a.txt"]
    )
    await holdfast.close()

    const { holdfast: again } = await openWith(
      { secretKey: secretKey.map(() => 9), formerSecretKeys: [secretKey] },
      directory
    )
    const same = again.account("ada@example.com")
    await again.files.upload(same, { ...bucket, name: "b.txt", content: "two" })
    await settled(again, same, mirror, bucket)
    const listed = await again.files.list(same, copies)
    assert.deepStrictEqual(
      listed.items.map(({ name }) => name),
      ["a.txt", "b.txt"]
    )
    const ref = { ...bucket, mirrorId: mirror.id }
    assert.strictEqual((await again.mirrors.update(same, { ...ref, name: "x", paused: true })).state, "PAUSED")
    assert.strictEqual((await again.mirrors.sync(same, ref)).name, "x")
    assert.lengthOf((await again.mirrors.list(same, bucket)).items, 1)
    await again.mirrors.remove(same, ref)
    assert.instanceOf(await rejected(again.mirrors.get(same, ref)), Holdfast.NotFound)
  })

  it("are refused with typed errors that hold no secret", async () => {
    const { bucket, holdfast, input, owner } = await setUp({ secretKey, mirrorCopies: 0 })
    const s3 = {
      ...bucket,
      name: "x",
      type: "S3",
      region: "r",
      bucketName: "b",
      accessKeyId: "k",
      secretAccessKey: "hunter2"
    } as const
    const errors = [
      await rejected(holdfast.mirrors.create(owner, s3)),
      await rejected(holdfast.mirrors.create(owner, { ...s3, secretAccessKey: "hunter2\0" })),
      await rejected(holdfast.mirrors.create(owner, { ...input, apiKey: "hunter2" })),
      await rejected(
        holdfast.mirrors.create(owner, {
          ...input,
          ...bucket,
          serviceTenantId: bucket.tenantId,
          serviceBucketId: bucket.bucketId,
          verify: false
        })
      )
    ]
    assert.instanceOf(errors[0], Holdfast.MirrorTypeUnavailable)
    assert.instanceOf(errors[1], Holdfast.InvalidRequest)
    assert.instanceOf(errors[2], Holdfast.MirrorTargetUnreachable)
    assert.instanceOf(errors[3], Holdfast.MirrorLoop)
    assert.deepStrictEqual(
      errors[1].errors.map(({ pointer }) => pointer),
      ["/secretAccessKey"]
    )
    assert.notInclude(errors.map((error) => inspect(error, { depth: 9 })).join(), "hunter2")
  })

  it("cannot be made without a secret key, and say so", async () => {
    const { holdfast, input, owner } = await setUp({})
    const error = await rejected(holdfast.mirrors.create(owner, input))
    assert.instanceOf(error, Holdfast.MirrorTypeUnavailable)
    assert.strictEqual(error.code, "mirror_type_unavailable")
    assert.match(error.message, /no secret key/)
  })

  it("are not opened with a key that is none", async () => {
    for (const options of [
      { secretKey: new Uint8Array(31) },
      { secretKey, formerSecretKeys: [new Uint8Array(1)] },
      { mirrorCopies: -1 }
    ]) {
      assert.instanceOf(await rejected(openWith(options)), Holdfast.InvalidRequest)
    }
  })
})
