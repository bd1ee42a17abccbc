import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as UnexpectedResponse from "@holdfast/outbound/UnexpectedResponse"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as Effect from "effect/Effect"
import * as AzureMirrorTarget from "../src/AzureMirrorTarget.ts"
import * as ScriptedAzure from "./support/ScriptedAzure.ts"

HostileTargetSuite.suite("AzureMirrorTarget", {
  open: (respond) => Effect.map(ScriptedAzure.openTarget(respond), ({ target }) => target),
  openAt: (endpoint, options) =>
    AzureMirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })(ScriptedAzure.location(endpoint)),
  respondToUpload: () => (_request, response) => ScriptedAzure.sendCreated(response),
  uploadRequests: 4,
  respondError: (message) => ScriptedAzure.sendError(400, "InvalidInput", message),
  contentType: "application/xml",
  pageSize: 500,
  page: (names, next) => {
    const properties = "<Properties><Etag>1</Etag><Content-Length>1</Content-Length></Properties>"
    const blobs = names.map((name) => `<Blob><Name>${name}</Name>${properties}</Blob>`).join("")
    return `<?xml version="1.0"?><EnumerationResults><Blobs>${blobs}</Blobs><NextMarker>${next ?? ""}</NextMarker></EnumerationResults>`
  },
  begin: "<Error><Code>",
  details: {
    tooLong: ResponseTooLong.detail,
    unexpected: UnexpectedResponse.detail,
    malformed: "The storage account answered unexpectedly"
  }
})
