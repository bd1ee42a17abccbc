import * as Holdfast from "@holdfast/core"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { makeDirectory, openIn, rejection } from "./support.ts"

const secretKey = new Uint8Array(32).fill(7)

const setUp = async (options: Partial<Holdfast.OpenOptions>) => {
  const directory = makeDirectory()
  const holdfast = await openIn(directory, options)
  const owner = holdfast.account("ada@example.com")
  const makeBucket = async (subdomain: string) => {
    const tenant = await holdfast.tenants.create(owner, { name: "T", subdomain })
    const bucket = await holdfast.buckets.create(owner, { tenantId: tenant.id, name: "b" })
    return { tenantId: tenant.id, bucketId: bucket.id, memberId: tenant.member.id }
  }
  const [source, target] = [await makeBucket("source"), await makeBucket("target")]
  const expiresAt = new Date(Date.now() + 3_600_000)
  const token = { tenantId: target.tenantId, name: "t", member: { id: target.memberId }, expiresAt }
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

/** Polls until no file of a mirror is pending. Returns its stats. */
const pollUntilCopied = async (
  holdfast: Holdfast.Holdfast,
  owner: Holdfast.ActorHandle,
  mirror: object & { readonly id: string },
  bucket: Holdfast.BucketRef
) => {
  for (;;) {
    const { state, stats } = await holdfast.mirrors.get(owner, { ...bucket, mirrorId: mirror.id })
    if (state === "ACTIVE" && stats.pending === 0) return stats
    await new Promise(setImmediate)
  }
}

describe("holdfast.mirrors", () => {
  it("create: bucket of another tenant → copies it, also after a restart with a new secret key", async () => {
    const { bucket, copies, directory, holdfast, input, owner } = await setUp({ secretKey })
    await holdfast.files.upload(owner, { ...bucket, name: "a.txt", content: "one" })
    const mirror = await holdfast.mirrors.create(owner, input)
    assert.instanceOf(mirror.createdAt, Date)
    assert.notInclude(JSON.stringify(mirror) + inspect(mirror), input.apiKey)
    assert.strictEqual((await pollUntilCopied(holdfast, owner, mirror, bucket)).copied, 1)
    const files = await holdfast.mirrors.files(owner, { ...bucket, mirrorId: mirror.id, state: "COPIED" })
    assert.deepStrictEqual(
      files.items.map(({ name }) => name),
      ["a.txt"]
    )
    await holdfast.close()

    const again = await openIn(directory, { secretKey: secretKey.map(() => 9), formerSecretKeys: [secretKey] })
    const same = again.account("ada@example.com")
    await again.files.upload(same, { ...bucket, name: "b.txt", content: "two" })
    await pollUntilCopied(again, same, mirror, bucket)
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
    assert.instanceOf(await rejection(again.mirrors.get(same, ref)), Holdfast.NotFound)
  })

  it("create: unavailable type, invalid secret, unreachable target, loop → typed errors without secrets", async () => {
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
      await rejection(holdfast.mirrors.create(owner, s3)),
      await rejection(holdfast.mirrors.create(owner, { ...s3, secretAccessKey: "hunter2\0" })),
      await rejection(holdfast.mirrors.create(owner, { ...input, apiKey: "hunter2" })),
      await rejection(
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
    assert.match(errors[0].message, /no mirrors of type S3 \(CLOUD_A\)\. .*s3Mirrors\(\) of @holdfast\/s3 .*open\(\)/)
    assert.instanceOf(errors[1], Holdfast.InvalidRequest)
    assert.instanceOf(errors[2], Holdfast.MirrorTargetUnreachable)
    assert.instanceOf(errors[3], Holdfast.MirrorLoop)
    assert.deepStrictEqual(
      errors[1].errors.map(({ pointer }) => pointer),
      ["/secretAccessKey"]
    )
    assert.notInclude(errors.map((error) => inspect(error, { depth: 9 })).join(), "hunter2")
  })

  it("create: no secret key → MirrorTypeUnavailable with this reason", async () => {
    const { holdfast, input, owner } = await setUp({})
    const error = await rejection(holdfast.mirrors.create(owner, input))
    assert.instanceOf(error, Holdfast.MirrorTypeUnavailable)
    assert.strictEqual(error.code, "mirror_type_unavailable")
    assert.match(
      error.message,
      /no secret key.*HOLDFAST_SECRET_KEY of the service, or the option secretKey of open\(\)/
    )
  })

  it("create, update: character that no header of a cloud may have → InvalidRequest at its field, without the value", async () => {
    const { bucket, holdfast, input, owner } = await setUp({ secretKey, mirrorCopies: 0 })
    const clouds = [
      { type: "S3", region: "r", bucketName: "b", accessKeyId: "k", secretAccessKey: "s" },
      { type: "AZURE_BLOB", accountName: "account", containerName: "container", accountKey: "aGVsbG8=" },
      { type: "GCS", projectId: "project", bucketName: "b", credentials: "{}" }
    ] as const
    const fields = { S3: ["region", "bucketName", "accessKeyId"], GCS: ["projectId", "bucketName"] }
    const inputs = clouds.flatMap((cloud) =>
      (cloud.type === "AZURE_BLOB" ? ["accountName", "containerName", "accountKey"] : fields[cloud.type]).map(
        (field) => ({ field, value: { ...bucket, name: "x", ...cloud, [field]: "AKIA…" } })
      )
    )
    const faultOf = async (call: Promise<unknown>) => {
      const error = await rejection(call)
      assert.instanceOf(error, Holdfast.InvalidRequest)
      assert.notInclude(inspect(error, { depth: 9 }), "AKIA")
      return error.errors
    }
    const details = (field: string) =>
      field === "accountKey"
        ? "must not be empty, too long, or contain characters that the target does not accept"
        : "must contain only printable ASCII characters"
    for (const { field, value } of inputs) {
      const create = holdfast.mirrors.create(owner, value as Holdfast.CreateMirrorInput)
      assert.deepStrictEqual(await faultOf(create), [{ pointer: `/${field}`, detail: details(field) }])
    }
    const { id: mirrorId } = await holdfast.mirrors.create(owner, input)
    const update = holdfast.mirrors.update(owner, { ...bucket, mirrorId, accessKeyId: "AKIA…", secretAccessKey: "s" })
    assert.deepStrictEqual(await faultOf(update), [{ pointer: "/accessKeyId", detail: details("accessKeyId") }])
  })

  it("open: invalid key or concurrency → InvalidRequest", async () => {
    for (const options of [
      { secretKey: new Uint8Array(31) },
      { secretKey, formerSecretKeys: [new Uint8Array(1)] },
      { mirrorCopies: -1 }
    ]) {
      assert.instanceOf(await rejection(openIn(makeDirectory(), options)), Holdfast.InvalidRequest)
    }
  })
})
