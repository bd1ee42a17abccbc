/**
 * The reader without a key. It reads the contents and streams of public buckets.
 */
import * as Data from "effect/Data"

export class Anonymous extends Data.TaggedClass("Anonymous")<{}> {}

export const anonymous = new Anonymous()
