/**
 * The reasons of MirrorTargetError for failed requests to an object store.
 */
import type * as RemoteFailure from "../../storage/RemoteFailure.ts"
import type { Reason } from "./MirrorTargetError.ts"

export const targetReasons: { readonly [K in RemoteFailure.Kind]: Reason } = {
  NoObject: "NotFound",
  NoBucket: "NotFound",
  Denied: "Denied",
  Refused: "Refused",
  Unavailable: "Unavailable",
  Full: "Full",
  TooLarge: "Invalid",
  Invalid: "Invalid",
  Damaged: "Damaged",
  OutOfRange: "Damaged",
  Changed: "Unavailable",
  Internal: "Internal"
}
