/**
 * The interim answer `104 (Upload Resumption Supported)` of the draft "Resumable Uploads for HTTP".
 */
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as NodeRequest from "../../incoming/NodeRequest.ts"
import * as UploadFields from "../request/UploadFields.ts"

/**
 * Sends a `104` to a client whose version of the draft expects it. Returns whether it was sent: a web handler, for example, cannot.
 */
export const resumptionSupported = (request: HttpServerRequest, headers: Readonly<Record<string, string>>): boolean => {
  const version = UploadFields.interopVersion(request.headers)
  const response = NodeRequest.find(request)?.response
  if (version === undefined || response === undefined || response.headersSent) return false
  // Node has the method since version 24; responses of HTTP/2 have none.
  if (!("writeInformation" in response)) return false
  response.writeInformation(104, { ...headers, "upload-draft-interop-version": version })
  return true
}
