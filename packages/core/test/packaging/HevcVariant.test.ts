import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import { expect } from "vitest"
import * as HevcVariant from "../../src/packaging/HevcVariant.ts"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import * as EditBoxes from "./support/EditBoxes.ts"
import * as IndexedFile from "./support/IndexedFile.ts"
import * as Media from "./support/Media.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

const delay = 0.08

/** When the presentation begins in the segments, in seconds. */
const beginning = 1.4 + delay

/** Packages the H.265 of a file, and returns what cuts its segments from the index alone. */
const toVariant = Effect.fnUntraced(function* (bytes: Uint8Array, duration: number) {
  const source = Sources.make(bytes)
  const variant = yield* HevcVariant.make(source, { begin: 0, delay, duration }, false)
  const { count, cut, indexBytes } = yield* IndexedFile.open(source, variant.index)
  const init = Buffer.from((yield* cut("hevc/init.m4s")) ?? [])
  const segments = yield* Effect.forEach(Array.from({ length: count }).keys(), (number) =>
    Effect.map(cut(`hevc/chunk${number + 1}.m4s`), (segment) => Buffer.from(segment ?? []))
  )
  return { ...variant, init, segments, indexBytes, cut }
})

interface Tags {
  readonly codec_tag_string: string
  readonly pix_fmt: string
  readonly width: number
  readonly height: number
  readonly color_transfer?: string
  readonly color_primaries?: string
  readonly color_space?: string
}

const tagsOf = (bytes: Uint8Array): Tags => {
  const { stdout } = Media.run("ffprobe", "-v error -count_packets -show_streams -of json pipe:0".split(" "), bytes)
  const { streams } = JSON.parse(stdout) as { readonly streams: ReadonlyArray<Tags> }
  return streams[0] as Tags
}

const pq = { color_transfer: "smpte2084", color_primaries: "bt2020", color_space: "bt2020nc" }
const hlg = { ...pq, color_transfer: "arib-std-b67" }
const bt709 = { color_transfer: "bt709", color_primaries: "bt709", color_space: "bt709" }
const cases = [
  ["hevc-sdr.mp4", 13, "SDR", { pix_fmt: "yuv420p", width: 192, height: 108, ...bt709 }],
  ["hevc-pq.mp4", 13, "PQ", { pix_fmt: "yuv420p10le", width: 192, height: 108, ...pq }],
  ["hevc-hlg.mov", 5, "HLG", { pix_fmt: "yuv420p10le", width: 192, height: 108, ...hlg }],
  ["hevc-fragments.mp4", 13, "PQ", { pix_fmt: "yuv420p10le", width: 192, height: 108, ...pq }],
  ["hevc-repeated.mp4", 3, "PQ", { pix_fmt: "yuv420p10le", width: 192, height: 108, ...pq }],
  ["hevc-cropped.mp4", 2, "HLG", { pix_fmt: "yuv420p10le", width: 190, height: 106, ...hlg }]
] as const

