/**
 * Captions that are attached to a content, as callers send and see them. They belong to the content, as its conversions do: a new content
 * has none.
 */
import * as Schema from "effect/Schema"
import * as Text from "../Text.ts"
import * as TrackLabels from "../transcoding/TrackLabels.ts"

/** Bytes of a text, as UTF-8. That of a film of three hours has 150 KB. */
export const maxBytes = 512 * 1024

/** Captions of one content. */
export const maxPerContent = 20

const languageFault = "must be a language as BCP 47 names it, such as en or pt-BR"

const Language = Text.bounded(35, languageFault).check(
  Schema.makeFilter((code: string) => (TrackLabels.toLanguage(code) === null ? languageFault : undefined))
)

const labelFault = "must have 1 to 64 characters, without quotes, control characters, and white space at its ends"

const CaptionsLabel = Text.bounded(64, labelFault).check(
  Schema.makeFilter((label: string) => (TrackLabels.toTitle(label) === label ? undefined : labelFault))
)

export const AttachCaptions = Schema.Struct({
  language: Language.annotate({ description: "BCP 47, such as `en` or `pt-BR`." }),
  label: Schema.optional(CaptionsLabel).annotate({
    description: "What viewers choose by; the name of the language when absent."
  }),
  text: Schema.String.check(
    Schema.makeFilter(
      (text: string) => (Text.utf8Length(text) > maxBytes ? `must be at most ${maxBytes} bytes` : undefined),
      Text.atMost(maxBytes)
    )
  ).annotate({ description: "The text: WebVTT or SubRip (SRT)." })
}).annotate({ identifier: "AttachCaptions" })
export type AttachCaptions = typeof AttachCaptions.Type

export const AttachedCaptions = Schema.Struct({
  id: Schema.String,
  language: Schema.String.annotate({ description: "BCP 47." }),
  label: Schema.String,
  createdAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "AttachedCaptions" })
export type AttachedCaptions = typeof AttachedCaptions.Type
