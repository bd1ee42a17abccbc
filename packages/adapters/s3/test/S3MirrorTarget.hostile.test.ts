import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as Effect from "effect/Effect"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

HostileTargetSuite.suite("S3MirrorTarget", {
  open: (respond) => Effect.map(ScriptedS3.openTarget(respond), ({ target }) => target),
  contentType: "application/xml",
  begin: "<Error><Code>",
  tooLong: ResponseTooLong.detail
})
