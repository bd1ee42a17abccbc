/**
 * A form that a browser has sent, whose signature and policy were checked.
 */
export interface Form {
  /** The key of the object, with the name of the file in it. */
  readonly key: string
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  /** The media type of the part `file`; undefined when it has none. */
  readonly contentType: string | undefined
}
