/**
 * Inputs of many kinds, each converted to both formats: the result is right, or the input is refused with a reason that is true.
 *
 * `HOLDFAST_MEDIA=all` (`pnpm media`) converts all inputs and prints a table; otherwise every tenth, to one
 * of the formats.
 */
import { assert, layer, vi } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as FfmpegTranscoder from "../../src/FfmpegTranscoder.ts"
import * as Samples from "../support/Samples.ts"
import * as Tools from "../support/Tools.ts"
import * as HevcProof from "./HevcProof.ts"
import type { Input } from "./Input.ts"
import * as Codecs from "./inputs/Codecs.ts"
import * as Containers from "./inputs/Containers.ts"
import * as Damaged from "./inputs/Damaged.ts"
import * as Hevc from "./inputs/Hevc.ts"
import * as Pictures from "./inputs/Pictures.ts"
import * as Sounds from "./inputs/Sounds.ts"
import * as Proof from "./Proof.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const isWhole = process.env["HOLDFAST_MEDIA"] === "all"

const all: ReadonlyArray<Input> = [
  ...Codecs.inputs,
  ...Pictures.inputs,
  ...Sounds.inputs,
  ...Containers.inputs,
  ...Damaged.inputs,
  ...Hevc.inputs
]

const formats: ReadonlyArray<Format> = ["hls", "dash"]

const cases = all
  .flatMap((input) => formats.map((format) => ({ input, name: input.name, format })))
  // An odd distance selects both formats.
  .filter((_, index) => isWhole || index % 19 === 0)

/** Converts as the worker does: tracks that cannot be copied are encoded. */
const convert = (input: string, format: Format) =>
  Effect.gen(function* () {
    const run = (mode: "auto" | "transcode") =>
      Effect.flatMap(directory, (output) => CheckedConversion.convert({ input, output, format, mode, mayShare: true }))
    return yield* Effect.catchIf(
      run("auto"),
      ({ reason }) => reason === "NotCopyable",
      () => run("transcode")
    )
  })

/** Lines of the table. */
const results: Array<string> = []

const report = (name: string, format: Format, columns: ReadonlyArray<string>): void => {
  results.push([name.padEnd(24), format.padEnd(4), ...columns].join("  "))
}

Requires.requires(Tools.missing).describe("media matrix", () => {
  afterAll(() => {
    if (isWhole) process.stdout.write(`${results.toSorted().join("\n")}\n`)
  })

  layer(FfmpegTranscoder.layer({ niceness: 0 }), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect.each(cases)("$name to $format → right, or refused with a true reason", ({ format, input, name }) =>
      Effect.gen(function* () {
        const source = Samples.make(name, input)
        const outcome = yield* Effect.result(convert(source, format))
        const { isDamaged, refused } = input.expected
        if (outcome._tag === "Failure") {
          assert.include(refused, outcome.failure.reason, outcome.failure.message)
          return report(name, format, ["refused", outcome.failure.message])
        }
        assert.isTrue(refused.length === 0 || isDamaged, `refused with ${refused.join(", ")}`)
        const proof = Proof.prove(input, source, outcome.success, yield* directory)
        if (input.expected.hevc !== undefined) {
          const hevc = yield* HevcProof.prove(source, outcome.success, yield* directory)
          assert.strictEqual(hevc, input.expected.hevc, "H.265")
        }
        const sync = proof.sync === undefined ? "" : `sync ${(1000 * proof.sync).toFixed(0)} ms`
        const similarity = proof.similarity === undefined ? "" : `ssim ${proof.similarity.toFixed(3)}`
        report(name, format, [
          isDamaged ? "plays" : "right",
          `${proof.frames} frames`.padStart(10),
          similarity.padEnd(10),
          sync
        ])
      })
    )
  })
})
