/**
 * Recognizes the responses that no correct service sends.
 */
import { property } from "./Property.ts"
import * as ResponseTooLong from "./ResponseTooLong.ts"
import * as UnexpectedResponse from "./UnexpectedResponse.ts"

const hasCode = (error: unknown, code: string): boolean =>
  property(error, "code") === code || property(property(error, "cause"), "code") === code

/** Returns the code and the text of the error for such a response; undefined for every other error. */
export const find = (error: unknown): { readonly code: string; readonly detail: string } | undefined => {
  if (hasCode(error, ResponseTooLong.code) || ResponseTooLong.isText(property(error, "message"))) return ResponseTooLong
  return hasCode(error, UnexpectedResponse.code) ? UnexpectedResponse : undefined
}
