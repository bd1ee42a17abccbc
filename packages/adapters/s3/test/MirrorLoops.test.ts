/**
 * Tests of copies that a target refuses because they came from it.
 */
import { assert, it } from "@effect/vitest"
import * as Trace from "@holdfast/core/mirrors/targets/Trace"
import * as Generate from "@holdfast/testing/data/Generate"
import * as ScriptedServer from "@holdfast/testing/servers/ScriptedServer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as S3MirrorTarget from "../src/S3MirrorTarget.ts"

const [target, source, other] = ["1", "2", "3"].map((digit) => `bkt_01890a5d-ac96-774b-bcce-b302099a805${digit}`)

const bytes = Generate.bytes(1, 10)
const sha256 = Generate.sha256(bytes)

it.live("write: target refuses a copy that came from it → the next such copies are not sent, others are", () =>
  Effect.gen(function* () {
    const { endpoint, requests } = yield* ScriptedServer.open(({ headers }, response) => {
      const trace = Trace.parse(headers[Trace.header])
      if (trace?.bucketIds.includes(target ?? "") === true) {
        const body = `<Error><Code>MirrorLoop</Code><Message>No.</Message><BucketId>${target}</BucketId></Error>`
        response.writeHead(409, { "content-type": "application/xml" }).end(body)
      } else response.writeHead(200, { etag: '"abc"', date: new Date().toUTCString() }).end()
    })
    const { describe, write } = yield* S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1 })(
      {
        type: "S3",
        region: "us-east-1",
        bucketName: "bucket",
        accessKeyId: "id",
        secretAccessKey: Redacted.make("secret"),
        endpoint,
        forcePathStyle: true
      },
      { bucketId: source ?? "" }
    )
    const from = (...formerBucketIds: ReadonlyArray<string | undefined>) => ({
      name: "a",
      size: 10,
      sha256,
      description: { contentType: "text/plain", metadata: {} },
      formerBucketIds: formerBucketIds.map(String)
    })
    const content = Stream.make(bytes)
    assert.strictEqual((yield* Effect.flip(write(from(target), content))).reason, "Loop")
    yield* write(from(other), content)
    assert.strictEqual((yield* Effect.flip(write(from(other, target), content))).reason, "Loop")
    assert.strictEqual((yield* Effect.flip(describe(from(target)))).reason, "Loop")
    yield* write(from(), content)
    const far = yield* Effect.flip(write(from(...Array.from({ length: Trace.maxBuckets }, () => other)), content))
    assert.strictEqual(far.reason, "Invalid")
    assert.deepStrictEqual(
      requests.map(({ headers }) => headers[Trace.header]),
      [[target, source], [other, source], [source]].map((ids) => Trace.format({ sha256, bucketIds: ids.map(String) }))
    )
  })
)