for (const [name, seconds, range, tags] of cases) {
  it.effect(`package H.265: ${name} → its frames, times and colours, in segments that each decode alone`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const { cut, init, playlist, rendition, segments } = yield* toVariant(bytes, seconds)
      const whole = new Uint8Array(Buffer.concat([init, ...segments]))
      const source = Media.decode(Media.path(name)).video
      expect(Media.decode(whole).video).toEqual(source)
      const alone = segments.flatMap((segment) => Media.decode(new Uint8Array(Buffer.concat([init, segment]))).video)
      expect(alone).toEqual(source)
      const [actual, expected] = [Media.packets(whole, "video"), Media.packets(Media.path(name), "video")]
      const first = Number(expected[0]?.pts_time)
      for (const [index, { pts_time, size }] of expected.entries()) {
        expect(Number(actual[index]?.pts_time) - beginning).toBeCloseTo(Number(pts_time) - first, 3)
        expect(actual[index]?.size).toBe(size)
      }
      expect(tagsOf(whole)).toMatchObject({ codec_tag_string: "hvc1", ...tags })
      expect(rendition).toMatchObject({ name: "hevc", range, width: tags.width, height: tags.height })
      expect(rendition.codecs?.[0]).toMatch(tags.pix_fmt === "yuv420p" ? /^hvc1\.1\.6\.L30\./ : /^hvc1\.2\.4\.L30\./)
      expect(playlist).toContain('#EXT-X-MAP:URI="hevc/init.m4s"\n')
      const durations = [...playlist.matchAll(/^#EXTINF:([\d.]+),\nhevc\/chunk\d+\.m4s$/gm)].map(([, text]) =>
        Number(text)
      )
      expect(durations.length).toBe(segments.length)
      expect(durations.reduce((sum, one) => sum + one, 0)).toBeCloseTo(expected.length / 25, 3)
      const bitrates = segments.map(({ length }, index) => (8 * length) / (durations[index] ?? 0))
      const longest = Math.max(...durations)
      const usual = bitrates.filter((_, index) => (durations[index] ?? 0) >= longest / 2)
      expect(rendition.peakBitrate).toBeGreaterThanOrEqual(Math.floor(Math.max(...usual)))
      expect(yield* cut(`hevc/chunk${segments.length + 1}.m4s`)).toBeUndefined()
      expect(yield* cut("index0.ts")).toBeUndefined()
    })
  )
}

it.effect("package H.265: index of a video → a hundredth of its bytes, but for its head", () =>
  Effect.gen(function* () {
    const bytes = Media.load("hevc-pq.mp4")
    const { indexBytes, init } = yield* toVariant(bytes, 13)
    expect(indexBytes).toBeLessThan(2 * init.length + bytes.length / 100)
  })
)

it.effect("package H.265: colours → in the manifest as its descriptors", () =>
  Effect.gen(function* () {
    const cicp = (element: string, name: string, value: number) =>
      `<${element} schemeIdUri="urn:mpeg:mpegB:cicp:${name}" value="${value}"/>`
    const setOf = (name: Media.Name, seconds: number) =>
      Effect.map(toVariant(Media.load(name), seconds), ({ adaptationSet }) => adaptationSet(7))
    const sets = [yield* setOf("hevc-pq.mp4", 13), yield* setOf("hevc-hlg.mov", 5)]
    expect(sets[0]).toContain(cicp("EssentialProperty", "TransferCharacteristics", 16))
    expect(sets[0]).toContain(cicp("EssentialProperty", "ColourPrimaries", 9))
    expect(sets[0]).toContain(cicp("EssentialProperty", "MatrixCoefficients", 9))
    expect(sets[1]).toContain(cicp("SupplementalProperty", "TransferCharacteristics", 18))
    expect(sets[0]).toMatch(/<AdaptationSet id="7" contentType="video"[^>]* selectionPriority="0">/)
    expect(sets[0]).toMatch(/<Representation id="hevc" mimeType="video\/mp4" codecs="hvc1\.2\.4\.L30\.[^"]+"/)
  })
)

/** Left to the transcoder alone. */
const refused = [
  ["plain.mp4", "The video is not H.265."],
  ["hevc-444.mp4", "Not all players of H.265 support the video."],
  ["hevc-rotated.mp4", "Not all players of H.265 support the video."],
  ["hevc-trimmed.mp4", "The beginning of a track is cut off by an edit list."]
] as const

for (const [name, detail] of refused) {
  it.effect(`package H.265: ${name} → refused`, () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(toVariant(Media.load(name), 13))
      expect(error).toMatchObject({ _tag: "PackagingError", reason: "Unsupported", detail })
    })
  )
}

