import { assert, describe, it } from "@effect/vitest"
import type { CreateMirror, UpdateMirror } from "@holdfast/core/mirrors/MirrorInput"
import * as MirrorCredentials from "../../src/mirrors/internal/MirrorCredentials.ts"
import * as TargetTypes from "@holdfast/core/mirrors/targets/types/TargetTypes"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const secret = Redacted.make("secret")
const common = { name: "A mirror", verify: false }

/** An input under each name, and the address in it. */
const inputs: ReadonlyArray<readonly [input: CreateMirror, address: TargetTypes.TargetAddress]> = [
  ...(["CLOUD_A", "S3"] as const).map(
    (type) =>
      [
        {
          ...common,
          type,
          region: "r",
          bucketName: "b",
          accessKeyId: "k",
          secretAccessKey: secret,
          endpoint: undefined
        },
        { type: "S3", region: "r", bucketName: "b", accessKeyId: "k" }
      ] as const
  ),
  ...(["CLOUD_B", "AZURE_BLOB"] as const).map(
    (type) =>
      [
        { ...common, type, accountName: "a", containerName: "c", accountKey: secret, endpoint: "http://e" },
        { type: "AZURE_BLOB", accountName: "a", containerName: "c", endpoint: "http://e" }
      ] as const
  ),
  ...(["CLOUD_C", "GCS"] as const).map(
    (type) =>
      [
        { ...common, type, projectId: "p", bucketName: "b", credentials: secret },
        { type: "GCS", projectId: "p", bucketName: "b" }
      ] as const
  ),
  [
    { ...common, type: "SERVICE", serviceTenantId: "t", serviceBucketId: "b", apiKey: secret },
    { type: "TENANT_BUCKET", serviceTenantId: "t", serviceBucketId: "b" }
  ]
]

const s3 = { type: "S3", region: "r", bucketName: "b", accessKeyId: "k" } as const

const faultOf = (update: UpdateMirror) =>
  Effect.map(Effect.flip(MirrorCredentials.fromUpdate(s3, update)), ({ errors }) => errors)

describe("MirrorCredentials", () => {
  it("fromInput: each type, under each of its names → its address, without other fields, and its secret", () => {
    for (const [input, address] of inputs) {
      assert.deepStrictEqual(MirrorCredentials.fromInput(input), { address, secret })
    }
    assert.sameMembers(
      inputs.map(([{ type }]) => type),
      [...TargetTypes.inputNames]
    )
  })

  it.effect("fromUpdate: no credentials → undefined; new secret → the address with the new fields", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* MirrorCredentials.fromUpdate(s3, { name: "Other", paused: true }))
      assert.deepStrictEqual(yield* MirrorCredentials.fromUpdate(s3, { secretAccessKey: secret }), {
        address: s3,
        secret
      })
      assert.deepStrictEqual(
        yield* MirrorCredentials.fromUpdate(s3, { accessKeyId: "k2", secretAccessKey: secret, name: "Other" }),
        { address: { ...s3, accessKeyId: "k2" }, secret }
      )
    })
  )

  it.effect("fromUpdate: field of another type, or field without its secret → InvalidRequest", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultOf({ accountKey: secret, secretAccessKey: secret }), [
        { pointer: "/accountKey", detail: "is not a field of mirrors of type S3 (CLOUD_A)" }
      ])
      assert.deepStrictEqual(yield* faultOf({ accessKeyId: "k2" }), [
        { pointer: "/secretAccessKey", detail: "is needed with another accessKeyId" }
      ])
    })
  )
})
