import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as Effect from "effect/Effect"
import * as AzureMirrorTarget from "../src/AzureMirrorTarget.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

HostileTargetSuite.suite("AzureMirrorTarget", {
  open: (respond) => Effect.map(ScriptedAzure.openTarget(respond), ({ target }) => target),
  openAt: (endpoint, options) =>
    AzureMirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })(ScriptedAzure.location(endpoint)),
  contentType: "application/xml",
  begin: "<Error><Code>",
  tooLong: ResponseTooLong.detail
})
