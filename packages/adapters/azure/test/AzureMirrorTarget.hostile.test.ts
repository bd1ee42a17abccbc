import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as Effect from "effect/Effect"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

HostileTargetSuite.suite("AzureMirrorTarget", {
  open: (respond) => Effect.map(ScriptedAzure.openTarget(respond), ({ target }) => target),
  contentType: "application/xml",
  begin: "<Error><Code>",
  tooLong: ResponseTooLong.detail
})