it.effect("package H.265: frames before a keyframe need others (open GOP) → no segment begins there", () =>
  Effect.gen(function* () {
    const path = Media.path("hevc-open.mp4")
    const { init, segments } = yield* toVariant(Media.load("hevc-open.mp4"), 6)
    const alone = segments.flatMap((segment) => Media.decode(new Uint8Array(Buffer.concat([init, segment]))).video)
    expect(alone).toEqual(Media.decode(path).video)
    const keyframes = Media.packets(path, "video").filter(({ flags }) => flags.startsWith("K"))
    expect([segments.length > 1, segments.length < keyframes.length]).toEqual([true, true])
  })
)

it.effect("package H.265: encoded video lasts shorter → refused", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(toVariant(Media.load("hevc-hlg.mov"), 4))
    expect(error).toMatchObject({ detail: "The video lasts longer or shorter than its encoded form." })
  })
)

/** Returns a file whose record of a decoder has another body. The tables must be at the end of the file. */
const withRecord = (bytes: Uint8Array, toBody: (body: Buffer) => Buffer): Uint8Array =>
  EditBoxes.edit(Buffer.from(bytes), (type, body) => {
    if (type !== "stsd" || !body.includes("hvcC")) return undefined
    const edited = Buffer.from(body)
    const at = edited.indexOf("hvcC") + 4
    const end = at - 8 + edited.readUInt32BE(at - 8)
    toBody(edited.subarray(at, end)).copy(edited, at)
    return EditBoxes.box("stsd", edited)
  })

it.effect("package H.265: parameters in the frames alone → refused", () =>
  Effect.gen(function* () {
    const bytes = withRecord(Media.load("hevc-pq.mp4"), (body) => {
      body[22] = 0
      return body
    })
    const error = yield* Effect.flip(toVariant(bytes, 13))
    expect(error).toMatchObject({ detail: "The parameters of the video are in its frames alone." })
  })
)

it.effect("package H.265: file calls frames keyframes that need others → refused", () =>
  Effect.gen(function* () {
    const bytes = Buffer.from(Media.load("hevc-ordered.mp4"))
    // Those at which the first two segments and the last one begin stay as they are.
    const table = bytes.indexOf("stss")
    const count = bytes.readUInt32BE(table + 8)
    for (let entry = 2; entry + 1 < count; entry++) {
      const at = table + 12 + 4 * entry
      bytes.writeUInt32BE(bytes.readUInt32BE(at) + 4, at)
    }
    const error = yield* Effect.flip(toVariant(new Uint8Array(bytes), 9))
    expect(error).toMatchObject({ detail: "A segment begins with a frame that needs others." })
  })
)

/** Returns a file whose sample entry has another type, and further boxes. The tables must be at the end of the file. */
const withEntry = (bytes: Uint8Array, type: string, ...boxes: ReadonlyArray<Buffer>): Uint8Array =>
  EditBoxes.edit(Buffer.from(bytes), (found, body) => {
    if (found !== "stsd" || !body.includes("hvcC")) return undefined
    return EditBoxes.box(
      "stsd",
      Buffer.concat([body.subarray(0, 8), EditBoxes.box(type, Buffer.concat([body.subarray(16), ...boxes]))])
    )
  })

/** The configuration of Dolby Vision, with the kind of its base layer. */
const dolbyVision = (profile: number, base: number): Buffer =>
  EditBoxes.box(profile > 7 ? "dvvC" : "dvcC", Buffer.from([1, 0, profile * 2, 0x2d, base * 16, ...Buffer.alloc(19)]))

it.effect("package H.265: Dolby Vision → as its base layer, if that is right alone", () =>
  Effect.gen(function* () {
    const bytes = Media.load("hevc-hlg.mov")
    const { init, rendition, segments } = yield* toVariant(withEntry(bytes, "dvh1", dolbyVision(8, 4)), 5)
    expect([init.includes("hvc1"), init.includes("dvh1"), init.includes("dvvC")]).toEqual([true, false, false])
    expect(rendition.codecs?.[0]).toMatch(/^hvc1\.2\.4\./)
    const whole = new Uint8Array(Buffer.concat([init, ...segments]))
    expect(Media.decode(whole).video).toEqual(Media.decode(Media.path("hevc-hlg.mov")).video)
    for (const edited of [
      withEntry(bytes, "dvh1"),
      withEntry(bytes, "dvhe", dolbyVision(5, 0)),
      withEntry(bytes, "hvc1", dolbyVision(8, 0))
    ]) {
      const error = yield* Effect.flip(toVariant(edited, 5))
      expect(error).toMatchObject({ reason: "Unsupported", detail: "The video needs Dolby Vision." })
    }
  })
)

