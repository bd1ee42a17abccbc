import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as ScriptedGcs from "./support/ScriptedGcs.ts"

HostileTargetSuite.suite("GcsMirrorTarget", {
  open: (respond) => ScriptedGcs.openTarget(respond),
  openAt: (endpoint, options) => ScriptedGcs.openTargetAt(endpoint, options),
  contentType: "application/json",
  begin: '{"error":',
  tooLong: ResponseTooLong.detail
})
