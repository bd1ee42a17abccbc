/**
 * Error responses of the JSON API.
 */

/** An error response that a handler throws. */
export class GcsError extends Error {
  readonly status: number
  /** The code in `errors[].reason`. */
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** Returns the body of an error response. */
export const toBody = ({ message, reason, status }: GcsError): string =>
  JSON.stringify({ error: { code: status, message, errors: [{ message, domain: "global", reason }] } })

/** 400: the request is not valid. */
export const invalid = (message: string): GcsError => new GcsError(400, "invalid", message)
/** 404: the bucket does not exist. */
export const noBucket = (): GcsError => new GcsError(404, "notFound", "The specified bucket does not exist.")
/** 404: the object does not exist. */
export const noObject = (bucket: string, name: string): GcsError =>
  new GcsError(404, "notFound", `No such object: ${bucket}/${name}`)
/** 412: a precondition does not hold. */
export const conditionNotMet = (): GcsError =>
  new GcsError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