it.effect("package H.265: description of HDR10 in the entry → in the initialization segment", () =>
  Effect.gen(function* () {
    const mdcv = EditBoxes.box("mdcv", Buffer.from(Array.from({ length: 24 }, (_, index) => index + 1)))
    const clli = EditBoxes.box("clli", Buffer.from([3, 232, 1, 144]))
    const other = EditBoxes.box("abcd", Buffer.from("other"))
    const { init } = yield* toVariant(withEntry(Media.load("hevc-pq.mp4"), "hvc1", mdcv, clli, other), 13)
    expect([init.includes(mdcv), init.includes(clli), init.includes(other)]).toEqual([true, true, false])
  })
)

it.effect("package H.265: file and video state different colours → refused", () =>
  Effect.gen(function* () {
    const colr = Buffer.concat([Buffer.from("nclc"), Buffer.from([0, 9, 0, 16, 0, 9])])
    const edited = withEntry(Media.load("hevc-sdr.mp4"), "hvc1", EditBoxes.box("colr", colr))
    const error = yield* Effect.flip(toVariant(edited, 13))
    expect(error).toMatchObject({ detail: "The file and its video state different colours." })
  })
)

/** Where the frames of a file are: its segments are not read before they are checked. */
const firstFrame = (bytes: Uint8Array): number => Buffer.from(bytes).indexOf("mdat") + 4

it.effect("package H.265: damaged first frame → refused", () =>
  Effect.gen(function* () {
    const bytes = Media.load("hevc-hlg.mov")
    const results = []
    for (const at of [0, 1, 2]) {
      const damaged = bytes.slice()
      damaged[firstFrame(bytes) + at] = 0xff
      results.push(yield* Effect.flip(toVariant(damaged, 5)))
    }
    expect(results.every((error) => error instanceof PackagingError)).toBe(true)
  })
)

it.effect("package H.265: mutated parameters and frames → a variant, or a PackagingError", () =>
  Effect.gen(function* () {
    const bytes = Buffer.from(Media.load("hevc-hlg.mov"))
    const record = bytes.indexOf("hvcC")
    const frames = firstFrame(bytes)
    const mutation = FastCheck.record({
      at: FastCheck.oneof(
        FastCheck.integer({ min: record - 4, max: record + 140 }),
        FastCheck.integer({ min: record - 90, max: record + 260 }),
        FastCheck.integer({ min: frames, max: frames + 200 })
      ),
      value: FastCheck.oneof(FastCheck.integer({ min: 0, max: 255 }), FastCheck.constantFrom(0, 1, 0x7f, 0x80, 0xff))
    })
    const samples = FastCheck.sample(FastCheck.array(mutation, { minLength: 1, maxLength: 4 }), { numRuns: 400 })
    let made = 0
    for (const mutations of samples) {
      const mutated = Buffer.from(bytes)
      for (const { at, value } of mutations) mutated[at] = value
      const source = Sources.make(mutated)
      const result = yield* Effect.result(HevcVariant.make(source, { begin: 0, delay, duration: 5 }, false))
      expect(source.reads()).toBeLessThan(100)
      expect(yield* HevcVariant.isCandidate(Sources.make(mutated))).toBeTypeOf("boolean")
      if (result._tag === "Failure") expect(result.failure).toBeInstanceOf(PackagingError)
      else made++
    }
    expect(made).toBeLessThan(400)
  })
)
