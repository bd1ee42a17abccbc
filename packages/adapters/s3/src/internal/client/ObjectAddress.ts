/**
 * Names objects in requests, in the fields of the SDK.
 */

export interface ObjectAddress {
  readonly Bucket: string
  readonly Key: string
}

/** An object, or a range of its bytes. */
export interface RangeAddress extends ObjectAddress {
  /** The value of the header. */
  readonly Range?: string
}
