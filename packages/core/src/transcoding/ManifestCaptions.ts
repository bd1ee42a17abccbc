/**
 * Adds captions to DASH manifests (ISO/IEC 23009-1).
 */
import * as AdaptationSets from "./manifest/AdaptationSets.ts"
import type { CaptionFiles } from "./StreamFiles.ts"
import * as TrackLabels from "./TrackLabels.ts"

const references: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Escapes a text for the content of an element. */
export const escape = (text: string): string => text.replace(/[&<>]/g, (character) => references[character] ?? "")

const unescapeText = (text: string): string =>
  Object.entries(references).reduceRight(
    (result, [character, reference]) => result.replaceAll(reference, character),
    text
  )

/** Bits per second. Manifests must state one; captions have few. */
const captionBandwidth = 1000

/** The label of an adaptation set of captions that `add` wrote. */
const label = /<AdaptationSet [^>]*contentType="text"[^>]*>\s*<Label>([^<]*)<\/Label>/g

/**
 * Returns a manifest with an adaptation set for each of the captions, which has the whole text as one file (DASH-IF IOP, 6.4.5). Their
 * labels become different from those of captions that the manifest has.
 */
export const add = (text: string, captions: ReadonlyArray<CaptionFiles>): string => {
  const taken = [...text.matchAll(label)].map(([, escaped = ""]) => unescapeText(escaped))
  const toSet = ({ rendition, text: file }: CaptionFiles, id: number) => {
    const lang = rendition.language === null ? "" : ` lang="${rendition.language}"`
    return [
      `<AdaptationSet id="${id}" contentType="text" mimeType="text/vtt"${lang}>`,
      `\t<Label>${escape(rendition.label)}</Label>`,
      '\t<Role schemeIdUri="urn:mpeg:dash:role:2011" value="subtitle"/>',
      `\t<Representation id="${rendition.name}" bandwidth="${captionBandwidth}">`,
      `\t\t<BaseURL>${file}</BaseURL>`,
      "\t</Representation>",
      "</AdaptationSet>"
    ]
      .map((line) => `\t\t${line}\n`)
      .join("")
  }
  const distinct = TrackLabels.distinguish(captions, taken)
  return AdaptationSets.add(text, (first) => distinct.map((one, index) => toSet(one, first + index)).join(""))
}
