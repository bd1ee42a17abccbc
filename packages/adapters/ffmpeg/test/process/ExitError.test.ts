import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ExitError from "../../src/internal/process/ExitError.ts"

const privatePaths = ["file:/tmp/holdfast-ffmpeg-a1/input", "/tmp/holdfast-ffmpeg-a1", "/srv/my data/blobs"]

const fromExit = (stderr: string, signal?: string) =>
  ExitError.fromExit("convert", { code: 1, signal, stderr }, "Failed", privatePaths)

describe("ExitError.clean", () => {
  it.each([
    ["[mov,mp4,m4a @ 0x5609f232a280] [error] moov atom not found", "moov atom not found"],
    ["[error] file:/tmp/holdfast-ffmpeg-a1/input: Invalid data found", "the input: Invalid data found"],
    ["[fatal] /srv/my data/blobs/x/y: Permission denied", "the input/x/y: Permission denied"],
    ["[error] Could not open '/home/ada/secret.mp4'", "Could not open 'a file'"],
    ["[error] https://127.0.0.1:80/x?key=1 failed", "a file failed"],
    ["[h264 @ 0xab] [IMGUTILS @ 0x7ff] [error] Frame rate 30000/1001 is odd", "Frame rate 30000/1001 is odd"],
    ["[info] Input #0\n[warning] strange\n[error] bad\n[info] done", "bad"],
    ["ffmpeg: error while loading shared libraries", "ffmpeg: error while loading shared libraries"],
    ["[error] one\r\n[error] two\n[error] two\n[error] three\n[error] four", "two; three; four"],
    ["[error] concat:file:/srv/a|/srv/b my_own:file:/srv/c", "a file my_own:file:a file"],
    ["[error] a-b+c:/srv/a 1:/srv/b :x:/srv/c", "a file 1:a file :x:a file"],
    ["[error] [a [h264 @ 0xab] bad", "[a bad"],
    ["[error] \u001b[31mred\u001b[0m\u0007 bell", "red bell"],
    ["", ""]
  ])("%j → %j", (stderr, expected) => {
    assert.strictEqual(ExitError.clean(stderr, privatePaths), expected)
  })

  it.each(["[", "[@ ", "\u001b[", "a:", "a+", "+a", "/", ":/ "])("many times %j → cleaned in linear time", (part) => {
    const shown = ExitError.clean(`[error] bad\n[error] ${part.repeat(500_000)}`, privatePaths)
    assert.match(shown, /^bad; ./)
    assert.isAtMost(shown.length, 300)
  })

  it.prop("any text → no private path, and at most 300 characters", [Schema.String, Schema.String], ([a, b]) => {
    const shown = ExitError.clean(`[error] ${a}/srv/my data/blobs${b} /tmp/holdfast-ffmpeg-a1/input`, privatePaths)
    assert.notInclude(shown, "/srv/my data")
    assert.notInclude(shown, "holdfast-ffmpeg-a1")
    assert.isAtMost(shown.length, 300)
  })
})

describe("ExitError.fromExit", () => {
  it.each([
    ["[error] av_interleaved_write_frame(): No space left on device", "StorageFull"],
    ["[error] Picture size 30000x30000 is invalid", "LimitExceeded"],
    ["[error] Picture size 0x0 is invalid", "Failed"],
    ["[error] Cannot allocate memory", "LimitExceeded"],
    ["[fatal] Unknown encoder 'libx264'", "Unavailable"],
    ["[error] Decoder (codec none) not found for input stream #0:0", "Unsupported"],
    ["[info] Exiting normally, received signal 24.", "LimitExceeded"],
    ["[info] Exiting normally, received signal 15.", "Unavailable"],
    ["Received > 3 system signals, hard exiting", "LimitExceeded"],
    ["bwrap: Can't find source path /srv: Permission denied", "Internal"],
    ["[error] file:/tmp/holdfast-ffmpeg-a1/input: No such file or directory", "Unavailable"],
    ["[error] file:/srv/other.mp4: No such file or directory", "Failed"],
    ["setpriv: setresuid failed: Operation not permitted", "Internal"],
    ["[error] something else", "Failed"]
  ])("%j → %s", (stderr, reason) => {
    assert.strictEqual(fromExit(stderr).reason, reason)
  })

  it("messages in a file's metadata → ignored", () => {
    const stderr =
      "[info]     title           : No space left on device\n[info]     : Exiting normally, received signal 15.\n[error] bad"
    assert.strictEqual(fromExit(stderr).reason, "Failed")
    assert.strictEqual(fromExit(stderr).message, "The conversion failed. bad")
  })

  it.each([
    ["caf", "Unsupported", "This kind of video or audio cannot be converted. Its format is not supported."],
    ["hls,applehttp", "NotMedia", "The content is neither video nor audio."],
    ["png_pipe", "NotMedia", "The content is neither video nor audio."]
  ])("a file of the format %s, which is not opened → %s without the list of formats", (format, reason, message) => {
    const stderr = `[${format} @ 0x55fb8af34b00] [error] Format not on whitelist 'mov,mp4'\n[error] file:/tmp/holdfast-ffmpeg-a1/input: Invalid argument`
    const error = ExitError.fromExit("probe", { code: 1, signal: undefined, stderr }, "NotMedia", privatePaths)
    assert.deepStrictEqual([error.reason, error.message], [reason, message])
  })

  it("a track begins so late that the packets of the others are too many → says so", () => {
    const { message } = fromExit("[error] Too many packets buffered for output stream 0:1.")
    assert.strictEqual(message, "The conversion failed. A track begins too late.")
  })

  it.each([
    ["SIGKILL", "Unavailable"],
    ["SIGTERM", "Unavailable"],
    ["SIGSEGV", "Failed"],
    ["SIGXCPU", "LimitExceeded"],
    ["SIGXFSZ", "LimitExceeded"]
  ])("%s → %s", (signal, reason) => {
    assert.strictEqual(fromExit("", signal).reason, reason)
  })
})
