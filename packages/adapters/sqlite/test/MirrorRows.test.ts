import { expect, layer } from "@effect/vitest"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { TargetAddress } from "@holdfast/core/mirrors/targets/types/TargetTypes"
import * as MirrorFixtures from "@holdfast/testing/metadata/mirrors/MirrorFixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"

/** Texts of the column `place` as the first release wrote them, and what they mean. */
const stored: ReadonlyArray<readonly [text: string, address: TargetAddress]> = [
  [
    '{"type":"CLOUD_A","region":"eu","bucketName":"b","accessKeyId":"k","endpoint":"http://e","forcePathStyle":true}',
    { type: "S3", region: "eu", bucketName: "b", accessKeyId: "k", endpoint: "http://e", forcePathStyle: true }
  ],
  [
    '{"type":"CLOUD_A","region":"eu","bucketName":"b","accessKeyId":"k"}',
    { type: "S3", region: "eu", bucketName: "b", accessKeyId: "k" }
  ],
  [
    '{"type":"CLOUD_B","accountName":"a","containerName":"c"}',
    { type: "AZURE_BLOB", accountName: "a", containerName: "c" }
  ],
  ['{"type":"CLOUD_C","projectId":"p","bucketName":"b"}', { type: "GCS", projectId: "p", bucketName: "b" }],
  [
    '{"type":"SERVICE","serviceTenantId":"ten_1","serviceBucketId":"bkt_1"}',
    { type: "TENANT_BUCKET", serviceTenantId: "ten_1", serviceBucketId: "bkt_1" }
  ]
]

layer(SqliteMetadata.layer({ file: ":memory:" }))("rows of mirrors", (it) => {
  it.effect.each(stored)("column place: written by the first release, %s → decoded", ([text, address]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { bucket, mirror } = yield* MirrorFixtures.create()
      yield* sql`UPDATE mirror SET place = ${text} WHERE id = ${mirror.id}`
      expect((yield* MirrorFixtures.get(bucket, mirror.id)).mirror).toEqual({ ...mirror, address })
    })
  )

  it.effect.each(stored)("column place: written now → %s, which former releases read", ([text, address]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const made = { ...MirrorFixtures.newMirror(yield* Fixtures.bucket()), address }
      yield* (yield* MirrorRepository).create(made)
      expect(yield* sql`SELECT place FROM mirror WHERE id = ${made.id}`).toEqual([{ place: text }])
    })
  )

  it.effect.each(["[]", "null", '{"type":"FTP"}', '{"type":"S3"}'])(
    "column place: no target type in %s → the read fails",
    (text) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { mirror, ref } = yield* MirrorFixtures.create()
        yield* sql`UPDATE mirror SET place = ${text} WHERE id = ${mirror.id}`
        const find = (yield* MirrorRepository).find(ref, Sample.at())
        expect(yield* Effect.flip(find)).toMatchObject({ _tag: "MetadataError" })
      })
  )
})
