import * as ResponseTooLong from "@holdfast/outbound/ResponseTooLong"
import * as UnexpectedResponse from "@holdfast/outbound/UnexpectedResponse"
import * as HostileTargetSuite from "@holdfast/testing/mirrors/HostileTargetSuite"
import * as Effect from "effect/Effect"
import * as S3MirrorTarget from "../src/S3MirrorTarget.ts"
import * as ScriptedS3 from "./support/ScriptedS3.ts"

HostileTargetSuite.suite("S3MirrorTarget", {
  open: (respond) => Effect.map(ScriptedS3.openTarget(respond), ({ target }) => target),
  openAt: (endpoint, options) =>
    S3MirrorTarget.open({ allowPrivate: true, maxAttempts: 1, ...options })(ScriptedS3.location(endpoint)),
  respondToUpload: (size) => {
    const answer = ScriptedS3.acceptUpload(size)
    return (request, response) => {
      const { body, headers, status } = answer(request)
      response.writeHead(status, headers).end(body)
    }
  },
  uploadRequests: 6,
  respondError: (message) => ScriptedS3.sendError(400, "InvalidArgument", message),
  contentType: "application/xml",
  pageSize: 100,
  page: (names, next) => {
    const token = next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`
    const contents = names.map((name) => `<Contents><Key>${name}</Key><Size>1</Size><ETag>1</ETag></Contents>`).join("")
    return `<ListBucketResult>${token}${contents}</ListBucketResult>`
  },
  begin: "<Error><Code>",
  details: {
    tooLong: ResponseTooLong.detail,
    unexpected: UnexpectedResponse.detail,
    malformed: "The service answered unexpectedly"
  }
})
