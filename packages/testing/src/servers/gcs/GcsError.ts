/**
 * Error responses of the JSON API.
 */

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

export const invalid = (message: string): GcsError => new GcsError(400, "invalid", message)
export const noBucket = (): GcsError => new GcsError(404, "notFound", "The specified bucket does not exist.")
export const noObject = (bucket: string, name: string): GcsError =>
  new GcsError(404, "notFound", `No such object: ${bucket}/${name}`)
export const conditionNotMet = (): GcsError =>
  new GcsError(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
