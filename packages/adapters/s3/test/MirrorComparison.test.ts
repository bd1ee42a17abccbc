import * as MirrorComparison from "@holdfast/testing/mirrors/MirrorComparison"
import * as Rclone from "@holdfast/testing/mirrors/Rclone"
import { firstMissing, requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Target from "./support/Target.ts"

const site = Effect.map(Target.open, ({ bucket, readBack }): MirrorComparison.ComparisonTarget => ({
  mirror: Target.inputOf(bucket),
  readBack,
  remote: {
    path: bucket.bucket,
    options: {
      type: "s3",
      provider: "Ceph",
      endpoint: bucket.endpoint,
      access_key_id: bucket.credentials.accessKeyId,
      secret_access_key: Redacted.value(bucket.credentials.secretAccessKey)
    }
  }
}))

requires(firstMissing(CephRgw.missing, Rclone.missing)).describe("a mirror to S3", () =>
  MirrorComparison.suite("Ceph", Target.targets(), site, CephRgw.layer)
)
