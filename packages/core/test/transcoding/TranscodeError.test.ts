import { assert, describe, it } from "@effect/vitest"
import { type Reason, TranscodeError } from "@holdfast/core/transcoding/TranscodeError"

const cases: ReadonlyArray<readonly [reason: Reason, code: string, isRetryable: boolean]> = [
  ["NotMedia", "not_a_video", false],
  ["Unsupported", "conversion_failed", false],
  ["LimitExceeded", "conversion_failed", false],
  ["Failed", "conversion_failed", false],
  ["StorageFull", "storage_full", true],
  ["Unavailable", "transcoder_unavailable", true],
  ["Internal", "internal", false]
]

describe("TranscodeError", () => {
  it.each(cases)("%s → code %s", (reason, code, isRetryable) => {
    const error = new TranscodeError({ reason, operation: "convert" })
    assert.strictEqual(error.code, code)
    assert.strictEqual(error.isRetryable, isRetryable)
    assert.isNotEmpty(error.message)
  })

  it("detail → follows the summary in the message", () => {
    const error = new TranscodeError({ reason: "Failed", operation: "convert", detail: "It is cut off." })
    assert.strictEqual(error.message, "The conversion failed. It is cut off.")
  })
})
