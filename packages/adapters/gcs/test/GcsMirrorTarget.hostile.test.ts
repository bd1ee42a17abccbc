import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as UnexpectedResponse from "@holdfast/outbound/UnexpectedResponse"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as ScriptedGcs from "./support/ScriptedGcs.ts"

HostileTargetSuite.suite("GcsMirrorTarget", {
  open: (respond) => ScriptedGcs.openTarget(respond),
  openAt: (endpoint, options) => ScriptedGcs.openTargetAt(endpoint, options),
  respondToUpload: ScriptedGcs.acceptUpload,
  uploadRequests: 4,
  respondError: (message) => ScriptedGcs.sendError(400, "invalid", message),
  contentType: "application/json",
  pageSize: 100,
  page: (names, next) =>
    JSON.stringify({
      items: names.map((name) => ({ name, size: "1", generation: "1", metageneration: "1" })),
      nextPageToken: next
    }),
  begin: '{"error":',
  details: {
    tooLong: ResponseTooLong.detail,
    unexpected: UnexpectedResponse.detail,
    malformed: "The service answered unexpectedly"
  }
})
