/**
 * A request that the service refuses, and how it says so.
 */

export class Refusal extends Error {
  readonly status: number
  /** The word of `errors[].reason`. */
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

/** The body of every refusal of the JSON API. */
export const body = ({ message, reason, status }: Refusal): string =>
  JSON.stringify({ error: { code: status, message, errors: [{ message, domain: "global", reason }] } })

export const invalid = (message: string): Refusal => new Refusal(400, "invalid", message)
export const noBucket = (): Refusal => new Refusal(404, "notFound", "The specified bucket does not exist.")
export const noObject = (bucket: string, name: string): Refusal =>
  new Refusal(404, "notFound", `No such object: ${bucket}/${name}`)
export const conditionNotMet = (): Refusal =>
  new Refusal(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
